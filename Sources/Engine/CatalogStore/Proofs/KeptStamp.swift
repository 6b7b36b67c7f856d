import Foundation
package import GRDB

/// A file beside a database, `catalog.sqlite-proved`, that keeps how the database's files were when all of its rows were known
/// to be right (`DatabaseStamp`). It may be removed at any time.
package struct KeptStamp: Sendable {
  private let path: String
  private let system: DatabaseStamp.Look

  /// Longer files are not ours.
  private static let longest = 1_024

  /// - Parameter path: of the database.
  package init(of path: String) {
    self.init(of: path, DatabaseStamp.system)
  }

  /// - Parameter look: asks the system about a file.
  init(of path: String, _ look: @escaping DatabaseStamp.Look) {
    (self.path, system) = (path, look)
  }

  private var file: String { path + "-proved" }

  /// The database's files now; nil if it does not exist.
  var now: DatabaseStamp? { DatabaseStamp(of: path, system) }

  /// Whether the database's files are as they were when they were kept.
  package func isKept(_ stamp: DatabaseStamp) -> Bool { line().map(stamp.isKept) ?? false }

  /// Nil if the file does not exist, or is not a short regular file.
  func line() -> String? {
    var info = stat()
    guard lstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size <= Self.longest
    else { return nil }
    return FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Keeps how the files are.
  func keep(_ stamp: DatabaseStamp) { keep(stamp.line) }

  /// Keeps a line. If this is not permitted, the next process compares the rows again.
  private func keep(_ line: String) {
    var info = stat()
    if lstat(file, &info) == 0 {
      guard info.st_mode & S_IFMT == S_IFREG else { return }
      // Another name of the same file would get the line, too.
      if info.st_nlink > 1, unlink(file) != 0 { return }
    }
    try? Data(line.utf8).write(to: URL(filePath: file))
  }

  /// Forgets how the files were: the rows are compared before they are used again.
  package func remove() { unlink(file) }

  /// Keeps how the files are, if no program has the database open to write: one that does may be about to commit.
  package func keepSettled(_ stamp: DatabaseStamp) {
    if !stamp.hasLog, stamp.waitForNextStep(), stamp == now { keep(stamp) }
  }

  /// Keeps how the files are after the last commit of a connection, unless another one has written to the database.
  ///
  /// - Parameters:
  ///   - database: a connection that can write, outside a transaction.
  ///   - version: its `data_version` when the rows were known to be right.
  package func keep(_ database: Database, at version: Int64) {
    guard !keep(database, at: version, { keep($0) }) else { return }
    // A reader holds a part of the write-ahead log.
    guard let stamp = now, stamp.waitForNextStep() else { return }
    keepLocked(stamp, database, at: version) { keep($0.lineWithLog) }
  }

  /// Writes the write-ahead log into the file, and calls `keep` with how the files are then, unless another connection has
  /// written to the database.
  ///
  /// - Parameters:
  ///   - database: a connection that can write, outside a transaction.
  ///   - version: the connection's `data_version` when the rows were known to be right.
  ///   - note: called with how the files are before anything is waited for.
  /// - Returns: false if readers hold a part of the write-ahead log. Then nothing is kept.
  func keep(
    _ database: Database, at version: Int64, note: (DatabaseStamp?) -> Void = { _ in },
    _ keep: (DatabaseStamp) -> Void
  ) -> Bool {
    // Closing the last connection would do the same, and change the file after the look at it.
    let carried = try? database.checkpoint(.passive)
    let stamp = now
    guard (try? database.dataVersion()) == version else { return true }
    note(stamp)
    guard let carried, carried.walFrameCount == carried.checkpointedFrameCount else { return false }
    guard let stamp, stamp.waitForNextStep() else { return true }
    keepLocked(stamp, database, at: version, keep)
    return true
  }

  /// Between the last write of a commit and the commit itself, a program waits for the disk: the files are already as they are
  /// after it, and no reader sees it yet. While this process has SQLite's lock, no program is at that point.
  private func keepLocked(
    _ stamp: DatabaseStamp, _ database: Database, at version: Int64,
    _ keep: (DatabaseStamp) -> Void
  ) {
    try? database.withoutWaiting {
      try database.inTransaction(.immediate) {
        if now == stamp, try database.dataVersion() == version { keep(stamp) }
        return .rollback
      }
    }
  }
}

extension Database {
  /// A number that changes with each commit of another connection.
  package func dataVersion() throws -> Int64 {
    try firstRow(of: StoredRow.Origin("data_version"), "PRAGMA data_version") {
      try $0.integer(0)
    } ?? 0
  }

  /// Calls `body`, which fails at once if another connection holds a lock that it needs.
  fileprivate func withoutWaiting(_ body: () throws -> Void) throws {
    let patience = try firstRow(of: StoredRow.Origin("busy_timeout"), "PRAGMA busy_timeout") {
      try $0.integer(0)
    }
    try execute(sql: "PRAGMA busy_timeout = 0")
    defer { try? execute(sql: "PRAGMA busy_timeout = \(patience ?? 0)") }
    try body()
  }
}
