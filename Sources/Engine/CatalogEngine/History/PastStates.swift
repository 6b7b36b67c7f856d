package import CatalogStore
import LibC
import Support

/// Makes the states that a catalog had: by a replay of its log, or out of its history.
package struct PastStates: Sendable {
  package private(set) var log: CatalogLog
  /// Answers questions about the past without a replay; nil if every one is replayed.
  package let history: CatalogHistory?
  let progress: ProgressObserver
  private let note: @Sendable (HistoryNote) -> Void
  /// The folder of a history that is thrown away; nil if the history is that of a catalog.
  private var folder: TemporaryFolder?

  /// - Parameters:
  ///   - history: nil if every question is answered by a replay.
  ///   - note: called if a history is made or cannot be used.
  package init(
    _ log: CatalogLog, history: CatalogHistory? = nil,
    progress: @escaping ProgressObserver = { _ in },
    note: @escaping @Sendable (HistoryNote) -> Void = { _ in }
  ) {
    self.note = note
    self.log = log
    self.history = history
    self.progress = progress
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

  /// Gives these states out of a history whatever the catalog has: if its own cannot be made or used, one is made that goes with
  /// the last copy of these states.
  ///
  /// - Throws: `CatalogError`: `directory` if no temporary folder can be made.
  package func withHistory() throws -> PastStates {
    guard let head = try log.head(), try openHistory(through: head.sequence) == nil else {
      return self
    }
    let folder = try TemporaryFolder()
    // Within it: a history locks its folder, and this one is locked as long as it is in use.
    let directory = CatalogDirectory(folder.file("catalog"))
    guard mkdir(directory.path, 0o700) == 0 else {
      throw CatalogError(.directory, "cannot create \(directory.path): \(SystemError.current)")
    }
    var states = PastStates(
      log, history: CatalogHistory(directory, log, progress: progress), progress: progress)
    states.folder = folder
    return states
  }

  /// The history, open for states up to an event; nil if a replay has to answer.
  func openHistory(
    through sequence: UInt64, _ reading: HistoryDatabase.Reading = .snapshot
  ) throws -> HistoryDatabase? {
    try history?.open(through: sequence, note, reading: reading)
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
  /// The history has the tables of the newest description, so that a replay answers if that one is later.
  ///
  /// - Returns: nil if the log of this kind does not describe it.
  package func asDescribed(through sequence: UInt64) -> PastStates? {
    guard let kind = log.kind as? any SelfDescribingKind else { return nil }
    let former = kind.described(through: sequence)
    guard former.fingerprint != log.kind.fingerprint else { return self }
    var earlier = CatalogLog(log.reader, former)
    earlier.limit = log.limit
    return PastStates(earlier, progress: progress, note: note)
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
