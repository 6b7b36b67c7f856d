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

  @Option(name: .long, help: ArgumentHelp("List at most this many.", valueName: "n"))
  var limit: Int?

  @Option(name: .long, help: ArgumentHelp("Pass over this many.", valueName: "n"))
  var skip = 0

  @Flag(name: .long, help: "Write CSV: all rows, as import reads them.")
  var csv = false

  @Argument(
    help: "A table of the catalog.",
    completion: CatalogCompletion.tables)
  var table: String

  @Argument(help: ArgumentHelp("Filters.", valueName: "filter"))
  var filters: [String] = []

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
    if skip < 0 { throw ValidationError("--skip takes a number from 0 on") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    if at == nil { try await history.bringUpToDate(progress) }
    let kind = try history.log().kind
    guard let table = kind.schema.tables.first(where: { $0.name == table }) else {
      throw ValidationError(
        "there is no table \"\(table)\"; "
          + NearMiss.advice(for: table, among: kind.schema.tables.map(\.name)))
    }
    let shown = try (kind as? DescribedKind)?.shownColumns(of: table) ?? table.columns.map(\.name)
    let sql = try RowsQuery(
      table, shown: columns.map { $0.split(separator: ",").map(String.init) } ?? shown,
      filters: filters, search: searched(kind, table),
      sort: sort.map { $0.split(separator: ",").map(String.init) } ?? [],
      limit: limit ?? (csv ? nil : 50), skip: skip
    ).sql
    let database = try history.database(at ?? history.latest(), progress)
    progress.finish()
    if at != nil, !csv { console.write(database.moment, besides: history.options.format) }
    let (format, isCSV) = (history.options.format, csv)
    try await Blocking.run {
      if isCSV {
        var output = CSVOutput(console)
        try database.forEachRow(of: sql, until: nil) {
          output.write(header: $0)
        } _: {
          output.write($0)
        }
        output.finish()
      } else {
        var answer = AnswerOutput(format, database.sequence, console)
        try database.forEachRow(of: sql, until: nil) {
          answer.begin($0)
        } _: {
          try answer.write($0)
        }
        try answer.end()
        if answer.count == 0, let near = try nearMiss(kind, table, database) {
          console.error("no row has these words; did you mean \"\(near)\"?")
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

  init(
    _ table: TableDescription, shown: [String], filters: [String], search: String?,
    sort: [String], limit: Int?, skip: Int
  ) throws {
    func column(_ name: String) throws -> ColumnDescription {
      if let column = table.columns.first(where: { $0.name == name }) { return column }
      throw ValidationError(
        "\"\(name)\" is not a column of \(table.name); "
          + NearMiss.advice(for: name, among: table.columns.map(\.name)))
    }
    let names = try shown.map { try column($0).sqlName }.joined(separator: ", ")
    var sql = "SELECT \(names) FROM \(table.sqlName)"
    let conditions =
      try filters.map { try Self.condition($0, column) } + [search].compactMap(\.self)
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    let order = try sort.map { name in
      let isDown = name.hasPrefix("-")
      return try column(isDown ? String(name.dropFirst()) : name).sqlName + (isDown ? " DESC" : "")
    }
    sql +=
      " ORDER BY " + (order + table.key.map { table.columns[$0].sqlName }).joined(separator: ", ")
    if limit != nil || skip > 0 { sql += " LIMIT \(limit ?? -1) OFFSET \(skip)" }
    self.sql = sql
  }

  private static let signs = ["!=", "<=", ">=", "=", "<", ">", "~"]

  private static func condition(
    _ filter: String, _ column: (String) throws -> ColumnDescription
  ) throws -> String {
    guard let mark = filter.firstIndex(where: { "!<>=~".contains($0) }),
      let sign = signs.first(where: { filter[mark...].hasPrefix($0) })
    else {
      throw ValidationError("\"\(filter)\" is not a filter; write COLUMN=VALUE")
    }
    let named = try column(String(filter[..<mark]))
    let text = String(filter[filter.index(mark, offsetBy: sign.count)...])
    if sign == "~" {
      return "instr(lower(\(named.sqlName)), lower(\(Value.text(text).literal))) > 0"
    }
    if text.isEmpty, sign == "=" || sign == "!=" {
      let empty = "(\(named.sqlName) IS NULL OR \(named.sqlName) = '')"
      return sign == "=" ? empty : "NOT \(empty)"
    }
    let value = try Self.value(text, of: named)
    return sign == "!="
      ? "\(named.sqlName) IS NOT \(value.literal)" : "\(named.sqlName) \(sign) \(value.literal)"
  }

  private static func value(_ text: String, of column: ColumnDescription) throws -> Value {
    func misfit(_ noun: String) -> ValidationError {
      ValidationError("\"\(text)\" is not \(noun), which \(column.name) is")
    }
    switch column.type {
    case .integer:
      if let flag = ["true": 1, "false": 0][text] { return .integer(Int64(flag)) }
      guard let integer = Int64(text) else { throw misfit("a whole number") }
      return .integer(integer)
    case .real:
      guard let real = Double(text), real.isFinite else { throw misfit("a number") }
      return .real(real)
    case .id: return .text(text.lowercased())
    case .any:
      if let integer = Int64(text) { return .integer(integer) }
      if let real = Double(text), real.isFinite { return .real(real) }
      return .text(text)
    case .text, .time, .blob: return .text(text)
    }
  }
}
