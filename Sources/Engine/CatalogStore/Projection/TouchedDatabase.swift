import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Detects writes by other programs to a database whose rows were known to be right.
///
/// A file beside the database, `catalog.sqlite-proved`, keeps what the system said of its files then (`DatabaseStamp`),
/// as Git's index does for a work tree. A look costs some calls of `stat`. If a file says something else, a program
/// wrote to the database, copied it or put another in its place, or a process that wrote to it was killed: its rows
/// have to be compared with their digests again. The file may be removed at any time.
///
/// The same stamps are compared at each call of a process that has the database open: after each of its own writes it
/// notes how the files are. Commits of other processes are found by SQLite's `data_version`, too: on the connection that
/// writes it changes with the commits of all others.
final class TouchedDatabase: Sendable {
  private struct State {
    var isTouched: Bool
    /// The files when all rows were known to be right, or after the last write of this process.
    var stamp: DatabaseStamp?
    /// The `data_version` at that time; nil before this process writes.
    var version: Int64?
    /// What the file beside the database says.
    var kept: String?
  }

  private let path: String
  private let system: DatabaseStamp.Look
  private let state: Mutex<State>

  /// - Parameters:
  ///   - path: of a database that this process is about to open.
  ///   - look: asks the system about a file.
  init(_ path: String, _ look: @escaping DatabaseStamp.Look = DatabaseStamp.system) {
    self.path = path
    system = look
    let stamp = DatabaseStamp(of: path, look)
    let kept = Self.read(Self.file(beside: path))
    // An empty file contains only what this process writes.
    let isNew = stamp?.isEmpty ?? true
    let isKept = stamp.flatMap { stamp in kept.map(stamp.isKept) } ?? false
    state = Mutex(State(isTouched: !isNew && !isKept, stamp: stamp, kept: kept))
  }

  /// Whether a program other than the projector may have written, as far as the last look found.
  var isTouched: Bool { state.withLock { $0.isTouched } }

  /// Looks at the files now.
  ///
  /// - Parameter pool: what this process writes with, if it does.
  /// - Returns: whether a program other than the projector may have written to the database.
  func look(_ pool: DatabasePool?) throws -> Bool {
    let version = try pool.map(Self.version)
    let now = stamp
    return state.withLock { state in
      if !state.isTouched, now != state.stamp || version != state.version {
        // Another process of ours may have written, and kept a line when it closed the database.
        state.kept = Self.read(Self.file(beside: path))
        if let now, let kept = state.kept, now.isKept(in: kept) {
          state.stamp = now
          state.version = version
        } else {
          state.isTouched = true
        }
      }
      return state.isTouched
    }
  }

  private var stamp: DatabaseStamp? { DatabaseStamp(of: path, system) }

  // MARK: A process that writes

  /// Called before a process that only read opens what it writes with: opening alone changes the files.
  func prepareToWrite() {
    state.withLock { state in
      if state.version == nil, state.stamp != stamp { state.isTouched = true }
    }
  }

  /// Called when that is open.
  func beginWriting(with pool: DatabasePool) throws {
    let version = try Self.version(pool)
    state.withLock { state in
      guard state.version == nil else { return }
      state.version = version
      state.stamp = stamp
    }
  }

  /// Calls `body`, which writes what the projector writes.
  ///
  /// - Parameter pool: what `body` writes with.
  func write<Result>(with pool: DatabasePool, _ body: () throws -> Result) throws -> Result {
    _ = try look(pool)
    defer { state.withLock { $0.stamp = stamp } }
    return try body()
  }

  /// Called when the whole database was replaced by what the projector wrote.
  func wasReplaced(in pool: DatabasePool) throws {
    let version = try Self.version(pool)
    state.withLock { state in
      state.version = version
      state.stamp = stamp
      state.isTouched = false
    }
  }

  /// Keeps how the files are after the last change, if all changes were the projector's.
  func keep(_ pool: DatabasePool) {
    guard let isTouched = try? look(pool), !isTouched else { return }
    pool.writeWithoutTransaction { database in
      // Closing the last connection would do the same, and change the file after the look at it. If readers hold a
      // part of the log, nothing is kept.
      guard let carried = try? database.checkpoint(.passive),
        carried.walFrameCount == carried.checkpointedFrameCount,
        let stamp, stamp.waitForNextStep(), self.stamp == stamp,
        let version = try? Self.version(database)
      else { return }
      let isOwn = state.withLock { $0.version == version }
      if isOwn { keep(stamp) }
    }
  }

  // MARK: A process that reads

  /// Calls `body`, which throws if a row is not what the projector wrote, and keeps how the files were if it does not.
  ///
  /// - Parameter pool: what this process writes with, if it does.
  func prove(_ pool: DatabasePool?, _ body: () throws -> Void) throws {
    let version = try pool.map(Self.version)
    let stamp = self.stamp
    try body()
    guard version == nil else {
      state.withLock { state in
        state.version = version
        state.stamp = stamp
        state.isTouched = false
      }
      return
    }
    guard let stamp, stamp == self.stamp else { return }
    state.withLock { state in
      state.stamp = stamp
      state.isTouched = false
    }
    if stamp.waitForNextStep(), stamp == self.stamp { keep(stamp) }
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

  /// If this is not permitted, the next process compares the rows again.
  private static func write(_ line: String, _ path: String) {
    var info = stat()
    if lstat(path, &info) == 0 {
      guard info.st_mode & S_IFMT == S_IFREG else { return }
      // Another name of the same file would get the line, too.
      if info.st_nlink > 1, unlink(path) != 0 { return }
    }
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
