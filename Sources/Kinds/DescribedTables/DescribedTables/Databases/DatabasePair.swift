package import CatalogEngine
package import CatalogModel
import CatalogStore
import GRDB
package import Projections

/// Two databases of other programs whose rows are compared.
///
/// Both are read as `adopt` reads one: from a copy, and a row is known by its primary key, by a unique index, or by all of its
/// values.
///
///     let pair = try DatabasePair(from: SourceFile("monday.sqlite"), to: SourceFile("tuesday.sqlite"))
///     let difference = try pair.difference(rowLimit: 100)
package struct DatabasePair: Sendable {
  /// The tables of both databases, with the columns that both have; of a table that only one has, all columns.
  package let schema: Schema
  /// Sentences about everything whose values are not compared.
  package let leftOut: [String]
  /// The reasons for which rows of a table are known by all of their values, by the table's name.
  package let keyless: [String: String]
  private let schemaDifferences: [SchemaDifference]
  private let tables: [ComparedTable]
  private let old: SourceFile
  private let new: SourceFile

  /// Reads both schemas, and the values of keys.
  ///
  /// - Parameters:
  ///   - keys: the columns that identify the rows of a table, for tables whose own keys do not.
  ///   - words: name the options of the caller in errors.
  /// - Throws: `DocumentError` if one of them is not a database or cannot be read, or if a key names a table or a
  ///   column that one of them lacks, or several rows share it.
  package init(
    from old: SourceFile, to new: SourceFile, keys: [(table: String, columns: [String])] = [],
    words: DocumentWords = DocumentWords()
  ) throws(DocumentError) {
    (self.old, self.new) = (old, new)
    var matching = DatabaseMatching(
      (old.name, new.name), keys: keys.map { DatabaseMatching.StatedKey($0, $1) }, words)
    try Self.read(old, new, checked: false) { old, new in try matching.match(old, new) }
    if let error = matching.faults.error { throw error }
    tables = matching.tables
    var schema = Schema()
    for table in tables { schema.add(table.description) }
    self.schema = schema
    schemaDifferences = matching.differences
    leftOut = matching.leftOut
    keyless = matching.keyless
  }

  /// The table of the older database that is compared by a description.
  package func origin(of table: TableDescription) -> TableOrigin? {
    tables.first { $0.description === table && $0.presence == .both }.map { compared in
      // An index of columns of which some are not compared counts as one of values that are not known.
      func places(of columns: [String]?) -> [Int]? {
        let places = columns?.compactMap(compared.old.columns.firstIndex)
        return places?.count == columns?.count ? places : nil
      }
      let indexes = compared.old.table.uniqueIndexes
      let known = indexes.filter { places(of: $0.columns) != nil }
      return TableOrigin(
        compared.old.table.name, columns: compared.old.columns,
        missing: compared.old.table.columns.map(\.name).filter {
          !compared.old.columns.contains($0)
        },
        uniques: [compared.old.table.primaryKey].filter { !$0.isEmpty }.compactMap(places)
          + known.compactMap { places(of: $0.columns) },
        foldedUniques: known.filter { !$0.isExact }.compactMap { places(of: $0.columns) },
        otherUniques: indexes.filter { places(of: $0.columns) == nil }.map(\.name),
        isKeyless: compared.old.isWholeRow, hasRowIDs: !compared.old.table.isWithoutRowID,
        database: old.name)
    }
  }

  /// Compares the rows.
  ///
  /// - Parameters:
  ///   - chosen: tables of `schema`; nil compares all.
  ///   - onlyCommon: whether to leave out tables that only one database has, since no statement makes their rows.
  ///   - rowLimit: how many differing rows of a table are kept; all are counted.
  /// - Throws: `DocumentError` if a database cannot be read.
  package func difference(
    in chosen: [TableDescription]? = nil, onlyCommon: Bool = false, rowLimit: Int
  ) throws(DocumentError) -> HistoryDiff {
    func isChosen(_ name: String) -> Bool {
      chosen?.contains { DatabaseSchema.isSame($0.name, name) } ?? true
    }
    let tables = tables.filter {
      isChosen($0.description.name) && (!onlyCommon || $0.presence == .both)
    }
    let differences = schemaDifferences.filter { difference in
      difference.table.map(isChosen) ?? (chosen == nil)
    }
    return try Self.read(old, new, checked: true) { old, new in
      try HistoryDiff(
        tables.map { table in
          let before = table.presence == .new ? new : old
          let after = table.presence == .old ? old : new
          return (
            table.description,
            try PreparedStatement(
              before.database, table.old.rowsInOrder(before, none: table.presence == .new)),
            try PreparedStatement(
              after.database, table.new.rowsInOrder(after, none: table.presence == .old))
          )
        }, schema: differences.map(\.sentence), rowLimit: rowLimit)
    }
  }

  /// The tables of `schema` that a caller names. SQL takes `T` and `t` for the same.
  package func spelled(_ names: [String]) -> [String] {
    names.map { name in
      schema.tables.first { DatabaseSchema.isSame($0.name, name) }?.name ?? name
    }
  }

  /// Opens the copies of both, with their schemas.
  ///
  /// - Parameter checked: whether their pages were already searched for damage, which reads all of them.
  private static func read<Result>(
    _ old: SourceFile, _ new: SourceFile, checked: Bool,
    _ body: (OpenedDatabase, OpenedDatabase) throws -> Result
  ) throws(DocumentError) -> Result {
    let copies = (try copy(of: old), try copy(of: new))
    return try copies.0.read { oldDatabase in
      try copies.1.read { newDatabase in
        try body(
          OpenedDatabase(oldDatabase, old.name, checked ? nil : copies.0),
          OpenedDatabase(newDatabase, new.name, checked ? nil : copies.1))
      }
    }
  }

  private static func copy(of source: SourceFile) throws(DocumentError) -> DatabaseCopy {
    guard let copy = source.database else { throw source.notADatabase }
    return copy
  }
}

/// A database that is open, with its schema.
struct OpenedDatabase {
  let database: Database
  let name: String
  let schema: DatabaseSchema
  /// The collation by which texts have the order of their bytes in UTF-8.
  let byteOrder: String

  /// - Parameter copy: is searched for damage; nil if it was already.
  init(_ database: Database, _ name: String, _ copy: DatabaseCopy?) throws {
    (self.database, self.name) = (database, name)
    schema = try DatabaseSchema(database)
    try copy?.requireUsable(schema, database)
    byteOrder = try Self.byteOrder(of: database)
  }

  /// SQLite's own order is that of the bytes as they are stored, in UTF-16 too.
  private static func byteOrder(of database: Database) throws -> String {
    let encoding = try PreparedStatement(database, "PRAGMA main.encoding")
    guard try encoding.step(), case .text("UTF-8") = StoredValue(encoding.cell(0)) else {
      database.add(collation: DatabaseSchema.byteCollation("utf8_bytes"))
      return "utf8_bytes"
    }
    return "BINARY"
  }
}

/// A table of two databases.
struct ComparedTable: Sendable {
  let description: TableDescription
  /// The table in the older database, or in the only one that has it.
  let old: Side
  let new: Side
  let presence: Presence

  /// The databases that have a table.
  enum Presence { case both, old, new }

  /// The table in one of the databases.
  struct Side: Sendable {
    let table: DatabaseSchema.Table
    /// The names of the compared columns.
    let columns: [String]
    /// Those that tell rows apart.
    let key: [String]
    /// Whether the key is all columns, and rows can be equal.
    let isWholeRow: Bool

    /// The statement that reads the compared columns in the order of the key's bytes.
    ///
    /// - Parameter none: whether it finds no row, in the place of a database that lacks the table.
    func rowsInOrder(_ opened: OpenedDatabase, none: Bool = false) -> String {
      let terms = key.enumerated().flatMap { place, name -> [String] in
        let name = DatabaseSchema.quoted(name)
        let value = "\(name) COLLATE \(opened.byteOrder)"
        // 1 and 1.0 are equal to SQLite, but not to a comparison. Of two keys that differ in no more than that in their last
        // column, a table has one.
        let isExact = isWholeRow || place < key.count - 1
        return isExact ? [value, "typeof(\(name))"] : [value]
      }
      return
        "\(table.selection(columns))\(none ? " WHERE 0" : "") ORDER BY \(terms.joined(separator: ", "))"
    }
  }
}
