import GRDB
import Projections

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

    var indexed: [Int] { columns.prefix(indexedCount).compactMap { $0 } }
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
    for row in try Row.fetchAll(
      database,
      sql: """
        SELECT list.name, list."unique", list.partial, schema.rootpage
        FROM pragma_index_list(?) AS list JOIN sqlite_schema AS schema USING (name)
        ORDER BY schema.rootpage
        """, arguments: [table.name])
    {
      let name: String = row[0]
      let parts = try Row.fetchAll(
        database, sql: "SELECT cid, \"desc\", coll, key FROM pragma_index_xinfo(?) ORDER BY seqno",
        arguments: [name])
      let isKnown = parts.allSatisfy { part in
        let column: Int = part[0]
        return column >= -1 && part[1] == 0 && part[2] == "BINARY"
          && (column < 0 || table.columns[column].type != .real)
      }
      guard isKnown, row[2] == 0 else {
        others.append(name)
        continue
      }
      indexes.append(
        Index(
          name: name, root: row[3],
          columns: parts.map { part in
            let column: Int = part[0]
            return column < 0 ? nil : column
          }, indexedCount: parts.count { $0[3] == 1 }, isUnique: row[1] == 1))
    }
    self.indexes = indexes
    otherIndexes = others
  }

  static func root(of name: String, in database: Database) throws -> UInt32 {
    guard
      let root = try UInt32.fetchOne(
        database, sql: "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?",
        arguments: [name])
    else { throw StoreError(.database, "the new database has no table \(name)") }
    return root
  }

  static func hasRowIDs(_ name: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [name]) == 0
  }
}
