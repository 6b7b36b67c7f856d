import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import Projections
import Support

/// Lists the rows of a table.
struct RowsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rows",
    abstract: "List the rows of a table, now or in the past.",
    discussion: """
      A filter is COLUMN=VALUE, or with another sign: != is not, < and > are less and more, <= and >= include the value, ~ \
      has the text anywhere. COLUMN= finds rows that have nothing there. Several filters all hold. --search finds rows \
      with words in the columns that the description names for it; case and accents do not count, and the last word may \
      be the beginning of one.
      """.examples(
        "\(ProgramName.current) rows products category=Bath/Taps 'price>100' --sort -price",
        "\(ProgramName.current) rows products --search 'slim lamp'",
        "\(ProgramName.current) rows products --at 2026-10-17 --csv > products.csv"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("The moment to list; default live.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @OptionGroup var described: DescriptionOptions

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("List rows that have all of these words.", valueName: "words"))
  var search: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "The columns to sort by, with commas between them; - before one sorts it downwards.",
      valueName: "columns"),
    completion: CatalogCompletion.columns)
  var sort: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The columns to show, with commas between them.", valueName: "columns"),
    completion: CatalogCompletion.columns)
  var columns: String?

  @Option(
    name: [.long, .customShort("n")], help: ArgumentHelp("List at most this many.", valueName: "n"))
  var limit: Int?

  @Option(name: .long, help: ArgumentHelp("Pass over this many.", valueName: "n"))
  var skip = 0

  @Flag(name: .long, help: "Write CSV: all rows, as import --empty-null reads them.")
  var csv = false

  @Argument(
    help: "A table of the catalog.",
    completion: CatalogCompletion.tables)
  var table: String

  @Argument(
    help: ArgumentHelp("Filters.", valueName: "filter"), completion: CatalogCompletion.filters)
  var filters: [String] = []

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
    if skip < 0 { throw ValidationError("--skip takes a number from 0 on") }
    if csv, history.options.format == .json {
      throw ValidationError("--csv and --format json exclude each other")
    }
    let sorted = sort?.split(separator: " ").map(String.init) ?? []
    if let first = sorted.first,
      let way = (sorted.dropFirst() + filters).first(where: { Self.ways.contains($0.lowercased()) })
    {
      let (column, isDown) = (first.drop { $0 == "-" }, way.lowercased() == "desc")
      throw ValidationError(
        "--sort takes columns; --sort \(isDown ? "-" : "")\(column) sorts \(isDown ? "downwards" : "upwards")"
      )
    }
    try described.requireMoment(at)
  }

  /// Words of SQL that say which way rows are sorted.
  private static let ways: Set = ["asc", "desc"]
  private static let usualLimit = 50

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let moment = if let at { at } else { try await history.newest(progress) }
    let states = try described.states(history.states(progress), through: [moment])
    let kind = states.log.kind
    let table = try kind.schema.table(named: table, of: states.log)
    let shown = try (kind as? DescribedKind)?.shownColumns(of: table) ?? table.columns.map(\.name)
    let query = try RowsQuery(
      table, shown: columns.map { $0.split(separator: ",").map(String.init) } ?? shown,
      filters: filters, search: searched(kind, table),
      sort: sort.map { $0.split(separator: ",").map(String.init) } ?? [],
      limit: limit ?? (csv ? nil : Self.usualLimit), skip: skip,
      described: { (kind as? DescribedKind)?.description.table(table.name)?.column($0) },
      former: { try states.log.words(onFormerColumn: $0, of: table) }
    )
    let database = try history.database(moment, of: states, progress)
    try query.requireSigns(in: database)
    progress.finish()
    if at != nil, !csv { console.write(database.moment, besides: history.options.format) }
    let (format, isCSV) = (history.options.format, csv)
    let untyped = table.columns.filter { $0.type == .any }.map(\.name)
    try await Blocking.run {
      if isCSV {
        var output = CSVOutput(console)
        try database.forEachRow(of: query.sql, until: nil) {
          output.write(header: $0)
        } _: {
          output.write($0)
        }
        output.finish()
        for line in output.remarks(untyped: untyped) { console.error(line) }
      } else {
        var answer = AnswerOutput(format, database.sequence, console)
        try database.forEachRow(of: query.sql, until: nil) {
          answer.begin($0)
        } _: {
          try answer.write($0)
        }
        try answer.end(of: total(query, answer.count, database))
        if answer.count == 0, let near = try nearMiss(kind, table, database) {
          console.error("no row has these words; did you mean \"\(near)\"?")
        }
        if answer.count == 0, skip == 0 {
          for line in try query.nearValues(in: database) { console.error(line) }
        }
      }
    }
  }
}

extension RowsCommand {
  /// The words that may have been meant by those that no row has; nil if there are none, or if filters may have left rows out.
  private func nearMiss(
    _ kind: any CatalogKind, _ table: TableDescription, _ database: PastDatabase
  ) throws -> String? {
    guard let search, filters.isEmpty, skip == 0,
      let index = (kind as? DescribedKind)?.program.table(table.name)?.search
    else { return nil }
    var texts: [String] = []
    try database.forEachRow(of: "SELECT words FROM \(index.words.sqlName)", until: nil) { _ in
    } _: {
      if case .text(let text)? = $0.first { texts.append(text) }
    }
    return SearchQuery(search).nearMiss(in: texts)
  }

  /// How many rows there are without `--limit` and `--skip`.
  ///
  /// - Parameter count: how many were listed.
  private func total(_ query: RowsQuery, _ count: Int, _ database: PastDatabase) throws -> Int {
    guard skip > 0 || count == limit ?? Self.usualLimit else { return count }
    var total = count
    try database.forEachRow(of: query.count, until: nil) { _ in
    } _: {
      if case .integer(let found)? = $0.first { total = Int(found) }
    }
    return total
  }

  /// The condition for rows with the words; nil if none are searched for.
  private func searched(_ kind: any CatalogKind, _ table: TableDescription) throws -> String? {
    guard let search else { return nil }
    guard let index = (kind as? DescribedKind)?.program.table(table.name)?.search else {
      throw ValidationError(
        "\(table.name) is not searched: name columns in its \"search\" in the description, and take it by `kind change`"
      )
    }
    guard let condition = index.condition(SearchQuery(search)) else {
      throw ValidationError("--search takes words")
    }
    return condition
  }
}

extension DescribedKind {
  /// The described columns of a table; all of one that the description does not have.
  fileprivate func shownColumns(of table: TableDescription) throws -> [String] {
    description.table(table.name)?.columns.filter(\.isKept).map(\.name)
      ?? table.columns.map(\.name)
  }
}

/// A statement that lists rows of a table.
private struct RowsQuery {
  let sql: String
  /// Counts the rows that are found.
  let count: String
  private let table: TableDescription
  /// The texts that columns of texts are to have.
  private let wanted: [(column: ColumnDescription, text: String)]

  init(
    _ table: TableDescription, shown: [String], filters: [String], search: String?,
    sort: [String], limit: Int?, skip: Int, described: (String) -> DescribedColumn?,
    former: (String) throws -> String?
  ) throws {
    func column(_ name: String) throws -> ColumnDescription {
      if let column = table.columns.first(where: { $0.name == name }) { return column }
      let advice =
        try former(name) ?? NearMiss.advice(for: name, among: table.columns.map(\.name))
      throw ValidationError("\"\(name)\" is not a column of \(table.name); \(advice)")
    }
    let names = try shown.map { try column($0).sqlName }.joined(separator: ", ")
    var found = " FROM \(table.sqlName)"
    let conditions =
      try filters.map { try Self.condition($0, column, described) } + [search].compactMap(\.self)
    if !conditions.isEmpty { found += " WHERE " + conditions.joined(separator: " AND ") }
    count = "SELECT count(*)" + found
    self.table = table
    wanted = try filters.compactMap { filter in
      guard let mark = filter.firstIndex(where: { "!<>=~".contains($0) }), filter[mark] == "=",
        case let named = try column(String(filter[..<mark])), named.type == .text,
        case let text = NormalForm.nfc(String(filter[filter.index(after: mark)...])), !text.isEmpty
      else { return nil }
      return (named, text)
    }
    var sql = "SELECT \(names)" + found
    let order = try sort.map { name in
      let isDown = name.hasPrefix("-")
      return try column(isDown ? String(name.dropFirst()) : name).sqlName + (isDown ? " DESC" : "")
    }
    sql +=
      " ORDER BY " + (order + table.key.map { table.columns[$0].sqlName }).joined(separator: ", ")
    if limit != nil || skip > 0 { sql += " LIMIT \(limit ?? -1) OFFSET \(skip)" }
    self.sql = sql
  }

  /// How many values of a column are looked at, and how many characters they have at most: no typed text is near to longer ones.
  private static let most = 10_000
  private static let longest = 70

  /// - Throws: `ValidationError` for `=~` if no row has a text that begins so.
  func requireSigns(in database: PastDatabase) throws {
    for (column, text) in wanted where text.hasPrefix("~") {
      var isThere = false
      try database.forEachRow(
        of:
          "SELECT 1 FROM \(table.sqlName) WHERE \(column.sqlName) IS \(Value.text(text).literal) LIMIT 1",
        until: nil
      ) { _ in
      } _: { _ in
        isThere = true
      }
      if !isThere { throw Self.noSign(column.name[...], text.dropFirst()) }
    }
  }

  /// A line for each text that no row has, if one has another that is near.
  func nearValues(in database: PastDatabase) throws -> [String] {
    try wanted.compactMap { column, text in
      var known: [String] = []
      try database.forEachRow(
        of:
          "SELECT DISTINCT \(column.sqlName) FROM \(table.sqlName) WHERE length(\(column.sqlName)) <= \(Self.longest) LIMIT \(Self.most)",
        until: nil
      ) { _ in
      } _: {
        if case .text(let value)? = $0.first { known.append(value) }
      }
      guard known.count < Self.most, !known.contains(where: { $0.utf8.elementsEqual(text.utf8) }),
        let near = NearMiss.find(text, among: known)
      else { return nil }
      return "no row has \(column.name) \"\(JSONExcerpt.printable(text))\"; did you mean "
        + "\"\(JSONExcerpt.printable(near))\"?"
    }
  }

  /// The refusal of `=~`, which may also be a text that begins with `~`.
  private static func noSign(_ column: Substring, _ text: Substring) -> ValidationError {
    ValidationError("=~ is not a sign; \(column)~\(text) finds the text anywhere")
  }

  private static let signs = ["!=", "<=", ">=", "=", "<", ">", "~"]

  private static func condition(
    _ filter: String, _ column: (String) throws -> ColumnDescription,
    _ described: (String) -> DescribedColumn?
  ) throws -> String {
    guard let mark = filter.firstIndex(where: { "!<>=~".contains($0) }),
      let sign = signs.first(where: { filter[mark...].hasPrefix($0) })
    else {
      throw ValidationError("\"\(filter)\" is not a filter; write COLUMN=VALUE")
    }
    let named = try column(String(filter[..<mark]))
    let text = NormalForm.nfc(String(filter[filter.index(mark, offsetBy: sign.count)...]))
    if sign == "=", text.hasPrefix("~"), named.type != .text {
      throw noSign(filter[..<mark], text.dropFirst())
    }
    let name = named.sqlName
    if sign == "~" {
      return "instr(lower(\(name)), lower(\(Value.text(text).literal))) > 0"
    }
    if text.isEmpty, sign == "=" || sign == "!=" {
      let empty = "(\(name) IS NULL OR \(name) = '')"
      return sign == "=" ? empty : "NOT \(empty)"
    }
    let values: [Value]
    do throws(ValueProblem) {
      values = try FilterText(text).values(of: named, described(named.name))
    } catch {
      throw ValidationError(
        "\(named.name): \"\(JSONExcerpt.printable(text))\" \(error.message)"
          + (error.advice.map { "; \($0)" } ?? ""))
    }
    let literals = values.map(\.literal)
    return switch sign {
    case "=": "(" + literals.map { "\(name) IS \($0)" }.joined(separator: " OR ") + ")"
    case "!=": "(" + literals.map { "\(name) IS NOT \($0)" }.joined(separator: " AND ") + ")"
    default:
      // In a column with values of several types, a number is less than each text.
      if named.type == .any, let value = values.last {
        "(\(name) \(sign) \(value.literal) AND \(value.isOfSameSort(as: name)))"
      } else {
        "\(name) \(sign) \(literals[0])"
      }
    }
  }
}

/// The value of a filter, as a person writes it.
private struct FilterText {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The values of a column that the text can be: one, but for a column with values of any type.
  ///
  /// - Parameter described: the column of the description; nil if the description does not have the column.
  func values(
    of column: ColumnDescription, _ described: DescribedColumn?
  ) throws(ValueProblem) -> [Value] {
    if column.type == .any {
      let others = [DescribedType.integer, .number].compactMap { try? $0.value(ofText: text) }
      let bytes =
        text.lowercased().hasPrefix("x'") ? try? DescribedType.blob.value(ofText: text) : nil
      return [.text(text)] + [bytes, others.first].compactMap(\.self)
    }
    return [try (described?.type ?? Self.type(of: column)).value(ofText: text)]
  }

  private static func type(of column: ColumnDescription) -> DescribedType {
    switch column.type {
    case .integer: .integer
    case .real: .number
    case .id: .id
    case .time: .time
    case .blob: .blob
    case .text, .any: .text
    }
  }
}

extension Value {
  /// The condition that a column has a value which can be compared with this one.
  fileprivate func isOfSameSort(as column: String) -> String {
    switch self {
    case .integer, .real: "typeof(\(column)) IN ('integer', 'real')"
    case .blob: "typeof(\(column)) = 'blob'"
    default: "typeof(\(column)) = 'text'"
    }
  }
}
