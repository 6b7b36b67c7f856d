import Dispatch
import Foundation
import GRDB
import Synchronization

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
final class ExternalChangeDetector: Sendable {
  private struct State {
    var isTouched: Bool
    /// The files when all rows were known to be right, or after the last write of this process.
    var stamp: DatabaseStamp?
    /// The `data_version` at that time; nil before this process writes.
    var version: Int64?
    /// The content of the file beside the database.
    var kept: String?
    /// How often this process wrote.
    var writes = 0
    var isClosed = false
    /// Milliseconds for which the line of another process is waited for. Tests change it.
    var patience = 200
    /// How often all rows were compared.
    var proofs = 0
  }

  /// Milliseconds without a further write until a line is kept.
  private static let pause = 20

  private let files: KeptStamp
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "catalog.proved", qos: .utility)
  /// Held while this process writes, looks, or keeps a line between two writes: half a write would look like that of another
  /// program. A write may contain another one.
  private let turn = NSRecursiveLock()

  /// - Parameters:
  ///   - path: of a database that this process is about to open.
  ///   - look: asks the system about a file.
  init(_ path: String, _ look: @escaping DatabaseStamp.Look = DatabaseStamp.system) {
    files = KeptStamp(of: path, look)
    // In this order: a line that is newer than the stamp would not fit it.
    let kept = files.line()
    let stamp = files.now
    // An empty file contains only what this process writes.
    let isNew = stamp?.isEmpty ?? true
    let isKept = stamp.flatMap { stamp in kept.map(stamp.isKept) } ?? false
    state = Mutex(State(isTouched: !isNew && !isKept, stamp: stamp, kept: kept))
  }

  /// Looks at the files now.
  ///
  /// - Parameter pool: what this process writes with, if it does.
  /// - Returns: whether a program other than the projector may have written to the database.
  func look(_ pool: DatabasePool?) throws -> Bool {
    turn.lock()
    defer { turn.unlock() }
    let version = try pool.map(Self.version)
    return state.withLock { state in
      let isOwn = !state.isTouched && version == state.version
      if !isOwn || stamp != state.stamp {
        // Another process of this program may have written or verified it, and kept a line. One that this process knows says
        // nothing of what others committed.
        let kept = files.line()
        if let now = stamp, let kept, now.isKept(in: kept), isOwn || kept != state.kept {
          state.stamp = now
          state.version = version
          state.kept = kept
          state.isTouched = false
        } else if !state.isTouched {
          state.kept = kept
          state.isTouched = true
        }
      }
      return state.isTouched
    }
  }

  /// Looks at the files, and looks again if they were changed a moment ago: another process of this program that has the
  /// catalog open may have written, and keeps a line soon. Waiting takes less time than reading all rows.
  func checkWaiting(_ pool: DatabasePool?) throws -> Bool {
    let patience = self.patience
    var looks = patience / Self.step
    while try look(pool) {
      // The write-ahead log is removed when the last process closes the database.
      guard looks > 0, let stamp, stamp.hasLog, stamp.isYounger(than: patience) else { return true }
      looks -= 1
      usleep(UInt32(Self.step) * 1_000)
    }
    return false
  }

  /// Milliseconds between two looks.
  private static let step = 5

  var patience: Int {
    get { state.withLock { $0.patience } }
    set { state.withLock { $0.patience = newValue } }
  }

  var proofs: Int { state.withLock { $0.proofs } }

  private var stamp: DatabaseStamp? { files.now }

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
    turn.lock()
    defer { turn.unlock() }
    _ = try checkWaiting(pool)
    defer {
      state.withLock { $0.stamp = stamp }
      keepLater(pool)
    }
    return try body()
  }

  /// Keeps a line when this process has not written for a while: another one that has the database open finds it at its
  /// next look, and need not read all rows.
  ///
  /// - Parameter pause: milliseconds. If readers hold a part of the write-ahead log, the next pause is twice as long.
  private func keepLater(_ pool: DatabasePool, after pause: Int = ExternalChangeDetector.pause) {
    let number = state.withLock { state in
      state.writes += 1
      return state.writes
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self, weak pool] in
      guard let self, let pool else { return }
      turn.lock()
      defer { turn.unlock() }
      guard state.withLock({ !$0.isClosed && $0.writes == number }) else { return }
      if !keep(pool) { keepLater(pool, after: min(pause * 2, 1_000)) }
    }
  }

  /// Called before the database is closed. No line is kept afterwards but by `keep`.
  func stop() {
    state.withLock { $0.isClosed = true }
    queue.sync {}
  }

  /// Called when the whole database was replaced by what the projector wrote.
  func wasReplaced(in pool: DatabasePool) throws {
    recordVerified(stamp, try Self.version(pool))
  }

  /// Notes that all rows are right, and how the files are.
  private func recordVerified(_ stamp: DatabaseStamp?, _ version: Int64) {
    state.withLock { state in
      state.version = version
      state.stamp = stamp
      state.isTouched = false
    }
  }

  /// Keeps how the files are after the last change, if all changes were the projector's.
  ///
  /// - Returns: false if the write-ahead log could not be written into the file, because readers hold a part of it. Then
  ///   nothing is kept.
  @discardableResult func keep(_ pool: DatabasePool) -> Bool {
    guard let isTouched = try? look(pool), !isTouched else { return true }
    return pool.writeWithoutTransaction { database in
      guard let version = try? database.dataVersion(), state.withLock({ $0.version == version })
      else { return true }
      return files.keep(
        database, at: version, note: { stamp in state.withLock { $0.stamp = stamp } }
      ) {
        keep($0)
      }
    }
  }

  // MARK: A process that reads

  /// Calls `body`, which throws if a row is not what the projector wrote, and keeps how the files were if it does not.
  ///
  /// - Parameter pool: what this process writes with, if it does.
  func prove(_ pool: DatabasePool?, _ body: () throws -> Void) throws {
    let version = try pool.map(Self.version)
    let stamp = self.stamp
    state.withLock { $0.proofs += 1 }
    try body()
    if let version { return recordVerified(stamp, version) }
    guard let stamp, stamp == self.stamp else { return }
    state.withLock { state in
      state.stamp = stamp
      state.isTouched = false
    }
    // A program that has the database open may be about to commit.
    if !stamp.hasLog, stamp.waitForNextStep(), stamp == self.stamp { keep(stamp) }
  }

  private func keep(_ stamp: DatabaseStamp) {
    let isKept = state.withLock { state in
      defer { state.kept = stamp.line }
      return state.kept == stamp.line
    }
    if !isKept { files.keep(stamp) }
  }

  private static func version(_ pool: DatabasePool) throws -> Int64 {
    try pool.writeWithoutTransaction { try $0.dataVersion() }
  }
}
