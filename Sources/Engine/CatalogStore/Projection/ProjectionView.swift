import Foundation
package import GRDB
import Projections
import Support

/// A projection that is only looked at: nothing is made, carried forward or written.
package final class ProjectionView: ProvedRowsSource {
  private let queue: DatabaseQueue
  package let migrations: ProjectionMigrations

  /// - Throws: as `ReadOnlyDatabase.open`.
  package init(
    path: String, migrations: ProjectionMigrations, _ mode: ReadOnlyDatabase.Mode = .shared
  ) throws {
    self.migrations = migrations
    queue = try ReadOnlyDatabase.open(path, mode, "view", patience: 2) { database in
      migrations.addFunctions(to: database, at: path)
      // Temporary tables of a comparison leave nothing on a disk.
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
  }

  /// What SQLite finds wrong with the file's structure, or with an index beside its table; nil if nothing is.
  package func damage() throws -> String? {
    try read { try IntegrityCheck.problems(in: $0, atMost: 1).first }
  }

  /// Compares schema and rows with what the projector made, in one scan.
  package func inspect() throws -> ProjectionInspection {
    try read { try ProjectionInspection($0, migrations) }
  }

  /// Makes sure of all that can be found out about a database without its log.
  ///
  /// - Throws: `StoreError`: `drifted`, `stale`, `notADatabase` if SQLite cannot read it.
  package func requireSound() throws {
    try read { try SchemaCheck(migrations).require($0) }
    let inspection = try inspect()
    if inspection.hasChangedDigests { throw StoreError.changedDigests }
    try requireUnchanged(inspection.drifted.map(\.table))
    if let damage = try damage() { throw drift("SQLite finds damage: \(damage)") }
    if let problem = try fullTextProblems().first { throw drift(problem) }
  }

  /// - Parameter tables: those that the digests contradict, if any.
  /// - Throws: `StoreError` with `drifted`, which names the first cell that is not of its column's type, if there is one.
  private func requireUnchanged(_ tables: [String]) throws {
    if tables.isEmpty { return }
    try read { database in
      let proof = try RowProof(database)
      for table in migrations.schema.tables where tables.contains(table.name) {
        _ = try proof.scan(table) { _ in }
      }
    }
    throw StoreError.drifted(tables: tables)
  }

  private func drift(_ problem: String) -> StoreError {
    StoreError(
      .drifted,
      "\(ErrorMessage(problem)): \(StoreError.drift)"
    )
  }

  /// Full-text indexes that do not have the words of their tables, or, by a sample of them, do not find what they have;
  /// a sentence each.
  package func fullTextProblems() throws -> [String] {
    try read {
      try FullTextCheck.problems(of: migrations.schema, in: $0, isWhole: false)
        + FullTextComparison.problems(of: migrations.schema, in: $0)
    }
  }

  /// Copies one state of the database to a new file that nothing but this process uses.
  package func copy(to path: String) throws {
    try StoreError.translating(.making(path)) {
      let target = try DatabaseQueue(path: path)
      defer { try? target.close() }
      try queue.backup(to: target)
    }
  }

  package func close() throws {
    try queue.close()
  }

  package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try StoreError.translating { try queue.read(body) }
  }
}
