import GRDB
import Synchronization

/// Tells whether a database changed, by whatever connection of whatever process.
///
/// `PRAGMA data_version` is SQLite's own answer to that: on one connection it changes with every commit
/// of any other. So the connection is kept for this alone, and opened when first asked for. GRDB's
/// observation hears neither of other processes nor of tables WITHOUT ROWID.
package final class DatabaseChanges: Sendable {
  private struct State {
    var connection: DatabaseQueue?
    var version: Int64?
    var generation = 0
    var isClosed = false
  }

  private let path: String
  private let identity: FileIdentity
  private let state = Mutex(State())

  /// - Parameter identity: that of the file that is read elsewhere.
  init(_ path: String, _ identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// A number that grows when something was committed since it was asked for last.
  ///
  /// - Throws: `StoreError`: `closed` behind `close`, `replaced` where the path leads to another file.
  func generation() throws -> Int {
    try state.withLock { state in
      if state.isClosed { throw StoreError(.closed, "the catalog was closed") }
      try identity.require(at: path)
      let version: Int64?
      do {
        let connection = try state.connection ?? open()
        state.connection = connection
        version = try connection.read { database in
          try database.firstRow(of: StoredRow.Origin("data_version"), "PRAGMA data_version") {
            try $0.integer(0)
          }
        }
      } catch let error as DatabaseError {
        throw StoreError(using: error)
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
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    configuration.label = "catalog changes"
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}
