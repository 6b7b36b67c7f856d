import CatalogModel
package import GRDB
package import Projections
import Support

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

    /// Reads the rows by SQL.
    package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
      try queue.read(body)
    }

    /// Makes a database of it, and syncs the file.
    package func complete(
      _ checkpoint: Checkpoint, conflicts: [ProjectionConflict] = []
    ) throws {
      try StoreError.translating(.making(path)) {
        try queue.write { database in
          try RunningDigests.write(sums, conflicts, at: checkpoint, database)
          try ConflictTable.add(conflicts, database)
          try checkpoint.write(database)
        }
        try queue.close()
        try FileSync.sync(path)
      }
    }
  }

  /// Fills a new file. The store is drained on the way.
  ///
  /// - Parameter progress: called with rows written so far, about every 10,000.
  package func draft(
    _ store: MemoryRowStore, to path: String, progress: (Int) throws -> Void = { _ in }
  ) throws -> Draft {
    try StoreError.translating(.making(path)) {
      try fill(path, store, progress)
    }
  }

  private func fill(
    _ path: String, _ store: MemoryRowStore, _ progress: (Int) throws -> Void
  ) throws -> Draft {
    let schema = migrations.schema
    let tables = TableFile(
      path: path, tables: schema.tables, searchIndexes: schema.fullTextIndexes,
      limits: schema.limits)
    let layout = try tables.make { queue in
      try migrations.migrator(makesIndexes: false).migrate(queue)
      try queue.write { try migrations.makeIndexes($0) }
    }
    let sums = try tables.write(layout, progress: progress) { store.drain($0) }
    let queue = try tables.open(layout)
    try queue.write { try requireChecks($0) }
    return Draft(path: path, queue: queue, sums: sums)
  }

  /// Pages are written without a look at the expressions that rows have to pass.
  private func requireChecks(_ database: Database) throws {
    for table in migrations.schema.tables {
      for check in table.checks {
        let failing = try PreparedStatement(
          database,
          "SELECT \(table.columnList) FROM \(table.sqlName) WHERE NOT (\(check)) LIMIT 1")
        guard try failing.step() else { continue }
        throw table.failure(
          of: check, for: try table.columns.indices.map { try failing.value($0, in: table) })
      }
    }
  }
}
