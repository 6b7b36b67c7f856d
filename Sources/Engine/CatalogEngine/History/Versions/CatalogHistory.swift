import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import GRDB
import Projections
import Recoveries
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The history of a catalog: every version of every row, in a database beside the live one, so that any SQL is answered at
/// any moment without a replay.
///
/// It is disposable: it is made from the log, and made anew if it does not fit the log or the program. Two processes that
/// make it do the work twice, and the last one's file stays; they bring it up to date one after the other.
package struct CatalogHistory: Sendable {
  /// How a history fits the log.
  package enum Standing: Sendable {
    case missing
    /// It has a state for each batch up to this head. The log may have more.
    case within(Checkpoint)
    /// It is of no use: why, for a person.
    case unfit(ErrorMessage)
  }

  package let path: String
  private let directory: CatalogDirectory
  private let log: CatalogLog
  private let schema: HistorySchema
  private let progress: ProgressObserver

  /// Where more than this part of all events is missing, it is made anew: an event that is brought up to date costs so many
  /// times what one costs in a fold.
  private static let costOfCarrying: UInt64 = 8
  private static let eventsPerTransaction: UInt64 = 50_000
  /// How many this process has begun to make.
  private static let made = Atomic(0)

  /// - Returns: nil if the tables of the kind can have no versions.
  package init?(
    _ directory: CatalogDirectory, _ log: CatalogLog,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    guard let schema = HistorySchema(log.kind.schema, log.kind.fingerprint) else { return nil }
    self.schema = schema
    self.directory = directory
    self.log = log
    self.progress = progress
    path = directory.history
  }

  // MARK: Standing

  package func standing() throws -> Standing {
    guard DatabaseFile.isTaken(path) else { return .missing }
    let checkpoint: Checkpoint?
    do {
      try finishInterruptedChange()
      let mark = try ReadOnlyDatabase.open(path, .shared, "history").read { database in
        try HistoryMark.read(database).map { checkpoint in
          (checkpoint, try HistoryMark.isOfLastChange(database, at: path))
        }
      }
      if mark?.1 == false { return .unfit("another program wrote to it") }
      checkpoint = mark?.0
    } catch let error as StoreError {
      return .unfit("\(error.explanation)")
    } catch let error as DatabaseError {
      return .unfit("\(StoreError(opening: path, error).explanation)")
    }
    guard let checkpoint else { return .unfit("another version of the program made it") }
    guard checkpoint.fingerprint == schema.fingerprint else {
      return .unfit("another version of the program made its rows")
    }
    guard let id = try log.logID(), id == checkpoint.logID else {
      return .unfit("it is of another log")
    }
    do {
      _ = try log.cursor(after: checkpoint.head)
      return .within(checkpoint)
    } catch let error as EventLogError where error.code == .lostEvents {
      return .unfit("the log does not have its event \(checkpoint.sequence)")
    }
  }

  /// Bytes of its file; 0 if there is none.
  package var byteCount: Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Lets SQLite take back a change that a killed process left half done, which a connection that only reads cannot.
  private func finishInterruptedChange() throws {
    var info = stat()
    guard stat(path + "-journal", &info) == 0, info.st_size > 0, DatabaseFile.isWritable(path)
    else {
      return
    }
    let queue = try ownQueue()
    defer { try? queue.close() }
    try queue.read(DatabaseFile.requireReadable)
  }

  // MARK: Making

  /// Makes it from the log, in place of one that is there.
  @discardableResult
  package func make() throws -> Checkpoint {
    UnfinishedFiles.sweep(directory.path)
    // Two tasks of a process may make it at once.
    let number = Self.made.add(1, ordering: .relaxed).newValue
    let scratch = "\(directory.path)/\(UnfinishedFiles.name(of: "history.sqlite-\(number)"))"
    // Of a process that had this one's number, and is dead.
    unlink(scratch)
    defer { unlink(scratch) }
    let builder = HistoryBuilder(schema)
    let checkpoint = try ProjectionRebuild(log, progress: progress).fold(into: builder)
    try builder.write(to: scratch, checkpoint: checkpoint) { written in
      try log.limit?.check()
      progress(CatalogProgress(phase: .writing, done: written, total: nil))
    }
    // Who may read the catalog may read this.
    var info = stat()
    if stat(directory.database, &info) == 0 { chmod(scratch, info.st_mode & 0o777) }
    // What SQLite kept beside the old file must not be taken for a part of the new one.
    try remove()
    guard rename(scratch, path) == 0 else {
      throw CatalogError(.directory, "cannot create \(path): \(SystemError.current)")
    }
    return checkpoint
  }

  /// Makes it if it is missing or unfit, and applies what it lacks.
  ///
  /// - Returns: how far it has come, the head of the log when this was called or later.
  package func bringUpToDate() throws -> Checkpoint {
    guard let end = try log.end() else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    guard case .within(let checkpoint) = try standing() else { return try make() }
    let missing = end.head.sequence - min(checkpoint.sequence, end.head.sequence)
    if missing == 0 { return checkpoint }
    if missing > 1_000, missing * Self.costOfCarrying > end.head.sequence { return try make() }
    return try catchUp()
  }

  /// Opens it for states up to an event, after what it lacks was applied.
  ///
  /// - Parameter note: gets a line for a person if it is made, or cannot be.
  /// - Returns: nil if it cannot be made or brought so far: a replay answers then.
  func open(through sequence: UInt64, _ note: (ErrorMessage) -> Void) throws -> HistoryDatabase? {
    do {
      let standing = try standing()
      if case .within(let checkpoint) = standing, checkpoint.sequence >= sequence {
        return try HistoryDatabase(path, schema, through: sequence)
      }
      // Nothing is written to a catalog that has lost events.
      guard DatabaseFile.writingProblem(directory.path) == nil,
        try LostEvents.find(in: directory) == nil
      else { return nil }
      let clock = ContinuousClock()
      let start = clock.now
      let isNew = if case .within = standing { false } else { true }
      _ = try bringUpToDate()
      if isNew {
        let reason =
          if case .unfit(let reason) = standing { " again, because \(reason)" } else { "" }
        let seconds = Self.seconds(clock.now - start)
        note(
          "\(path) was made\(reason): \(size) in \(seconds); it answers questions about the past")
      }
      return try HistoryDatabase(path, schema, through: sequence)
    } catch let error as CatalogError where error.code == .directory {
      note("the history is not used, and the log is replayed: \(error)")
      return nil
    } catch let error as StoreError {
      note("the history is not used, and the log is replayed: \(error.explanation)")
      return nil
    } catch let error as DatabaseError {
      let reason = StoreError(opening: path, error).explanation
      note("the history is not used, and the log is replayed: \(reason)")
      return nil
    }
  }

  /// Bytes of its file, for a person.
  package var size: String {
    let bytes = byteCount
    return bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
  }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10) s"
  }

  func catchUp() throws -> Checkpoint {
    let queue = try ownQueue()
    defer { try? queue.close() }
    var reached: Checkpoint?
    var isDone = false
    while !isDone {
      try log.limit?.check()
      reached = try queue.writeWithoutTransaction { database -> Checkpoint in
        var reached: Checkpoint?
        try database.inTransaction(.immediate) {
          // Another process may have come further since.
          guard let start = try HistoryMark.read(database) else {
            throw StoreError(.drifted, "\(path) has no checkpoint")
          }
          let changes = try HistoryMark.changes(of: path)
          let end = try advance(database, from: start)
          if end != start { try HistoryMark.write(end, afterChanges: changes, database) }
          if end == start { isDone = true }
          reached = end
          return .commit
        }
        guard let reached else { throw StoreError(.database, "\(path) was not brought up to date") }
        return reached
      }
    }
    guard let reached else { throw StoreError(.database, "\(path) was not brought up to date") }
    return reached
  }

  /// Applies the batches of one transaction.
  private func advance(_ database: Database, from start: Checkpoint) throws -> Checkpoint {
    let replay = try EventReplay(log, after: start.head)
    var history = HistoryReplay(
      try HistoryRowStore(database, schema), EventApplier(start.logID, log.kind), after: start.head)
    while history.head.sequence < start.sequence + Self.eventsPerTransaction,
      let batch = try replay.nextBatch({ try history.apply($0, $1) })
    {
      try history.end(batch)
      progress(
        CatalogProgress(phase: .folding, done: Int(history.head.sequence), total: nil))
    }
    return Checkpoint(logID: start.logID, head: history.head, fingerprint: schema.fingerprint)
  }

  /// A connection that writes. A crash leaves the state before a transaction, or the one after it.
  private func ownQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "history"
    configuration.busyMode = .timeout(60)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;
          """)
    }
    do {
      return try DatabaseQueue(path: path, configuration: configuration)
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  /// Removes it, and what SQLite keeps beside it.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func remove() throws -> Bool {
    guard DatabaseFile.isTaken(path) else { return false }
    for ending in ["", "-journal", "-wal", "-shm"] where DatabaseFile.isTaken(path + ending) {
      // Another process may have been quicker.
      guard unlink(path + ending) == 0 || errno == ENOENT else {
        throw CatalogError(.directory, "cannot remove \(path + ending): \(SystemError.current)")
      }
    }
    return true
  }
}
