import Foundation
import GRDB
import Support
import Synchronization

/// How many reads at once are expected of an opened projection.
package enum ProjectionReaders: Sendable {
  /// One connection reads, until something is written: to open a pool takes longer than to read an item, and writes
  /// to the file each time.
  case one
  /// A pool from the start: reads do not wait for each other.
  case several
}

/// What a process reads and writes the live database with.
final class ProjectionConnections: Sendable {
  enum Connections {
    /// Reads alone. It is open for writing all the same: only then can it remove the write-ahead log where it is
    /// the last to close (groue/GRDB.swift#739). It closes when nobody holds it any more: to ask something of a closed
    /// queue ends the process.
    case single(DatabaseQueue)
    case pool(DatabasePool)
    /// Reads a database that this process cannot write, be it only for want of room. If it is read as a file that does not change, how it was.
    case readOnly(DatabaseQueue, DatabaseStamp?)
    /// Closed.
    case none
  }

  /// Seconds for which a connection waits for the lock of another one, if nothing else is asked for.
  static let patience = 10.0
  /// The least of it: SQLite has some locks for a moment, when a process opens or closes the database.
  private static let leastPatience = 0.25

  private let path: String
  private let migrations: ProjectionMigrations
  private let patience: Double
  private let connections: Mutex<Connections>

  init(
    _ path: String, _ migrations: ProjectionMigrations, _ connections: Connections,
    patience: Double = ProjectionConnections.patience
  ) {
    (self.path, self.migrations, self.patience) = (path, migrations, patience)
    self.connections = Mutex(connections)
  }

  /// - Parameter wait: how long a connection waits for the lock of another one.
  /// - Throws: `StoreError`.
  convenience init(
    _ path: String, _ migrations: ProjectionMigrations, _ readers: ProjectionReaders,
    wait: Duration? = nil
  ) throws {
    let patience = wait.map { max($0 / .seconds(1), Self.leastPatience) } ?? Self.patience
    let connections: Connections
    do {
      connections = try Self.opened(path, migrations, readers, patience)
    } catch let error as StoreError where error.code == .volume {
      guard let queue = try? Self.readOnly(path, migrations, patience) else { throw error }
      connections = queue
    }
    self.init(path, migrations, connections, patience: patience)
  }

  private static func opened(
    _ path: String, _ migrations: ProjectionMigrations, _ readers: ProjectionReaders,
    _ patience: Double
  ) throws -> Connections {
    if FileIdentity(path) != nil, !DatabaseFile.isWritable(path) {
      return try readOnly(path, migrations, patience)
    }
    if readers == .one, let single = try single(path, migrations, patience) {
      return .single(single)
    }
    return .pool(try pool(path, migrations, patience))
  }

  /// Reads from one snapshot of the database.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    switch connections.withLock({ $0 }) {
    case .single(let single): try single.read(body)
    case .pool(let pool): try pool.read(body)
    case .readOnly(let queue, let stamp):
      try checked(stamp, try queue.read(body))
    case .none: throw Self.closed
    }
  }

  /// - Parameter stamp: of a database that was read as one that does not change.
  /// - Throws: `StoreError` with `replaced` if it did: what was read may be half of it.
  private func checked<Result>(_ stamp: DatabaseStamp?, _ result: Result) throws -> Result {
    guard stamp == nil || DatabaseStamp(of: path) == stamp else {
      throw StoreError(.replaced, "\(path) was changed while it was read; try again")
    }
    return result
  }

  /// The same, without a thread that waits.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    switch connections.withLock({ $0 }) {
    case .single(let single): try await single.read(body)
    case .pool(let pool): try await pool.read(body)
    case .readOnly(let queue, let stamp):
      try checked(stamp, try await queue.read(body))
    case .none: throw Self.closed
    }
  }

  /// The pool; nil if there is none yet.
  var openPool: DatabasePool? {
    guard case .pool(let pool) = connections.withLock({ $0 }) else { return nil }
    return pool
  }

  /// The pool, which is opened if there is none yet.
  ///
  /// - Parameter identity: of the file that was opened first.
  /// - Throws: `StoreError`: `closed`, `readOnly`, `replaced` if the path leads to another file by now.
  func pool(of identity: FileIdentity) throws -> DatabasePool {
    try connections.withLock { connections in
      switch connections {
      case .pool(let pool): return pool
      case .none: throw Self.closed
      case .readOnly where !DatabaseFile.isWritable(path): throw DatabaseFile.notWritable(path)
      case .readOnly, .single:
        try identity.require(at: path)
        let pool = try Self.pool(path, migrations, patience)
        // It may have been replaced as it was opened.
        try identity.require(at: path)
        connections = .pool(pool)
        return pool
      }
    }
  }

  /// Closes what is open, once.
  ///
  /// - Parameter last: is handed the pool for what is to be done before.
  func close(after last: (DatabasePool) -> Void) throws {
    let open = connections.withLock { connections in
      defer { connections = .none }
      return connections
    }
    guard case .pool(let pool) = open else { return }
    last(pool)
    // Readers first: the last connection to close empties and removes the write-ahead log, which a
    // read-only one cannot do (groue/GRDB.swift#739).
    pool.invalidateReadOnlyConnections()
    try pool.close()
  }

  private static let closed = StoreError(.closed, "the catalog was closed")

  /// - Throws: `StoreError`: `readOnly` if SQLite has to write before it can read.
  private static func readOnly(
    _ path: String, _ migrations: ProjectionMigrations, _ patience: Double
  ) throws -> Connections {
    let stamp = DatabaseStamp(of: path)
    let queue = try ReadOnlyDatabase.open(path, .shared, "catalog", patience: patience) {
      migrations.addFunctions(to: $0, at: path)
    }
    // By its own name, SQLite reads it with the files beside it.
    return .readOnly(queue, queue.path == path ? nil : stamp)
  }

  /// Nil where one connection is not enough: the file is new, or has no write-ahead log yet.
  private static func single(
    _ path: String, _ migrations: ProjectionMigrations, _ patience: Double
  ) throws -> DatabaseQueue? {
    guard FileIdentity(path) != nil else { return nil }
    return try StoreError.translating(.opening(path)) {
      let single = try DatabaseQueue(
        path: path, configuration: configuration(path, migrations, patience))
      let mode = try single.read { database in
        try database.firstRow(of: StoredRow.Origin("journal_mode"), "PRAGMA journal_mode") {
          try $0.text(0)
        }
      }
      return mode == "wal" ? single : nil
    }
  }

  private static func pool(
    _ path: String, _ migrations: ProjectionMigrations, _ patience: Double
  ) throws -> DatabasePool {
    var configuration = configuration(path, migrations, patience)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    return try StoreError.translating(.opening(path)) {
      let pool = try DatabasePool(path: path, configuration: configuration)
      // Looks at the file: opening alone would not notice that it is not a database.
      try pool.read(DatabaseFile.requireReadable)
      return pool
    }
  }

  private static func configuration(
    _ path: String, _ migrations: ProjectionMigrations, _ patience: Double
  ) -> Configuration {
    var configuration = Configuration()
    // The projector carries out its own cascades, as the store in memory does; declared foreign keys
    // are checked by `verify`.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(patience)
    configuration.label = "catalog"
    configuration.prepareDatabase { migrations.addFunctions(to: $0, at: path) }
    return configuration
  }
}
