import Foundation
import GRDB
import Projections
import Recoveries

/// A projection that is only looked at: nothing is made, carried forward or written.
package final class ProjectionView: ProvedRowsSource {
  let queue: DatabaseQueue
  let migrations: ProjectionMigrations

  /// - Parameter leavesNothing: whether the file is read as one that does not change, if it has no write-ahead log. SQLite
  ///   otherwise makes two files beside it and removes them, which changes the time of the folder.
  /// - Throws: `StoreError`: `notAFile`, `notADatabase` if the file is something else, `notPermitted`,
  ///   `busy` where another program has it for itself.
  package init(
    path: String, migrations: ProjectionMigrations, leavesNothing: Bool = false
  ) throws {
    self.migrations = migrations
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(2)
    configuration.label = "view"
    configuration.prepareDatabase { database in
      migrations.addFunctions(to: database, at: path)
      // What is made for a comparison leaves nothing on a disk.
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    try DatabaseFile.requireUsable(path)
    do {
      let name = try DatabaseFile.nameToRead(path)
      let isSettled = leavesNothing && DatabaseStamp(of: path)?.hasLog == false
      queue = try DatabaseQueue(
        path: isSettled ? HeadWitnesses.immutableName(path) : name, configuration: configuration)
      try queue.read(DatabaseFile.requireReadable)
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  /// What SQLite finds wrong with the file's structure, or with an index beside its table; nil if nothing is.
  package func damage() throws -> String? {
    try guarded {
      try queue.read { try IntegrityCheck.problems(in: $0, atMost: 1).first }
    }
  }

  /// Compares schema and rows with what the projector made, in one scan.
  package func inspect() throws -> ProjectionInspection {
    try guarded { try queue.read { try ProjectionInspection($0, migrations) } }
  }

  /// Makes sure of all that can be found out about a database without its log.
  ///
  /// - Throws: `StoreError`: `drifted`, `stale`, `notADatabase` if SQLite cannot read it.
  package func requireSound() throws {
    try guarded { try queue.read { try SchemaCheck(migrations).require($0) } }
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
    try guarded {
      try queue.read { database in
        let proof = try RowProof(database)
        for table in migrations.schema.tables where tables.contains(table.name) {
          _ = try proof.scan(table) { _ in }
        }
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
    try guarded {
      try queue.read {
        try FullTextCheck.problems(of: migrations.schema, in: $0, isWhole: false)
          + FullTextComparison.problems(of: migrations.schema, in: $0)
      }
    }
  }

  /// The rows that refer to rows which do not exist, at most `limit`.
  package func danglingReferences(limit: Int) throws -> [DanglingReference] {
    try guarded {
      try queue.read {
        try DanglingReference.all(of: migrations.schema, in: $0, limit: limit)
      }
    }
  }

  /// The checkpoint, and the head that the running digests are at.
  package func witnesses() throws -> HeadWitnesses {
    try guarded { try queue.read { try HeadWitnesses($0, migrations) } }
  }

  package func close() throws {
    try queue.close()
  }

  func guarded<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(using: error)
    }
  }
}
