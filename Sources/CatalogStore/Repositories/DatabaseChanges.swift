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
  private let state = Mutex(State())

  package init(path: String) {
    self.path = path
  }

  /// A number that grows when something was committed since it was asked for last.
  ///
  /// - Throws: `StoreError` with `closed` behind `close`.
  func generation() throws -> Int {
    try state.withLock { state in
      if state.isClosed { throw StoreError(.closed, "the catalog was closed") }
      let connection = try state.connection ?? open()
      state.connection = connection
      let version = try connection.read {
        try Int64.fetchOne($0, sql: "PRAGMA data_version")
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
