package import CatalogStore
import LibC
import Support
import Synchronization

/// Makes the states that a catalog had, out of a history of its log: that of the catalog, or one that is made for these states alone.
///
/// The state after one event, and the events of one row, are also found by one replay of the log, which costs less than a history
/// that is not there yet.
package struct PastStates: Sendable {
  package private(set) var log: CatalogLog
  /// The catalog's own; nil if it has none, or none is to be used.
  private let kept: CatalogHistory?
  private let temporary: TemporaryHistory
  let progress: ProgressObserver
  private let note: @Sendable (HistoryNote) -> Void

  /// The history that is there, or that a question about a state makes; nil if a replay answers it.
  package var history: CatalogHistory? { temporary.history ?? kept }

  /// - Parameters:
  ///   - history: the catalog's own; nil if it is neither made nor used.
  ///   - note: called if a history is made or cannot be used.
  package init(
    _ log: CatalogLog, history: CatalogHistory? = nil,
    progress: @escaping ProgressObserver = { _ in },
    note: @escaping @Sendable (HistoryNote) -> Void = { _ in }
  ) {
    self.init(log, history, through: nil, progress, note)
  }

  /// - Parameter last: the latest event that is asked for; nil if any of the log may be.
  private init(
    _ log: CatalogLog, _ history: CatalogHistory?, through last: UInt64?,
    _ progress: @escaping ProgressObserver, _ note: @escaping @Sendable (HistoryNote) -> Void
  ) {
    (self.log, kept, self.progress, self.note) = (log, history, progress, note)
    temporary = TemporaryHistory(last)
  }

  /// Finds the state that a moment means. Of the batches that a history has, the log is not read for their times.
  ///
  /// - Throws: as `Moment.found`.
  package func found(_ moment: Moment) throws -> FoundMoment {
    guard moment.time != nil, history != nil, try (log.head()?.sequence ?? 0) > 0 else {
      return try moment.found(in: log, history: history)
    }
    var search = MomentSearch(moment)
    for batch in try batches().batches { search.add(batch) }
    return try search.found()
  }

  /// These states with a history for all of them, so that no question replays the log.
  ///
  /// - Throws: `CatalogError`: `directory` if no temporary folder can be made.
  package func withHistory() throws -> PastStates {
    if let head = try log.head() {
      _ = try openHistory(through: min(head.sequence, temporary.last ?? .max))
    }
    return self
  }

  /// The history that is there, open for states up to an event; nil if a replay has to answer.
  func readyHistory(
    through sequence: UInt64, _ reading: HistoryDatabase.Reading = .snapshot
  ) throws -> HistoryDatabase? {
    guard let history = temporary.history else {
      return try kept?.openIfUsable(through: sequence, note, reading: reading)
    }
    return try history.open(through: sequence, note, reading: reading)
  }

  /// A history, open for states up to an event: if the catalog's own cannot be made or used, one that goes with the last copy of
  /// these states.
  ///
  /// - Throws: `CatalogError` with `directory` if no temporary folder can be made.
  func openHistory(through sequence: UInt64) throws -> HistoryDatabase {
    if let history = try readyHistory(through: sequence) { return history }
    let history = try temporary.made(of: log, progress)
    let opened = try history.open(through: sequence) { made in
      guard case .made(_, let bytes, let duration, _) = made else { return note(made) }
      note(.madeForOnce(bytes, duration))
    }
    if let opened { return opened }
    throw CatalogError(
      .directory,
      "the history \(history.path) was made for this question, and does not have event \(sequence)")
  }

  /// These states with an end of the time in which they answer. The history is brought up to date before that time begins: it may
  /// have to be made, or to wait for another process.
  ///
  /// - Parameter stop: ends the work before that time.
  package func ready(
    through sequence: UInt64, within time: Duration, stop: WorkStop = WorkStop()
  ) throws -> PastStates {
    _ = try openHistory(through: sequence)
    var states = self
    states.log.limit = TimeLimit(time, stop: stop)
    return states
  }

  /// These states with the tables that the log described up to an event, for moments up to it.
  ///
  /// The catalog's own history has the tables of the newest description, so that another one is made if that is later.
  ///
  /// - Returns: nil if the log of this kind does not describe it.
  package func asDescribed(through sequence: UInt64) -> PastStates? {
    guard let kind = log.kind as? any SelfDescribingKind else { return nil }
    let former = kind.described(through: sequence)
    guard former.fingerprint != log.kind.fingerprint else { return self }
    var earlier = CatalogLog(log.reader, former)
    earlier.limit = log.limit
    return PastStates(earlier, nil, through: sequence, progress, note)
  }

  /// Replays the log up to the end of the batch that contains an event, into a file that goes when it is closed.
  ///
  /// - Parameter open: opens the file. What it returns keeps the file: nothing is left, however the process ends.
  func opened<Opened>(through sequence: UInt64, _ open: (String) throws -> Opened) throws -> Opened
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("past.sqlite")
    try write(through: sequence, to: path)
    return try open(path)
  }

  /// Replays the log up to the end of the batch that contains an event, into a new file.
  @discardableResult
  package func write(through sequence: UInt64, to path: String) throws -> Checkpoint {
    try ProjectionRebuild(log, through: sequence, progress: progress).write(to: path)
  }
}

/// A history of a log in a folder that goes with the states that it was made for.
private final class TemporaryHistory: Sendable {
  /// The latest event that it has; nil if it has all of the log.
  let last: UInt64?
  private let made = Mutex<(folder: TemporaryFolder, history: CatalogHistory)?>(nil)

  init(_ last: UInt64?) {
    self.last = last
  }

  /// nil if no question needed it so far.
  var history: CatalogHistory? { made.withLock { $0?.history } }

  func made(
    of log: CatalogLog, _ progress: @escaping ProgressObserver
  ) throws -> CatalogHistory {
    try made.withLock { made in
      if let made { return made.history }
      let folder = try TemporaryFolder()
      // Within it: a history locks its folder, and this one is locked as long as it is in use.
      let directory = CatalogDirectory(folder.file("catalog"))
      guard mkdir(directory.path, 0o700) == 0 else {
        throw CatalogError(.directory, "cannot create \(directory.path): \(SystemError.current)")
      }
      let history = CatalogHistory(directory, log, through: last, progress: progress)
      made = (folder, history)
      return history
    }
  }
}
