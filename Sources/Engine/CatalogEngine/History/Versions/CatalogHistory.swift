import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import GRDB
import LibC
package import Projections
import Support
import Synchronization

/// Tells the user what happened to the history while a question about the past was answered.
package enum HistoryNote: Sendable {
  /// It was made, and why again if one existed that is of no use.
  case made(_ path: String, _ bytes: Int, _ duration: Duration, because: ErrorMessage?)
  /// One was made in a temporary folder, since the catalog's own cannot be made or is not to be used.
  case madeForOnce(_ bytes: Int, _ duration: Duration)
  /// A replay answers instead, and why.
  case unused(ErrorMessage)
}

extension HistoryNote: CustomStringConvertible {
  package var description: String {
    switch self {
    case .made(let path, let bytes, let duration, let reason):
      "\(path) was made\(reason.map { " again, because \($0)" } ?? ""): \(bytes) bytes in \(duration)"
    case .madeForOnce(let bytes, let duration):
      "a history was made for this question alone: \(bytes) bytes in \(duration)"
    case .unused(let reason): "the history is not used, and the log is replayed: \(reason)"
    }
  }
}

/// The history of a catalog: every version of every row, in a database beside the live one, so that any SQL is answered at
/// any moment without a replay.
///
/// It is disposable: it is made from the log, and made again if it does not fit the log or the program. One process at a time
/// makes it or brings it up to date; others wait, and find the work done.
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
  package var kind: any CatalogKind { log.kind }
  private let directory: CatalogDirectory
  let log: CatalogLog
  private let schema: HistorySchema
  /// The end of the batch with which it ends; nil if it has all of the log.
  private let last: UInt64?
  private let progress: ProgressObserver
  private let settled = SettledHistory()
  private let files: KeptStamp

  /// An event that is brought up to date costs so many times what one costs in a fold. If it lacks more than this part of all
  /// events, it is made again.
  private static let costOfCarrying: UInt64 = 8
  private static let eventsPerTransaction: UInt64 = 50_000

  /// - Parameters:
  ///   - last: the end of the batch with which it ends; nil if it has all of the log.
  ///   - rule: when a table's versions go on in another table.
  package init(
    _ directory: CatalogDirectory, _ log: CatalogLog, through last: UInt64? = nil,
    rule: GenerationRule = GenerationRule(),
    progress: @escaping ProgressObserver = { _ in }
  ) {
    schema = HistorySchema(log.kind.schema, log.kind.fingerprint, rule)
    self.directory = directory
    self.log = log
    self.last = last
    self.progress = progress
    path = directory.history
    files = KeptStamp(of: path)
  }

  // MARK: Standing

  package func standing() throws -> Standing {
    let standing = try standingByMark()
    guard case .within = standing else { return standing }
    do {
      return try isWhole() ? standing : .unfit(Self.changed)
    } catch let error as StoreError {
      return .unfit(Self.reason(error))
    }
  }

  private static let changed: ErrorMessage = "another program or a fault of the disk changed it"

  /// Its standing by its mark alone, if its rows are what this program wrote.
  private func standingByMark() throws -> Standing {
    guard DatabaseFile.isTaken(path) else { return .missing }
    let mark: Checkpoint?
    do {
      mark = try self.mark()
    } catch let error as StoreError {
      return .unfit(Self.reason(error))
    }
    guard let checkpoint = mark else {
      return .unfit("this version of the program did not make it")
    }
    guard let id = try log.logID(), id == checkpoint.logID else {
      return .unfit("it is of another log")
    }
    guard checkpoint.fingerprint == schema.fingerprint else {
      return .unfit(
        log.kind.isEarlier(checkpoint.fingerprint)
          ? "it has the tables of an earlier description"
          : "another version of the program made its rows")
    }
    return try log.reader.refusal(of: checkpoint.head) == nil
      ? .within(checkpoint) : .unfit("the log does not have its event \(checkpoint.sequence)")
  }

  /// Why none can be made or brought up to date, and what to do about that; nil if nothing is in the way.
  package func obstacle() throws -> ErrorMessage? {
    if let problem = DatabaseFile.writingProblem(directory.path) { return problem }
    guard try LostEvents.find(in: directory, log.reader) != nil else { return nil }
    return
      "none is made while the log lacks events that the database has applied; \(do: .examine) says what to do"
  }

  /// How far the file says that it has come; nil if a version of the program with another format made it.
  func mark() throws -> Checkpoint? {
    try reading(HistoryMark.read)
  }

  /// Reads the file, whatever it has.
  private func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try HistoryMark.reading(path, body)
  }

  /// Whether the files are as they were when the last process of this program left them, or when they were compared with the
  /// sum of their rows.
  private var isUntouched: Bool {
    guard let stamp = DatabaseStamp.now(of: path) else { return false }
    return settled.isWhole(stamp) || files.isKept(stamp)
  }

  /// Whether its rows are what this program wrote. They are compared with their sum if another program may have changed the
  /// file.
  private func isWhole() throws -> Bool {
    if isUntouched { return true }
    let stamp = DatabaseStamp.now(of: path)
    guard try reading({ try HistoryProof(schema, $0).isWhole() }) else { return false }
    if let stamp, stamp == DatabaseStamp.now(of: path) {
      settled.keep(whole: stamp)
      files.keepSettled(stamp)
    }
    return true
  }

  /// Why the file is of no use. The remedies of an error are those of the live database.
  private static func reason(_ error: StoreError) -> ErrorMessage {
    switch error.code {
    case .notADatabase: "the file is not a database, or is damaged"
    case .notAFile: "it is not a file"
    case .notPermitted: "this user may not read it"
    case .drifted: "the file is damaged"
    default: error.explanation
    }
  }

  /// Bytes of its file; 0 if there is none.
  package var byteCount: Int { DatabaseFile.byteCount(path) }

  // MARK: Making

  /// Makes it from the log, in place of one that exists.
  package func make() throws {
    try withLock { try makeLocked() }
  }

  /// Runs the work while no other process, and no other task of this one, makes the history or changes it.
  private func withLock<Result>(_ work: () throws -> Result) throws -> Result {
    guard let lock = FolderLock(directory.path) else {
      throw CatalogError(.directory, "cannot open \(directory.path): \(SystemError.current)")
    }
    // On a file system without locks the last file that is made stays.
    if lock.take() == .busy {
      progress(CatalogProgress(phase: .waiting, done: 0, total: nil))
      lock.wait()
    }
    return try withExtendedLifetime(lock, work)
  }

  private func makeLocked() throws {
    UnfinishedFiles.sweep(directory.path)
    let scratch = "\(directory.path)/\(UnfinishedFiles.name(of: "history.sqlite"))"
    // Of a process that had this one's number, and is dead.
    unlink(scratch)
    defer { unlink(scratch) }
    let builder = HistoryBuilder(schema)
    let checkpoint = try ProjectionRebuild(log, through: last, progress: progress).fold(
      into: builder)
    try builder.write(to: scratch, checkpoint: checkpoint) { written in
      try log.limit?.check()
      progress(CatalogProgress(phase: .writing, done: written, total: nil))
    }
    // A user who may read the catalog may read this.
    var info = stat()
    if stat(directory.database, &info) == 0 { chmod(scratch, info.st_mode & 0o777) }
    // What SQLite kept beside the old file must not be taken for a part of the new one.
    try remove()
    guard rename(scratch, path) == 0 else {
      throw CatalogError(.directory, "cannot create \(path): \(SystemError.current)")
    }
    if let stamp = DatabaseStamp.now(of: path) { files.keepSettled(stamp) }
  }

  /// Makes it if it is missing or unfit, and applies what it lacks.
  ///
  /// - Parameter note: called if it is made.
  package func bringUpToDate(_ note: (HistoryNote) -> Void = { _ in }) throws {
    let end = try log.requireEnd()
    try withLock {
      let start = ContinuousClock.now
      func makeNew(because reason: ErrorMessage? = nil) throws {
        try makeLocked()
        note(.made(path, byteCount, start.duration(to: .now), because: reason))
      }
      switch try standing() {
      case .missing: try makeNew()
      case .unfit(let reason): try makeNew(because: reason)
      case .within(let checkpoint):
        let missing = end.head.sequence - min(checkpoint.sequence, end.head.sequence)
        if missing > 1_000, missing * Self.costOfCarrying > end.head.sequence {
          try makeLocked()
        } else if missing > 0 {
          try catchUp()
        }
      }
    }
  }

  /// Opens it for states up to an event, after what it lacks was applied.
  ///
  /// - Parameter note: called if it is made or cannot be used.
  /// - Returns: nil if it cannot be made or brought so far.
  func openIfUsable(
    through sequence: UInt64, _ note: (HistoryNote) -> Void,
    reading: HistoryDatabase.Reading = .snapshot
  ) throws -> HistoryDatabase? {
    do {
      return try open(through: sequence, note, reading: reading)
    } catch let error as CatalogError where error.code == .directory {
      note(.unused(error.explanation))
    } catch let error as StoreError {
      note(.unused(Self.reason(error)))
    }
    return nil
  }

  /// Opens it for states up to an event, after what it lacks was applied.
  ///
  /// - Parameter note: called if it is made.
  /// - Returns: nil if none is made for a catalog that lost events or in a folder that cannot be written.
  /// - Throws: `CatalogError` with `directory` or `StoreError` if it cannot be made.
  func open(
    through sequence: UInt64, _ note: (HistoryNote) -> Void,
    reading: HistoryDatabase.Reading = .snapshot
  ) throws -> HistoryDatabase? {
    // A process that was killed while it made this one again left its file.
    UnfinishedFiles.sweep(directory.path)
    return try StoreError.translating(.opening(path)) {
      if isSettled(through: sequence) { return try database(through: sequence, reading) }
      // Another process may be about to bring it up to date: then that one is waited for.
      if isUntouched, try settle(through: sequence) {
        return try database(through: sequence, reading)
      }
      // Nothing is written to a catalog that has lost events.
      if try obstacle() == nil {
        try bringUpToDate(note)
      } else {
        guard try settle(through: sequence) else { return nil }
      }
      return try database(through: sequence, reading)
    }
  }

  /// Whether the file is the one that answered a question about an event before.
  func isSettled(through sequence: UInt64) -> Bool {
    DatabaseStamp.now(of: path).map { settled.reaches(sequence, $0) } ?? false
  }

  /// Compares it with the log.
  ///
  /// - Returns: whether it is of use and has an event.
  private func settle(through sequence: UInt64) throws -> Bool {
    let stamp = DatabaseStamp.now(of: path)
    guard case .within(let checkpoint) = try standing(), checkpoint.sequence >= sequence else {
      return false
    }
    if let stamp { settled.keep(checkpoint.sequence, stamp) }
    return true
  }

  func database(
    through sequence: UInt64, _ reading: HistoryDatabase.Reading = .snapshot
  ) throws -> HistoryDatabase? {
    try HistoryDatabase(
      path, schema, through: sequence, reading,
      prepare: { [log, directory] database in
        log.kind.migrations.addFunctions(to: database, at: directory.database)
      },
      isDamaged: { [files, settled] in
        files.remove()
        settled.forget()
      })
  }

  /// Opens it as it is, however far it has come; nil if it is missing or of no use.
  func openAsItIs() throws -> HistoryDatabase? {
    guard case .within = try standing() else { return nil }
    return try database(through: 0)
  }

  /// Opens it to be compared with the log, after what it lacks was applied if it can be written.
  ///
  /// - Throws: `CatalogError` with `notFound` if there is none, `verification` if it is of no use.
  func openToVerify() throws -> HistoryDatabase {
    // What another program changed is what the comparison finds.
    switch try standingByMark() {
    case .missing:
      let advice = try obstacle() ?? "the first question about the past makes it"
      throw CatalogError(.notFound, "there is no history to verify; \(advice)")
    case .unfit(let reason):
      throw CatalogError(.verification, "\(path) cannot be used: \(reason)")
    case .within(let checkpoint):
      let head = try log.end()?.head.sequence ?? 0
      if checkpoint.sequence < head, try obstacle() == nil, try isWhole() { try withLock(catchUp) }
      if let history = try database(through: 0) { return history }
      throw CatalogError(.verification, "\(path) was made again meanwhile; try again")
    }
  }

  /// - Throws: `EventLogError` with `lostEvents` if the database has applied events that the log lacks: no history is made then.
  func requireAllEvents() throws {
    if let lost = try LostEvents.find(in: directory) { throw lost }
  }

  /// Opens it to be compared with another one, up to the log's end if it can be brought so far. One that another version
  /// of the program made is opened as it is, if its tables are those of this one: what it has is what is compared.
  ///
  /// - Parameter note: called if it is made.
  /// - Throws: `CatalogError` with `readOnly` if there is none and none can be made.
  func openToCompare(_ note: (HistoryNote) -> Void) throws -> HistoryDatabase {
    if let schema = try schemaOfOtherVersion(),
      let history = try HistoryDatabase(path, schema, through: 0)
    {
      return history
    }
    guard let end = try log.end() else {
      throw CatalogError(.noCatalog, "there is no event log in \(directory.path)")
    }
    if let history = try openIfUsable(through: end.head.sequence, note) { return history }
    if let history = try openAsItIs() { return history }
    try requireAllEvents()
    throw CatalogError(
      .readOnly,
      "\(path) cannot be made: none is made in a folder that cannot be written or for a catalog that lost events; ask in a "
        + "copy of the catalog that can be written")
  }

  /// The schema of a history that fits the log, if another version of the program made it with the same tables; nil if it
  /// did not.
  private func schemaOfOtherVersion() throws -> HistorySchema? {
    guard case .unfit = try standing() else { return nil }
    let found: Checkpoint?
    do {
      found = try mark()
    } catch is StoreError {
      return nil
    }
    guard let mark = found, try log.logID() == mark.logID, try isWhole() else { return nil }
    let kind = log.kind
    let isOfSameTables = (0...max(kind.version, 0) + 100).contains { version in
      mark.fingerprint
        == ProjectorFingerprint(
          kind: kind.name, layout: kind.layout, version: version, schema: kind.schema)
    }
    guard isOfSameTables, try log.reader.refusal(of: mark.head) == nil else { return nil }
    return HistorySchema(kind.schema, mark.fingerprint)
  }

  /// Applies what it lacks, in transactions of some ten thousand events.
  func catchUp() throws {
    let queue = try HistoryMark.writer(path)
    defer { try? queue.close() }
    let version = try queue.writeWithoutTransaction { try $0.dataVersion() }
    let isUntouched = isUntouched
    var isDone = false
    while !isDone {
      try log.limit?.check()
      try queue.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          guard let start = try HistoryMark.read(database) else {
            throw StoreError(.drifted, "\(path) has no checkpoint")
          }
          isDone = try advance(database, from: start) == start
          return .commit
        }
      }
    }
    if isUntouched { queue.writeWithoutTransaction { files.keep($0, at: version) } }
  }

  /// Applies the batches of one transaction.
  ///
  /// - Returns: how far the history has come.
  private func advance(_ database: Database, from start: Checkpoint) throws -> Checkpoint {
    let replay = try EventReplay(log, after: start.head)
    let rows = try HistoryRowStore(database, schema)
    var history = HistoryReplay(rows, EventApplier(start.logID, log.kind), after: start.head)
    while history.head.sequence < start.sequence + Self.eventsPerTransaction,
      let batch = try replay.nextBatch({ try history.apply($0, $1) })
    {
      try history.end(batch)
      progress(
        CatalogProgress(phase: .folding, done: Int(history.head.sequence), total: nil))
    }
    let end = Checkpoint(
      logID: start.logID, head: history.head, fingerprint: schema.fingerprint)
    if end != start { try HistoryMark.write(end, rows.fileSum, database) }
    return end
  }

  /// Removes it, and what SQLite keeps beside it. A process that brings it up to date goes on with the file that it has.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func remove() throws -> Bool {
    let exists = DatabaseFile.isTaken(path)
    // A process that was killed here left a journal without its database, which SQLite would apply to the next one.
    for ending in ["", "-journal", "-wal", "-shm", "-proved"]
    where DatabaseFile.isTaken(path + ending) {
      // Another process may have been quicker.
      guard unlink(path + ending) == 0 || errno == ENOENT else {
        throw CatalogError(.directory, "cannot remove \(path + ending): \(SystemError.current)")
      }
    }
    return exists
  }
}

/// The knowledge about a history's file, valid as long as the file is the same: that its rows are what this program wrote, and how far
/// it fits the log, which only grows. A page asks many questions.
private final class SettledHistory: Sendable {
  private struct Settled {
    var whole: DatabaseStamp?
    var fitting: (sequence: UInt64, stamp: DatabaseStamp)?
  }

  private let known = Mutex(Settled())

  func keep(whole stamp: DatabaseStamp) {
    known.withLock { $0.whole = stamp }
  }

  func keep(_ sequence: UInt64, _ stamp: DatabaseStamp) {
    known.withLock { $0.fitting = (sequence, stamp) }
  }

  func isWhole(_ stamp: DatabaseStamp) -> Bool { known.withLock { $0.whole == stamp } }

  func reaches(_ sequence: UInt64, _ stamp: DatabaseStamp) -> Bool {
    known.withLock {
      $0.fitting.map { $0.sequence >= sequence && $0.stamp == stamp } ?? false
    }
  }

  func forget() {
    known.withLock { $0 = Settled() }
  }
}
