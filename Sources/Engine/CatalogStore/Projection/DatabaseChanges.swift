import Dispatch
import GRDB
import Support
import Synchronization

/// Tells whether a database changed, by whatever connection of whatever process.
///
/// `PRAGMA data_version` is SQLite's own answer to that: on one connection it changes with every commit
/// of any other. So the connection is kept for this alone, and opened when first asked for. GRDB's
/// observation hears neither of other processes nor of tables WITHOUT ROWID.
///
/// A look at the file blocks, for long where the volume is slow. Observers of any number wait for one
/// queue, and hold none of the threads of Swift's concurrency.
package final class DatabaseChanges: Sendable {
  private struct State {
    var connection: DatabaseQueue?
    var version: Int64?
    var generation = 0
    var isClosed = false
  }

  private let path: String
  private let identity: FileIdentity
  private let configuration: Configuration
  private let queue = DispatchQueue(label: "catalog.changes", qos: .userInitiated)
  /// Held by the queue's work and by `close`.
  private let state = Mutex(State())

  /// - Parameters:
  ///   - identity: that of the file that is read elsewhere.
  ///   - configuration: of the connection; nil if it is that of any database that others write.
  init(_ path: String, _ identity: FileIdentity, configuration: Configuration? = nil) {
    self.path = path
    self.identity = identity
    self.configuration =
      configuration ?? ReadOnlyDatabase.configuration(path, .shared, "catalog changes")
  }

  /// A number that grows when something was committed since it was asked for last.
  ///
  /// - Throws: `StoreError`: `closed` behind `close`, `replaced` if the path leads to another file.
  func generation() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try self.look() })
      }
    }
  }

  private func look() throws -> Int {
    try state.withLock { state in
      if state.isClosed { throw StoreError(.closed, "the catalog was closed") }
      try identity.require(at: path)
      let version: Int64? = try StoreError.translating {
        let connection = try state.connection ?? open()
        state.connection = connection
        return try connection.read { database in
          try database.firstRow(of: StoredRow.Origin("data_version"), "PRAGMA data_version") {
            try $0.integer(0)
          }
        }
      }
      if version != state.version {
        state.version = version
        state.generation += 1
      }
      return state.generation
    }
  }

  func close() throws {
    try state.withLock { state in
      try state.connection?.close()
      state.connection = nil
      state.isClosed = true
    }
  }

  private func open() throws -> DatabaseQueue {
    try DatabaseQueue(path: DatabaseFile.readingName(path), configuration: configuration)
  }
}
