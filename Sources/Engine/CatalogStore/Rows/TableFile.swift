import CatalogModel
import GRDB
import Projections
import Support

/// A new database file whose tables are written as pages.
///
/// SQLite makes the tables and indexes, empty; then every table and every index is written once, in order, page after
/// page (`TablePages`). No journal, because a file that is not finished is thrown away.
struct TableFile {
  let path: String
  let tables: [TableDescription]
  let searchIndexes: [FullTextIndexDescription]
  let limits: RowLimits

  /// The places of all tables in the new file.
  struct Layout {
    fileprivate var trees: [TableTrees]
    fileprivate var searchRoots: [String: UInt32]
  }

  /// Makes the file with empty tables.
  ///
  /// - Parameter create: makes the tables and indexes.
  func make(_ create: (DatabaseQueue) throws -> Void) throws -> Layout {
    let queue = try open()
    try create(queue)
    let layout = try queue.read { database in
      var roots: [String: UInt32] = [:]
      for name in SearchIndexPages.tables(of: searchIndexes) {
        roots[name] = try TableTrees.root(of: name, in: database)
      }
      return Layout(
        trees: try tables.map { try TableTrees($0, in: database) }, searchRoots: roots)
    }
    try queue.close()
    return layout
  }

  /// Fills the tables.
  ///
  /// - Parameters:
  ///   - progress: called with rows written so far, about every 10,000.
  ///   - rows: gives the rows of each table, once; called on other threads, never on two at a time.
  /// - Returns: the running digests of the rows.
  func write(
    _ layout: Layout, progress: (Int) throws -> Void,
    rows: @escaping (TableDescription) -> PackedRows
  ) throws -> RunningDigests.Sums {
    let preparation = try RowPreparation(tables, searchIndexes, layout.trees, rows: rows)
    // Whatever fails, the other threads have ended before this returns.
    defer { preparation.close() }
    let searchPages = try BackgroundWork { try preparation.searchPages() }
    defer { searchPages.wait() }
    let file = try PageFile(path)
    var written = 0
    var sums: RunningDigests.Sums = []
    for (table, trees) in zip(tables, layout.trees) {
      guard let prepared = preparation.next() else {
        throw StoreError(
          .database, "the rows of \(table.name) were not prepared: the file is incomplete")
      }
      let tableSums = try TablePages(table, trees, in: file, limits: limits)
        .write(prepared.rows, orders: prepared.orders) {
          written += 1
          if written % 10_000 == 0 { try progress(written) }
        }
      sums.append((table, tableSums))
    }
    try searchPages.value().write(to: file, roots: layout.searchRoots)
    try file.finish()
    return sums
  }

  /// Opens the file whose pages are written, and lets SQLite make the indexes in orders that no page writer knows.
  func open(_ layout: Layout) throws -> DatabaseQueue {
    let queue = try open()
    try queue.write { database in
      for name in layout.trees.flatMap(\.otherIndexes) {
        try database.execute(sql: "REINDEX \(SQLName.quoted(name))")
      }
    }
    return queue
  }

  private func open() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "bulk write"
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;
          """)
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}
