import CatalogModel
import Projections

extension DescriptionParser {
  private enum TableKey: String, CaseIterable {
    case was, key, columns, indexes, search
  }
  private static let tableKeys = JSONKeyTable<TableKey>(required: [.key, .columns])

  /// SQLite has at most 2,000 columns a table by itself, and 64 attached tables a join.
  static let columnLimit = 1_000
  /// Bytes of the name of a table or of a column.
  static let nameLimit = 100

  mutating func table(_ name: String, _ place: Int) -> DescribedTable? {
    requireName(name, at: place, of: "table")
    later { document, description in
      let same = description.tables.filter { $0.name.lowercased() == name.lowercased() }
      if same.count > 1, same.last?.name == name {
        document.note(
          .duplicateValue, at: place, "differs from another table only in capital letters",
          advice: "give it another name: SQL takes them for one")
      }
    }
    var was: String?
    var key: DescribedTable.Key?
    var columns: [DescribedColumn] = []
    var indexes: [[String]] = []
    var search: [String] = []
    guard var object = document.object() else { return nil }
    while let member = document.next(in: &object, Self.tableKeys) {
      switch member {
      case .was: was = string()
      case .key: key = self.key(of: name)
      case .columns:
        let start = document.nextOffset
        columns = members { parser, column, place in parser.column(column, of: name, place) }
        check(columns, at: start)
      case .indexes: indexes = self.indexes(of: name)
      case .search: search = self.search(of: name)
      }
    }
    guard let key else { return nil }
    return DescribedTable(
      name, was: was, key: key, columns: columns, indexes: indexes, search: search)
  }

  private mutating func check(_ columns: [DescribedColumn], at start: Int) {
    guard document.isFaultless else { return }
    if !columns.contains(where: \.isKept) {
      document.note(
        .invalidValue, at: start, showsValue: false, "the table has no column",
        advice: "a table has at least one column that is kept")
    }
    if columns.count > Self.columnLimit {
      document.note(
        .invalidValue, at: start, showsValue: false, "the table has \(columns.count) columns",
        advice: "the limit is \(Self.columnLimit)")
    }
    var known: [String: String] = [:]
    for column in columns {
      guard let other = known.updateValue(column.name, forKey: column.name.lowercased()) else {
        continue
      }
      document.note(
        .duplicateValue, at: start, showsValue: false,
        "the columns \"\(other)\" and \"\(column.name)\" differ only in capital letters",
        advice: "rename one of them: SQL takes them for one")
    }
  }

  /// Whether each catalog's database has a table of its own with this name, or may have.
  static func isOwnTable(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("projection_") || name == "grdb_migrations"
  }

  /// Notes a name that no table, or no column, can have.
  private mutating func requireName(_ name: String, at place: Int, of what: String) {
    let isOwn =
      what == "table"
      ? Self.isOwnTable(name)
      : name.hasPrefix("_") && name != DescribedDocument.Others.column
    let isFit =
      SQLName.isFree(name) && name.utf8.count <= Self.nameLimit && !SQLName.isRowID(name)
    guard !isFit || isOwn else { return }
    let advice =
      if isOwn {
        what == "table"
          ? "it is the name of a table of the program, as all that begin with \"projection_\"; write another name"
          : "columns of the program begin with \"_\"; write another name"
      } else {
        "write letters from A to Z, digits and _, at most \(Self.nameLimit), "
          + "beginning with a letter; not sqlite_…, rowid or oid"
      }
    document.note(.invalidValue, at: place, "is not a name for a \(what)", advice: advice)
  }

  private mutating func key(of table: String) -> DescribedTable.Key? {
    let names = names()
    if names.count == 1, names[0].name == "whole row" {
      later { document, description in
        guard let table = description.table(table) else { return }
        if description.tables.contains(where: { other in
          other.columns.contains { $0.reference?.table == table.name }
        }) {
          document.note(
            .invalidValue, at: names[0].place, "cannot be the key of a table that others refer to",
            advice: "name the columns of its key")
        }
      }
      return .wholeRow
    }
    later { document, description in
      guard let table = description.table(table) else { return }
      for (name, place) in names {
        guard
          let column = Self.require(
            name, in: table, at: place, &document, or: ["whole row"])
        else { continue }
        if !column.type.canBeKey || column.isOptional || !column.isKept {
          document.note(
            .invalidValue, at: place, "cannot be in a key",
            advice: column.isOptional
              ? "a column of a key is not optional: write its type without ?"
              : column.isKept
                ? "a key has texts, whole numbers, flags, times and ids"
                : "the column is not kept")
        }
      }
    }
    if names.isEmpty, document.isFaultless {
      document.note(
        .invalidValue, at: document.keyOffset, "names no column",
        advice: "name the columns of the key, or write \"whole row\"")
    }
    if Set(names.map(\.name)).count < names.count, let last = names.last {
      document.note(
        .duplicateValue, at: last.place, "is not the only column of its name in the key",
        advice: "name each column once")
    }
    return .columns(names.map(\.name))
  }

  /// The kept column of a name, which is noted if there is none.
  static func require(
    _ name: String, in table: DescribedTable, at place: Int, _ document: inout DocumentReader,
    or others: [String] = []
  ) -> DescribedColumn? {
    if let column = table.column(name) { return column }
    document.note(
      .invalidValue, at: place, "is not a column of \(table.name)",
      advice: NearMiss.advice(for: name, among: table.columns.map(\.name) + others))
    return nil
  }

  /// The table of a name, which is noted if there is none.
  static func require(
    table name: String, in description: KindDescription, at place: Int,
    _ document: inout DocumentReader
  ) -> DescribedTable? {
    if let table = description.table(name) { return table }
    document.note(
      .invalidValue, at: place, "is not a table",
      advice: NearMiss.advice(for: name, among: description.tables.map(\.name)))
    return nil
  }

  private mutating func indexes(of table: String) -> [[String]] {
    var indexes: [[String]] = []
    guard var elements = document.elements() else { return indexes }
    while document.hasNext(in: &elements) {
      let start = document.nextOffset
      let names = names()
      guard !names.isEmpty else {
        if document.isFaultless {
          document.note(
            .invalidValue, at: start, "names no column", advice: "name the columns of the index")
        }
        continue
      }
      later { document, description in
        guard let table = description.table(table) else { return }
        for (name, place) in names {
          guard let column = Self.require(name, in: table, at: place, &document) else { continue }
          if !column.isKept || column.type == .any || column.type == .blob {
            document.note(
              .invalidValue, at: place, "cannot be in an index",
              advice: column.isKept
                ? "an index has columns of one type that is not blob" : "the column is not kept")
          }
        }
      }
      let columns = names.map(\.name)
      if Set(columns).count < columns.count || indexes.contains(columns) {
        document.note(
          .duplicateValue, at: start, "is there twice", advice: "name each column, each index once")
      }
      indexes.append(columns)
    }
    return indexes
  }

  private mutating func search(of table: String) -> [String] {
    let names = names()
    later { document, description in
      guard let table = description.table(table) else { return }
      var known: Set<String> = []
      for (name, place) in names {
        guard let column = Self.require(name, in: table, at: place, &document) else { continue }
        if !known.insert(name).inserted {
          document.note(.duplicateValue, at: place, "is there twice", advice: "name it once")
        }
        if column.type != .text || !column.isKept {
          document.note(
            .invalidValue, at: place, "has no words to search for",
            advice: column.isKept ? "name columns of the type text" : "the column is not kept")
        }
      }
    }
    return names.map(\.name)
  }

  // MARK: Columns

  private enum ColumnKey: String, CaseIterable {
    case type, was, `default`, unique, name, refers, gone, ignore, time
  }
  private static let columnKeys = JSONKeyTable<ColumnKey>(required: [.type])

  private mutating func column(
    _ name: String, of table: String, _ place: Int
  ) -> DescribedColumn? {
    requireName(name, at: place, of: "column")
    let start = document.nextOffset
    guard document.nextIsObject else {
      guard let (type, isOptional) = type() else { return nil }
      requireOthers(name, type, isOptional, at: start)
      return DescribedColumn(name, type, optional: isOptional)
    }
    guard var object = document.object() else { return nil }
    var type: (type: DescribedType, isOptional: Bool)?
    var column = DescribedColumn(name, .text)
    var standard: Int?
    var gone: (action: DescribedColumn.ReferenceAction, place: Int)?
    var reference: (table: String, place: Int)?
    var time: (unit: DescribedColumn.UnixTime, place: Int)?
    while let key = document.next(in: &object, Self.columnKeys) {
      let start = document.nextOffset
      switch key {
      case .type: type = self.type()
      case .was: column.was = string()
      case .default:
        // The type may come after it.
        standard = start
        document.skip()
      case .unique: column.isUnique = document.flag() ?? false
      case .name: column.isName = document.flag() ?? false
      case .refers: reference = string().map { ($0, start) }
      case .gone: gone = choice("is not what a row can do").map { ($0, start) }
      case .ignore: column.attention = attention()
      case .time: time = choice("is not a unit of time").map { ($0, start) }
      }
    }
    guard let type else { return nil }
    column.type = type.type
    column.isOptional = type.isOptional
    requireOthers(name, type.type, type.isOptional, at: start)
    if let standard {
      column.standard = reading(at: standard) {
        $0.literal(of: type.type, optional: type.isOptional)
      }
    }
    if let time {
      if type.type != .integer {
        document.note(
          .invalidValue, at: time.place, "is a unit of whole numbers",
          advice: "a column of the type time needs none")
      }
      column.unixTime = time.unit
    }
    if let reference {
      column.reference = DescribedColumn.Reference(
        reference.table, gone: gone?.action ?? .refuse)
      later { document, description in
        Self.check(column, refersTo: reference.table, at: reference.place, description, &document)
      }
    } else if let gone {
      document.note(
        .invalidValue, at: gone.place, "is said of a column that refers to no table",
        advice: "add \"refers\", or leave it out")
    }
    return column
  }

  /// Notes a column for members that the description does not name, if it cannot hold them.
  private mutating func requireOthers(
    _ name: String, _ type: DescribedType, _ isOptional: Bool, at place: Int
  ) {
    guard name == DescribedDocument.Others.column, type != .json || !isOptional else { return }
    document.note(
      .invalidValue, at: place, "cannot be the type of \(name)",
      advice: "write \"json?\": it keeps what a document has and the description does not name")
  }

  private static func check(
    _ column: DescribedColumn, refersTo name: String, at place: Int,
    _ description: KindDescription, _ document: inout DocumentReader
  ) {
    guard let parent = require(table: name, in: description, at: place, &document) else { return }
    guard case .columns(let key) = parent.key, key.count == 1,
      let target = parent.column(key[0])
    else {
      document.note(
        .invalidValue, at: place, "is not a table with a key of one column",
        advice: "a column refers to a row by the one column of its key")
      return
    }
    if target.type != column.type {
      document.note(
        .invalidValue, at: place, "has a key of another type",
        advice: "\(parent.name).\(target.name) is \(target.type.noun); make both the same")
    }
  }

  private mutating func attention() -> DescribedColumn.Attention {
    let start = document.nextOffset
    switch tree() {
    case .bool(true): return .none
    case .bool(false), nil: return .full
    case .string("alone"): return .alone
    default:
      document.note(
        .invalidValue, at: start, "is not a way to ignore a column",
        advice: "write true (it is not kept) or \"alone\" (no change of it alone counts)")
      return .full
    }
  }

  /// Reads the name of a type, with `?` for one that allows NULL.
  mutating func type() -> (type: DescribedType, isOptional: Bool)? {
    let start = document.nextOffset
    guard let text = string() else { return nil }
    let isOptional = text.hasSuffix("?")
    let name = isOptional ? String(text.dropLast()) : text
    if let type = DescribedType(rawValue: name) { return (type, isOptional) }
    let known = DescribedType.allCases.map(\.rawValue)
    let other = DescribedType.otherNames[name.lowercased()]?.rawValue
    document.note(
      .invalidValue, at: start, "is not a type",
      advice: other.map { "did you mean \"\($0)\"?" } ?? NearMiss.advice(for: name, among: known))
    return nil
  }

  /// Reads a value that was skipped before.
  mutating func reading<Value>(
    at offset: Int, _ read: (inout DescriptionParser) -> Value
  ) -> Value {
    let end = document.json.position
    document.json.position = offset
    defer { document.json.position = end }
    return read(&self)
  }
}
