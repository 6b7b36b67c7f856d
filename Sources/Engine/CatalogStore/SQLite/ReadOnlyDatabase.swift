package import GRDB

/// Opens databases that are only read.
package enum ReadOnlyDatabase {
  package enum Mode: Sendable {
    /// A file that no other process writes: SQLite reads the system's pages instead of copies of its own, which must not be
    /// done with a file that another process may cut short.
    case own
    /// A file that other processes may write. A connection that cannot write leaves the write-ahead log and its index, if it
    /// is the last to close.
    case shared
    /// As `shared`, but read as a file that does not change if it has no write-ahead log: SQLite makes no files beside it,
    /// which would change the time of the folder.
    case settled
    /// As `shared`, but the last connection to close removes the write-ahead log and its index: it could write, if not for
    /// SQLite's `query_only`. It is `shared` if this user may not write the file.
    case live
    /// As `shared`, a file that a person named: an error proposes no rebuild of it.
    case named

    package var isOwn: Bool { if case .named = self { false } else { true } }
  }

  /// - Parameters:
  ///   - patience: how many seconds to wait for a lock.
  ///   - prepare: called with each new connection.
  static func configuration(
    _ path: String, _ mode: Mode, _ label: String, patience: Double = 10,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
  ) -> Configuration {
    var configuration = Configuration()
    configuration.label = label
    configuration.busyMode = .timeout(patience)
    // `PastDatabase` keeps one transaction open.
    configuration.allowsUnsafeTransactions = true
    let canWrite = if case .live = mode { DatabaseFile.isWritable(path) } else { false }
    configuration.readonly = !canWrite
    configuration.prepareDatabase { database in
      if canWrite { try database.execute(sql: "PRAGMA query_only = 1") }
      if case .own = mode { try database.execute(sql: "PRAGMA mmap_size = 1099511627776") }
      try prepare(database)
    }
    return configuration
  }

  /// Opens a database, and makes sure that it is one.
  ///
  /// - Throws: `StoreError`: `notAFile`, `notADatabase`, `notPermitted`, `readOnly` if SQLite has to write before it can read,
  ///   `busy` if another program has it for itself.
  package static func open(
    _ path: String, _ mode: Mode, _ label: String, patience: Double = 10,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
  ) throws -> DatabaseQueue {
    try DatabaseFile.requireUsable(path, isOwn: mode.isOwn)
    let configuration = configuration(path, mode, label, patience: patience, prepare: prepare)
    let name: String
    switch mode {
    case .settled where DatabaseStamp(of: path)?.hasLog == false:
      name = DatabaseFile.immutableName(path)
    case .settled, .shared, .live, .named: name = try DatabaseFile.nameToRead(path)
    case .own: name = path
    }
    return try StoreError.translating(mode.isOwn ? .opening(path) : .reading(path)) {
      do {
        return try open(name, configuration)
      } catch let error as DatabaseError {
        guard let name = DatabaseFile.nameWithoutRoom(path, error) else { throw error }
        return try open(name, configuration)
      }
    }
  }

  private static func open(_ name: String, _ configuration: Configuration) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: name, configuration: configuration)
    try queue.unsafeRead(DatabaseFile.requireReadable)
    return queue
  }

  /// Reads from a file that no other process writes.
  ///
  /// - Throws: `StoreError` as `open`; what `body` throws.
  package static func read<Result>(
    own path: String, _ body: (Database) throws -> Result
  ) throws -> Result {
    let queue = try open(path, .own, "own")
    defer { try? queue.close() }
    return try queue.read(body)
  }
}
