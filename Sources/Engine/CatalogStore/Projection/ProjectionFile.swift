import GRDB
package import Projections
import Support

/// A projection in a file that nobody else has open and that may be thrown away: one connection, no
/// waiting for the disk.
package final class ProjectionFile: Sendable {
  private let queue: DatabaseQueue
  private let path: String
  private let schema: Schema

  /// Opens what `BulkWriter` wrote, here or elsewhere.
  ///
  /// - Parameter rollsBack: whether changes can be rolled back. If not, there is no journal, and a change that
  ///   fails leaves a file to be thrown away.
  package init(path: String, schema: Schema, rollsBack: Bool) throws {
    let journal = rollsBack ? "MEMORY" : "OFF"
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "history"
    configuration.prepareDatabase { database in
      // The journal stays in memory: it is there to take trials back, not to survive a crash.
      try database.execute(
        sql: """
          PRAGMA journal_mode = \(journal); PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
          PRAGMA temp_store = MEMORY; PRAGMA cache_size = -131072;
          """)
    }
    queue = try StoreError.translating(.opening(path)) {
      try DatabaseQueue(path: path, configuration: configuration)
    }
    self.path = path
    self.schema = schema
  }

  /// The receipt of a projection in a file that nobody changes.
  package static func receipt(of path: String, _ schema: Schema) throws -> Receipt {
    try StoreError.translating(.opening(path)) {
      try ReadOnlyDatabase.read(own: path) { try Receipt(of: schema, in: $0) }
    }
  }

  /// Changes rows and keeps the checkpoint that `body` returns with them. If it throws, they are as before if the file rolls back.
  package func advance(_ body: (SQLiteRowStore) throws -> ProjectionAdvance) throws {
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let previous = try Checkpoint.read(database)
        let store = SQLiteRowStore(database, schema: schema)
        try body(store).write(store, from: previous, database)
        return .commit
      }
    }
  }

  /// Ends the work: the file is whole and on the disk, and alone.
  package func close() throws {
    try queue.close()
    try FileSync.sync(path)
  }
}
