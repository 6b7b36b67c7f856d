package import CatalogStore
import Projections

extension PastDatabase {
  /// Reads all rows of the state into memory.
  ///
  /// - Throws: `StoreError` with `drifted` if rows are not those that the projector made.
  package func rows(of kind: any CatalogKind) throws -> ProvedRows {
    let kept = try receipt(of: kind)
    let changed = try countedReceipt(of: kind).tables(differingFrom: kept)
    guard changed.isEmpty else { throw StoreError.drifted(tables: changed) }
    let rows = MemoryRowStore(schema: kind.schema)
    try readTables { database in
      let store = SQLiteRowStore(database, schema: kind.schema)
      for table in kind.schema.tables {
        for row in try store.rows(in: table) { try rows.put(row, in: table) }
      }
    }
    return .replayed(rows)
  }
}
