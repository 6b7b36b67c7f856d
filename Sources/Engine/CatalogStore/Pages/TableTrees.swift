import GRDB
import Projections
import Support

/// Where a table and its indexes stand in a database file, and what their entries are made of, as
/// SQLite itself says.
struct TableTrees {
  /// An entry of an index: values of these columns, where nil is the row id.
  struct Index {
    let name: String
    let root: UInt32
    let columns: [Int?]
    /// How many of the columns are indexed; the others say which row it is.
    let indexedCount: Int
    let isUnique: Bool
    /// The rows that have an entry; nil if all have.
    let condition: IndexCondition?

    /// The columns that order its entries; rows with the same values follow in the order of their row ids.
    var indexed: [Int] {
      columns.prefix(indexedCount).prefix { $0 != nil }.compactMap { $0 }
    }
  }

  let root: UInt32
  let hasRowIDs: Bool
  let indexes: [Index]
  /// Indexes in an order that `PackedRows` does not know: SQLite makes these from the rows.
  let otherIndexes: [String]

  init(_ table: TableDescription, in database: Database) throws {
    root = try Self.root(of: table.name, in: database)
    hasRowIDs = try Self.hasRowIDs(table.name, in: database)
    var indexes: [Index] = []
    var others: [String] = []
    let found = try database.rows(
      of: Self.origin,
      """
      SELECT list.name, list."unique", list.partial, list.origin, schema.rootpage
      FROM pragma_index_list(?) AS list JOIN sqlite_schema AS schema USING (name)
      ORDER BY schema.rootpage
      """, [table.name]
    ) { row in
      (
        name: try row.text(0), isUnique: try row.flag(1), isPartial: try row.flag(2),
        isKey: try row.text(3) == "pk", root: try Self.page(row, 4)
      )
    }
    // `INT PRIMARY KEY` in a declaration that was given word for word has an index, and is no row id.
    guard
      hasRowIDs == (table.storage == .rowIDs),
      (table.rowIDColumn != nil || table.rowNumber != nil)
        == (hasRowIDs && !found.contains { $0.isKey })
    else {
      throw StoreError(
        .invalidRequest, "the description of \(table.name) and its SQL differ in the row id")
    }
    for index in found {
      let parts = try database.rows(
        of: Self.origin,
        "SELECT cid, \"desc\", coll, key FROM pragma_index_xinfo(?) ORDER BY seqno", [index.name]
      ) { row in
        (
          column: Int(try row.integer(0)), isDescending: try row.flag(1),
          collation: try row.text(2), isIndexed: try row.flag(3)
        )
      }
      let isKnown = parts.allSatisfy { part in
        let isRowID = table.isRowID(part.column)
        return (part.column >= 0 || isRowID) && !part.isDescending && part.collation == "BINARY"
          && (isRowID || table.columns[part.column].type != .real)
      }
      let condition = table.indexes.first { $0.name == index.name }?.condition
      guard isKnown, index.isPartial == (condition != nil) else {
        others.append(index.name)
        continue
      }
      indexes.append(
        Index(
          name: index.name, root: index.root,
          columns: parts.map { table.isRowID($0.column) ? nil : $0.column },
          indexedCount: parts.count { $0.isIndexed }, isUnique: index.isUnique,
          condition: condition))
    }
    self.indexes = indexes
    otherIndexes = others
  }

  static func root(of name: String, in database: Database) throws -> UInt32 {
    let root = try database.firstRow(
      of: origin, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]
    ) { try page($0, 0) }
    guard let root else { throw StoreError(.database, "the new database has no table \(name)") }
    return root
  }

  static func hasRowIDs(_ name: String, in database: Database) throws -> Bool {
    try database.firstRow(
      of: origin, "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [name]
    ) { try !$0.flag(0) } ?? false
  }

  private static let origin = StoredRow.Origin("sqlite_schema")

  private static func page(_ row: StoredRow, _ place: Int) throws -> UInt32 {
    guard let page = UInt32(exactly: try row.integer(place)) else {
      throw row.drift(place, "the number of a page")
    }
    return page
  }
}

extension TableDescription {
  /// Whether a column by its number in SQLite, -1 for the row id, is the row id or `rowNumber`.
  fileprivate func isRowID(_ column: Int) -> Bool {
    column == -1 || rowNumber != nil && column == columns.count
  }
}
