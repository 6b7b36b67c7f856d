import CatalogModel
import Projections
import Support

/// Sorts the rows of each table on a thread of its own, one table ahead of the thread that writes them.
///
/// `@unchecked Sendable`: `rows` belongs to that thread from here on, and what full-text indexes need was taken out of it
/// before.
final class RowPreparation: @unchecked Sendable {
  struct Table: Sendable {
    let rows: PackedRows
    /// The rows' numbers as each index has them.
    let orders: [[UInt32]]
  }

  private let queue = BoundedQueue<Table>(capacity: 1)
  private let rows: (TableDescription) -> PackedRows
  private let indexes: [FullTextIndexDescription]
  /// The rows of tables that have full-text indexes, by the table's ordinal.
  private let searched: [Int: PackedRows]
  private var work: BackgroundWork<Void>?

  /// - Parameter rows: called once for each table, in their order but for those that full-text indexes need.
  init(
    _ tables: [TableDescription], _ indexes: [FullTextIndexDescription], _ trees: [TableTrees],
    rows: @escaping (TableDescription) -> PackedRows
  ) throws {
    self.rows = rows
    self.indexes = indexes
    var searched: [Int: PackedRows] = [:]
    for table in indexes.map(\.table) where searched[table.ordinal] == nil {
      searched[table.ordinal] = rows(table)
    }
    self.searched = searched
    work = try BackgroundWork { [unowned self] in
      for (table, trees) in zip(tables, trees) {
        let rows = self.searched[table.ordinal] ?? self.rows(table)
        let orders = trees.indexes.map { rows.order(by: $0.indexed, where: $0.condition) }
        guard queue.put(Table(rows: rows, orders: orders)) else { return }
      }
    }
  }

  /// The next table of the schema; nil after `close`.
  func next() -> Table? {
    queue.take()
  }

  /// Ends the thread and waits for its end.
  func close() {
    queue.cancel()
    work?.wait()
  }

  /// Fills the full-text indexes; for another thread.
  func searchPages() throws -> SearchIndexPages {
    try SearchIndexPages(
      indexes.compactMap { index in searched[index.table.ordinal].map { (index, $0) } })
  }
}
