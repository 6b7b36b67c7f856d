import CatalogModel
import GRDB
package import Projections
import Recoveries
import Threads

/// Writes a whole projection from memory into a new database file.
///
/// SQLite makes the tables and indexes, empty; then every table and every index is written once, in
/// order, page after page (`TablePages`), without the search from the root and the statement a row that
/// SQLite needs. Another thread sorts the rows of the next table meanwhile, and a third fills full-text
/// indexes. No journal, because a file that is not finished is thrown away. The same rows make the same
/// bytes.
package struct BulkWriter {
  private let migrations: ProjectionMigrations

  package init(_ migrations: ProjectionMigrations) {
    self.migrations = migrations
  }

  /// Fills a new file and syncs it. The store is drained on the way.
  ///
  /// - Parameters:
  ///   - conflicts: the events that changed nothing.
  ///   - progress: called with rows written so far, about every 10,000.
  package func write(
    _ store: MemoryRowStore, checkpoint: Checkpoint, conflicts: [ProjectionConflict] = [],
    to path: String,
    progress: (Int) throws -> Void = { _ in }
  ) throws {
    try draft(store, to: path, progress: progress).complete(checkpoint, conflicts: conflicts)
  }

  /// All rows of a projection in a new file, without the checkpoint that says of which events they are. They pass all
  /// that their tables ask for.
  package struct Draft {
    package let path: String
    fileprivate let queue: DatabaseQueue
    fileprivate let sums: RunningDigests.Sums

    /// The first row that refers to a row which does not exist, and that `isKnown` does not accept.
    package func danglingReference(
      of schema: Schema, besides isKnown: (DanglingReference) throws -> Bool
    ) throws -> DanglingReference? {
      try queue.read { database in
        for reference in schema.references {
          var found: DanglingReference?
          try DanglingReference.forEach(of: reference, in: database) {
            if try !isKnown($0) { found = $0 }
            return found == nil
          }
          if let found { return found }
        }
        return nil
      }
    }

    /// Makes a database of it, and syncs the file.
    package func complete(
      _ checkpoint: Checkpoint, conflicts: [ProjectionConflict] = []
    ) throws {
      do {
        try queue.write { database in
          try RunningDigests.write(sums, conflicts, at: checkpoint, database)
          try ConflictTable.add(conflicts, database)
          try checkpoint.write(database)
        }
        try queue.close()
        try FileSync.sync(path)
      } catch let error as DatabaseError {
        throw StoreError(making: path, error)
      }
    }
  }

  /// Fills a new file. The store is drained on the way.
  ///
  /// - Parameter progress: called with rows written so far, about every 10,000.
  package func draft(
    _ store: MemoryRowStore, to path: String, progress: (Int) throws -> Void = { _ in }
  ) throws -> Draft {
    do {
      return try fill(path, store, progress)
    } catch let error as DatabaseError {
      throw StoreError(making: path, error)
    }
  }

  private func fill(
    _ path: String, _ store: MemoryRowStore, _ progress: (Int) throws -> Void
  ) throws -> Draft {
    let layout = try makeTables(path)
    let preparation = try RowPreparation(store, migrations.schema, layout.trees)
    // Whatever fails, the other threads have ended before this returns.
    defer { preparation.close() }
    let searchPages = try BackgroundWork { try preparation.searchPages() }
    defer { searchPages.wait() }
    let sums = try writeTables(preparation, layout, searchPages, to: path, progress)
    return Draft(path: path, queue: try checked(path, layout), sums: sums)
  }

  /// Where everything stands in the new file.
  private struct Layout {
    var trees: [TableTrees]
    var searchRoots: [String: UInt32]
  }

  private func makeTables(_ path: String) throws -> Layout {
    let queue = try open(path)
    try migrations.migrator(makesIndexes: false).migrate(queue)
    let layout = try queue.write { database in
      try migrations.makeIndexes(database)
      var roots: [String: UInt32] = [:]
      for name in SearchIndexPages.tables(of: migrations.schema.fullTextIndexes) {
        roots[name] = try TableTrees.root(of: name, in: database)
      }
      return Layout(
        trees: try migrations.schema.tables.map { try TableTrees($0, in: database) },
        searchRoots: roots)
    }
    try queue.close()
    return layout
  }

  private func writeTables(
    _ preparation: RowPreparation, _ layout: Layout,
    _ searchPages: BackgroundWork<SearchIndexPages>, to path: String,
    _ progress: (Int) throws -> Void
  ) throws -> RunningDigests.Sums {
    let file = try PageFile(path)
    var written = 0
    var sums: RunningDigests.Sums = []
    for (table, trees) in zip(migrations.schema.tables, layout.trees) {
      guard let prepared = preparation.next() else {
        throw StoreError(
          .database, "the rows of \(table.name) were not prepared: the file is incomplete")
      }
      let tableSums = try TablePages(table, trees, in: file, limits: migrations.schema.limits)
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

  /// Opens a file whose pages are written, and lets SQLite do the rest.
  private func checked(_ path: String, _ layout: Layout) throws -> DatabaseQueue {
    let queue = try open(path)
    try queue.write { database in
      for name in layout.trees.flatMap(\.otherIndexes) {
        try database.execute(sql: "REINDEX \(name)")
      }
      try requireChecks(database)
    }
    return queue
  }

  /// Pages are written without a look at the expressions that rows have to pass.
  private func requireChecks(_ database: Database) throws {
    for table in migrations.schema.tables {
      for check in table.checks {
        let failing = try PreparedStatement(
          database,
          "SELECT \(table.columnList) FROM \(table.name) WHERE NOT (\(check)) LIMIT 1")
        guard try failing.step() else { continue }
        throw table.failure(
          of: check, for: try table.columns.indices.map { try failing.value($0, in: table) })
      }
    }
  }

  private func open(_ path: String) throws -> DatabaseQueue {
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
