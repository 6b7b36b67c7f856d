import GRDB
package import Projections

/// Writes a whole projection from memory into a new database file.
///
/// Every table once, in key order, so that pages fill from left to right; indexes last; no journal,
/// because a file that is not finished is thrown away. The same rows make the same bytes.
package struct BulkWriter {
  private let migrations: ProjectionMigrations

  package init(_ migrations: ProjectionMigrations) {
    self.migrations = migrations
  }

  /// Fills a new file and syncs it. The store is drained on the way.
  ///
  /// - Parameter progress: called with rows written so far, about every 10,000.
  package func write(
    _ store: MemoryRowStore, checkpoint: Checkpoint, to path: String,
    progress: (Int) throws -> Void = { _ in }
  ) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "bulk write"
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;
          """)
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try migrations.migrator(makesIndexes: false).migrate(queue)
    try queue.write { database in
      var written = 0
      for table in migrations.schema.tables {
        let statement = try SQLiteStatement(database, table.insert)
        try store.drain(table) { cells in
          for (index, cell) in cells.enumerated() { statement.bind(cell, at: index + 1) }
          try statement.run()
          written += 1
          if written % 10_000 == 0 { try progress(written) }
        }
      }
      try migrations.makeIndexes(database)
      try checkpoint.write(database)
    }
    try queue.close()
    try FileSync.sync(path)
  }
}
