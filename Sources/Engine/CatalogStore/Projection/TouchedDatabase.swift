import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Knows whether something else than the projector may have written to a database since all its rows were known to be
/// right.
///
/// A file beside the database, `catalog.sqlite-proved`, keeps what the system said of its files then (`DatabaseStamp`),
/// as Git's index does for a work tree. A look costs two calls of `stat`. Where a file says something else, somebody
/// wrote to the database, copied it or put another in its place, or a process that wrote to it was killed: its rows
/// have to be compared with their digests again. The file may be removed at any time.
///
/// What others commit while this process writes, SQLite's `data_version` tells: on the connection that writes it changes
/// with the commits of all others.
final class TouchedDatabase: Sendable {
  private struct State {
    var isTouched: Bool
    /// The files when all rows were known to be right and this process had not written yet.
    var stamp: DatabaseStamp?
    /// What `data_version` said since when all rows are known to be right; nil before this process writes.
    var version: Int64?
    /// What the file beside the database says.
    var kept: String?
  }

  private let path: String
  private let state: Mutex<State>

  /// - Parameter path: of a database that this process is about to open.
  init(_ path: String) {
    self.path = path
    let stamp = DatabaseStamp(of: path)
    let kept = Self.read(Self.file(beside: path))
    // What has no byte yet gets those that this process writes.
    let isNew = stamp?.isEmpty ?? true
    let isKept = stamp.flatMap { stamp in kept.map(stamp.isKept) } ?? false
    state = Mutex(State(isTouched: !isNew && !isKept, stamp: stamp, kept: kept))
  }

  var isTouched: Bool { state.withLock { $0.isTouched } }

  // MARK: A process that writes

  /// Called before a process that only read opens what it writes with: opening alone changes the files.
  func prepareToWrite() {
    state.withLock { state in
      if state.version == nil, state.stamp != DatabaseStamp(of: path) { state.isTouched = true }
    }
  }

  /// Called when that is open.
  func beginWriting(with pool: DatabasePool) throws {
    let version = try Self.version(pool)
    state.withLock { state in
      if state.version == nil { state.version = version }
    }
  }

  /// Called when all that was there was replaced by what the projector wrote.
  func wasReplaced(in pool: DatabasePool) throws {
    let version = try Self.version(pool)
    state.withLock { state in
      state.version = version
      state.isTouched = false
    }
  }

  /// Keeps how the files are after the last change, where all changes were the projector's.
  func keep(_ pool: DatabasePool) {
    guard !isTouched else { return }
    pool.writeWithoutTransaction { database in
      // Closing the last connection would do the same, and change the file after the look at it. Where readers hold a
      // part of the log, nothing is kept.
      guard let carried = try? database.checkpoint(.passive),
        carried.walFrameCount == carried.checkpointedFrameCount,
        let stamp = DatabaseStamp(of: path), stamp.waitForNextStep(),
        DatabaseStamp(of: path) == stamp,
        let version = try? Self.version(database)
      else { return }
      let isOwn = state.withLock { $0.version == version }
      if isOwn { keep(stamp) }
    }
  }

  // MARK: A process that reads

  /// Calls `body`, which throws where a row is not what the projector wrote, and keeps how the files were if it does not.
  ///
  /// - Parameter pool: what this process writes with, if it does.
  func prove(_ pool: DatabasePool?, _ body: () throws -> Void) throws {
    let version = try pool.map(Self.version)
    let stamp = DatabaseStamp(of: path)
    try body()
    guard version == nil else {
      state.withLock { state in
        state.version = version
        state.isTouched = false
      }
      return
    }
    guard let stamp, stamp == DatabaseStamp(of: path) else { return }
    state.withLock { state in
      state.stamp = stamp
      state.isTouched = false
    }
    if stamp.waitForNextStep(), stamp == DatabaseStamp(of: path) { keep(stamp) }
  }

  // MARK: The file

  private func keep(_ stamp: DatabaseStamp) {
    let isKept = state.withLock { state in
      defer { state.kept = stamp.line }
      return state.kept == stamp.line
    }
    if !isKept { Self.write(stamp.line, Self.file(beside: path)) }
  }

  private static func file(beside path: String) -> String { path + "-proved" }

  private static let longest = 1_024

  /// Nil if the file does not exist, or is not a short regular file.
  private static func read(_ path: String) -> String? {
    var info = stat()
    guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size <= longest
    else { return nil }
    return FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where this is not permitted, the rows are compared again by the next process.
  private static func write(_ line: String, _ path: String) {
    var info = stat()
    guard lstat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFREG else { return }
    try? Data(line.utf8).write(to: URL(filePath: path))
  }

  private static func version(_ pool: DatabasePool) throws -> Int64 {
    try pool.writeWithoutTransaction(version)
  }

  private static func version(_ database: Database) throws -> Int64 {
    try database.firstRow(of: StoredRow.Origin("data_version"), "PRAGMA data_version") {
      try $0.integer(0)
    } ?? 0
  }
}
