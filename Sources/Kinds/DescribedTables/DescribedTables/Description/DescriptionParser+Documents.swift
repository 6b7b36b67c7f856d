import CatalogModel
import Projections

extension DescriptionParser {
  private enum DocumentKey: String, CaseIterable {
    case csv, json, jsonl, sqlite, complete, rows, others, ignore, refuse, rowsOfOtherLength, twice,
      count
  }
  private static let documentKeys = JSONKeyTable<DocumentKey>()

  private enum FormatKey: String, CaseIterable {
    case separator, encoding, decimal, quote, empty
  }
  private static let formatKeys = JSONKeyTable<FormatKey>()

  private enum RefusalKey: String, CaseIterable {
    case removed, rowsOfOtherLength
  }
  private static let refusalKeys = JSONKeyTable<RefusalKey>()

  private enum RowsKey: String, CaseIterable {
    case at, columns
  }
  private static let rowsKeys = JSONKeyTable<RowsKey>()

  private enum SourceKey: String, CaseIterable {
    case from, missing
  }
  private static let sourceKeys = JSONKeyTable<SourceKey>(required: [.from])

  private enum DatabaseKey: String, CaseIterable {
    case leftOut
  }
  private static let databaseKeys = JSONKeyTable<DatabaseKey>()

  private enum NoKey: String, CaseIterable {
    case none = ""
  }
  private static let noKeys = JSONKeyTable<NoKey>()

  mutating func describedDocument(_ name: String) -> DescribedDocument? {
    requireSentence(name, at: document.keyOffset)
    var described = DescribedDocument(name)
    guard var object = document.object() else { return nil }
    var formats: [Int] = []
    while let key = document.next(in: &object, Self.documentKeys) {
      let start = document.nextOffset
      switch key {
      case .csv:
        formats.append(start)
        described.format = .csv(csv())
      case .sqlite:
        formats.append(start)
        described.format = .sqlite
        if var object = document.object() {
          while document.next(in: &object, Self.databaseKeys) != nil {
            described.leftOut = names().map(\.name)
          }
        }
      case .json, .jsonl:
        formats.append(start)
        described.format = key == .json ? .json : .jsonLines
        if var object = document.object() {
          while document.next(in: &object, Self.noKeys) != nil { document.skip() }
        }
      case .complete: described.isComplete = document.flag() ?? false
      case .rows:
        described.rows = members { parser, table, place in parser.rows(table, place, of: name) }
      case .others:
        described.others = choice("is not what can happen to them") ?? .refuse
        if described.others == .keep { requireOthers(of: name, at: start) }
      case .ignore: described.ignored = names().map(\.name)
      case .refuse: refusals(&described)
      case .rowsOfOtherLength:
        described.otherLength = choice("is not what can happen to them") ?? .refuse
      case .twice: described.twice = choice("is not what can happen to it") ?? .refuse
      case .count:
        described.count = string()
        if let path = described.count { requirePath(path, of: name, at: start) }
      }
    }
    if formats.count > 1 {
      document.note(
        .invalidValue, at: formats[1], showsValue: false, "the document has two formats",
        advice: "write one of csv, json, jsonl and sqlite")
    }
    if described.rows.isEmpty { requireTable(of: described, at: object.offset) }
    return described
  }

  /// A document that names no table fills the one of its own name, or the only one.
  private mutating func requireTable(of described: DescribedDocument, at place: Int) {
    later { document, description in
      guard description.table(described.name) == nil, description.tables.count > 1 else { return }
      document.note(
        .missingKey, at: place, showsValue: false, "the document names no table",
        advice: "add \"rows\", with one of "
          + description.tables.map(\.name).joined(separator: ", "))
    }
  }

  /// Notes a document that keeps what the description does not name in tables that have no column for it.
  private mutating func requireOthers(of name: String, at place: Int) {
    later { document, description in
      let rows = description.document(name)?.rows.map(\.table) ?? []
      let only = description.table(name) ?? description.tables.first
      let tables = rows.isEmpty ? [only] : rows.map { description.table($0) }
      for table in tables.compactMap(\.self)
      where table.column(DescribedDocument.Others.column) == nil {
        document.note(
          .invalidValue, at: place, "needs a column in \(table.name)",
          advice: "add \"\(DescribedDocument.Others.column)\": \"json?\" to its columns")
      }
    }
  }

  private mutating func csv() -> DescribedDocument.CSV {
    var csv = DescribedDocument.CSV()
    guard var object = document.object() else { return csv }
    while let key = document.next(in: &object, Self.formatKeys) {
      let start = document.nextOffset
      switch key {
      case .separator:
        csv.separator = string()
        if let separator = csv.separator { requireCharacter(separator, at: start) }
      case .quote:
        csv.quote = string() ?? csv.quote
        requireCharacter(csv.quote, at: start)
      case .encoding: csv.encoding = string()
      case .decimal:
        csv.decimal = document.word(among: [".", ","], "does not begin a fraction") ?? "."
      case .empty: csv.empty = choice("is not what an empty text is") ?? .text
      }
    }
    if csv.separator == csv.quote {
      document.note(
        .invalidValue, at: object.offset, showsValue: false,
        "separator and quote are the same character", advice: "write two characters")
    }
    return csv
  }

  private mutating func requireCharacter(_ text: String, at place: Int) {
    guard text.utf8.count == 1, text != "\n", text != "\r", text != "\0" else {
      return document.note(
        .invalidValue, at: place, "is not one character of ASCII",
        advice: "write \",\", \";\", \"\\t\" or \"|\"")
    }
  }

  private mutating func refusals(_ described: inout DescribedDocument) {
    guard var object = document.object() else { return }
    while let key = document.next(in: &object, Self.refusalKeys) {
      let start = document.nextOffset
      switch key {
      case .removed:
        guard let text = string() else { continue }
        if text == "any" {
          described.removed = .any
        } else if text.hasSuffix("%"), let percent = Int(text.dropLast()), 0...100 ~= percent {
          described.removed = .percent(percent)
        } else {
          document.note(
            .invalidValue, at: start, "is not a share of a table",
            advice: "write a whole number with %, such as \"20%\", or \"any\"")
        }
      case .rowsOfOtherLength:
        if document.flag() == false {
          document.note(
            .invalidValue, at: start, "takes rows that nobody can read",
            advice: "write \"rowsOfOtherLength\": \"set aside\" beside \"refuse\"")
        }
      }
    }
  }

  /// Notes a text that should be a path in a document of JSON.
  ///
  /// - Parameter isOfColumn: whether it leads to one value.
  private mutating func requirePath(
    _ text: String, of name: String, at place: Int, isOfColumn: Bool = false
  ) {
    guard checksPaths else { return }
    later { document, description in
      guard let format = description.document(name)?.format, [.json, .jsonLines].contains(format)
      else { return }
      guard let path = RowsPath(text) else {
        return document.note(.invalidValue, at: place, "is not a path", advice: RowsPath.advice)
      }
      let isOne = path.steps.allSatisfy { if case .member = $0 { true } else { false } }
      if isOfColumn, !isOne {
        document.note(
          .invalidValue, at: place, "leads to many values, and a column has one",
          advice: "give them a table of their own")
      }
    }
  }

  /// Notes the columns that a path takes from the objects of arrays, and that the table lacks.
  ///
  /// The name of a member, `{x}`, need not be a column: a path cannot pass over members without naming them.
  private mutating func requireColumns(of text: String, in table: String, at place: Int) {
    guard checksPaths, let path = RowsPath(text) else { return }
    later { document, description in
      guard let table = description.table(table) else { return }
      for step in path.steps {
        let names: [(column: String, written: String)] =
          switch step {
          case .elementsByMembers(let members):
            members.map { ($0.column, $0.member.joined(separator: ".")) }
          case .elementsByPlace(let column): [(column, "")]
          case .member, .members, .elements: []
          }
        for (name, member) in names where table.column(name) == nil {
          document.note(
            .invalidValue, at: place, "takes \(name), which is not a column of \(table.name)",
            advice: NearMiss.find(name, among: table.columns.map(\.name)).map {
              "did you mean \"\($0)\"?"
            }
              ?? (member.isEmpty
                ? "write [#COLUMN], or [] if no column has the place"
                : "write [COLUMN=\(member)] with the column that has the value, or [] if none has it")
          )
        }
      }
    }
  }

  private mutating func rows(
    _ table: String, _ place: Int, of name: String
  ) -> DescribedDocument.Rows? {
    later { document, description in
      _ = Self.require(table: table, in: description, at: place, &document)
    }
    guard var object = document.object() else { return nil }
    var rows = DescribedDocument.Rows(table)
    while let key = document.next(in: &object, Self.rowsKeys) {
      let start = document.nextOffset
      switch key {
      case .at:
        rows.at = string()
        if let path = rows.at {
          requirePath(path, of: name, at: start)
          requireColumns(of: path, in: table, at: start)
        }
      case .columns:
        rows.columns = members { parser, column, place in
          parser.source(of: column, in: table, place, of: name)
        }
      }
    }
    return rows
  }

  private mutating func source(
    of column: String, in table: String, _ place: Int, of name: String
  ) -> DescribedDocument.Source? {
    later { document, description in
      guard let table = description.table(table) else { return }
      _ = Self.require(column, in: table, at: place, &document)
    }
    guard document.nextIsObject else {
      let start = document.nextOffset
      guard let from = string() else { return nil }
      requirePath(from, of: name, at: start, isOfColumn: true)
      return DescribedDocument.Source(column, from: from)
    }
    guard var object = document.object() else { return nil }
    var from: String?
    var missing: (json: JSONValue, place: Int)?
    while let key = document.next(in: &object, Self.sourceKeys) {
      let start = document.nextOffset
      switch key {
      case .from:
        from = string()
        if let from { requirePath(from, of: name, at: start, isOfColumn: true) }
      case .missing: missing = tree().map { ($0, start) }
      }
    }
    guard let from else { return nil }
    var source = DescribedDocument.Source(column, from: from)
    if let missing {
      source.missing = Self.literal(missing.json)
      later { document, description in
        guard let column = description.table(table)?.column(column) else { return }
        Self.require(missing.json, fits: column, at: missing.place, &document)
      }
    }
    return source
  }

  /// The value of a literal whose column is not known yet: that of a column of the type `any`, and a JSON text otherwise.
  private static func literal(_ json: JSONValue) -> Value {
    if json == .null { return .null }
    return (try? DescribedType.any.value(of: json)) ?? .text(json.sorted.description)
  }

  /// Notes a literal that a column cannot have.
  static func require(
    _ json: JSONValue, fits column: DescribedColumn, at place: Int,
    _ document: inout DocumentReader
  ) {
    if json == .null {
      guard !column.isOptional else { return }
      return document.note(
        .invalidValue, at: place, "does not fit \(column.name), which is never NULL",
        advice: "write \(column.type.noun), or the type with ?")
    }
    do throws(ValueProblem) {
      _ = try column.type.value(of: json)
    } catch {
      document.note(
        .invalidValue, at: place, "does not fit \(column.name): it \(error.message)",
        advice: error.advice)
    }
  }
}
