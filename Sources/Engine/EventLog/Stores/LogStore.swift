/// A log, whatever keeps it: a folder of this machine, memory, a server that several machines share.
///
/// The events, their chain and their heads are the same in each of them. A store is shared by threads; a cursor and a writer
/// have one owner.
package protocol LogStore: Sendable {
  /// For people: a path, or an address. It never has a password.
  var place: String { get }
  /// Stored bytes of a batch, at most; nil if only memory bounds them.
  var largestBatch: Int? { get }
  /// Says what an acknowledged batch survives.
  func durability() throws -> LogDurability
  /// Whether an open writer keeps others out. If not, others may append at any time, and an append may find that the head
  /// moved.
  var keepsOthersOut: Bool { get }

  /// The log as its writers see it: readers of `self` may ask a server that has the last batches a little later.
  var upToDate: any LogStore { get }

  /// The log as it is read from now on, with one question for its end if others may append to it at any time: each question costs
  /// a round trip to a server.
  ///
  /// The end is that of a moment in the past. A caller that knows a later head gets the end of now.
  ///
  /// - Parameter writer: whose head is the end, and whose latest batch is read without the store; nil asks for both.
  func atEnd(of writer: (any LogWriter)?) -> any LogStore

  /// Lets a server be silent for as long before it is given up, if that is longer than its readers wait anyway: a caller that
  /// waits for other writers also waits for a pooler whose connections they have.
  func allowSilence(of duration: Duration)

  /// Whether there is a log, damaged or not.
  func exists() throws -> Bool
  /// The id of the log; nil if there is no log yet.
  func logID() throws -> LogID?
  /// The id of the log and its end; nil if there is no log yet.
  ///
  /// - Parameter applied: gives a head that a database has applied: a long batch that ends there is not read again.
  func end(applied: () throws -> LogHead?) throws -> (logID: LogID, head: LogHead)?
  /// Reads from the batch after a head on; nil begins with event 1.
  ///
  /// - Parameter readsAhead: whether another thread may read ahead, for a caller that reads all of it.
  /// - Throws: `lostEvents` if the log has no batch that ends at that head.
  func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor
  /// Reads from the batch on that holds an event.
  ///
  /// - Throws: `lostEvents` if there is no such event.
  func reading(from sequence: UInt64) throws -> any BatchCursor
  /// The batch that holds an event.
  ///
  /// - Throws: `lostEvents` if there is no such event.
  func batch(containing sequence: UInt64) throws -> BatchInfo
  /// The place of a batch, for people.
  func place(of batch: BatchInfo) -> String
  /// Opens the log to append to it.
  ///
  /// - Throws: `locked` if another writer keeps this one out, `lostEvents` if the log lacks a known head, `notDurable` if the
  ///   store does not keep what it acknowledges.
  func writing(_ opening: WriterOpening) throws -> any LogWriter
  /// Reads everything and checks everything; the log is left alone.
  func check(progress: (CheckProgress) -> Void) throws -> CheckReport
}

extension LogStore {
  package var upToDate: any LogStore { self }

  package func atEnd(of writer: (any LogWriter)?) -> any LogStore { self }

  package func atEnd() -> any LogStore { atEnd(of: nil) }

  package func allowSilence(of duration: Duration) {}

  package func end() throws -> (logID: LogID, head: LogHead)? { try end(applied: { nil }) }

  package func reading(from sequence: UInt64) throws -> any BatchCursor {
    try reading(after: batch(containing: sequence).start, readsAhead: false)
  }

  package func head() throws -> LogHead? { try end()?.head }

  package func cursor(
    after head: LogHead? = nil, decodesAhead: Bool = false
  ) throws -> any BatchCursor {
    try reading(after: head, readsAhead: decodesAhead)
  }

  package func logID() throws -> LogID? { try end()?.logID }

  package func check(progress: (CheckProgress) -> Void) throws -> CheckReport {
    try CheckReport(of: self, progress: progress)
  }

  package func check() throws -> CheckReport { try check { _ in } }

  /// New batches as they come, whatever process appends them.
  package func follow(
    after head: LogHead? = nil, every interval: Duration = .milliseconds(100)
  ) -> LogFollower {
    LogFollower(reader: self, head: head, interval: interval)
  }

  /// Compares the log with a head.
  package func compare(at head: LogHead) throws -> HeadComparison {
    guard let end = try end() else { return .beyond }
    if end.head == head { return .same }
    if end.head.sequence < head.sequence { return .beyond }
    do {
      _ = try reading(after: head, readsAhead: false)
      return .same
    } catch let error as EventLogError where error.code == .lostEvents {
      return .differs
    }
  }
}

/// The result of comparing a log with a head.
package enum HeadComparison: Hashable, Sendable {
  /// A batch of the log ends there, with that chain hash.
  case same
  /// The log has other events up to there.
  case differs
  /// The log ends before it.
  case beyond
}

/// The worst that an acknowledged batch survives.
public enum LogDurability: Int, Hashable, Sendable, Comparable {
  /// The end of nothing: it is in memory.
  case memory
  /// The end of the process that appended it.
  case process
  /// A loss of power.
  case machine
  /// The loss of a machine: at least two have it.
  case zone

  public static func < (left: LogDurability, right: LogDurability) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Reads the batches of a log in order.
///
/// Bytes that it gives live until its next call.
package protocol BatchCursor: AnyObject {
  /// Returns the next batch, or nil at the end of the log. A later call returns what was appended meanwhile.
  func nextBatch() throws -> BatchInfo?
  /// Several of the next batches at once; nil if they are not at hand so, which `nextBatch` goes on from.
  ///
  /// - Parameter length: how many plain bytes they have at most.
  func nextBatches(length: Int) throws -> BatchBlock?
  /// Whole lines of the batch; nil when all were given and the chain hash is right.
  func nextLines() throws -> LineBlock?
}

extension BatchCursor {
  package func nextBatches(length: Int) throws -> BatchBlock? { nil }
}

/// How a writer is opened.
package struct WriterOpening {
  /// The id to give to a log that does not exist yet; nil refuses to make one.
  package var logID: LogID?
  /// Heads that were acknowledged: the log must hold each of them.
  package var knownHeads: [LogHead]
  /// Whether to read all stored bytes again.
  package var checksEarlier: Bool
  /// Names this writer in the error that others get.
  package var holder: String
  /// How long to wait for another writer; nil fails at once.
  package var wait: Duration?
  /// For how long a server that does not say what became of a batch is asked.
  package var patience: Duration
  /// Whether to append also to a server that may lose what it acknowledges.
  package var acceptsLoss: Bool
  /// Whether other writers are kept from appending until this one has appended or is closed, as far as the log can do that
  /// and they respect it: for a change that others were quicker than again and again.
  package var takesTurn: Bool
  /// Called once, before it waits for another writer.
  package var willWait: () -> Void

  package init(
    logID: LogID? = nil, knownHeads: [LogHead] = [], checksEarlier: Bool = false,
    holder: String, wait: Duration? = nil, patience: Duration = .seconds(30),
    acceptsLoss: Bool = false, takesTurn: Bool = false, willWait: @escaping () -> Void = {}
  ) {
    self.takesTurn = takesTurn
    self.patience = patience
    self.acceptsLoss = acceptsLoss
    self.logID = logID
    self.knownHeads = knownHeads
    self.checksEarlier = checksEarlier
    self.holder = holder
    self.wait = wait
    self.willWait = willWait
  }
}

/// Appends batches to a log. One owner at a time.
package protocol LogWriter: AnyObject {
  var logID: LogID { get }
  /// The end of what is acknowledged, as far as this writer knows.
  var head: LogHead { get }
  /// The torn tail that was cut off when this writer was made.
  var recovery: TornTail? { get }
  /// Why a part of the log that was closed could not be compacted. The log is whole without it.
  var sealingFailure: (any Error)? { get }

  /// Begins a batch that follows `expected`.
  func makeBatch(expecting expected: LogHead) throws -> LogBatchBuilder
  /// Appends a batch: all of it, durably, or nothing.
  ///
  /// - Throws: `headMoved` if the log has another head than the batch expects and does not hold the same batch there
  ///   already; `outcomeUnknown` if that cannot be known; `tooLarge`; `notDurable`.
  func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome
  /// The batch that this writer appended last; nil if it is not at hand.
  var latest: StoredBatch? { get }
  /// Makes sure that all up to `head` survives what an acknowledgement survives, for a caller that found there what it would
  /// have appended.
  ///
  /// - Throws: `outcomeUnknown` if the store does not say so.
  func confirm() throws
  /// Begins to compact what is closed, on another thread.
  func beginSealing()
  func finishSealing()
  /// Compacts all that is closed and all that is open.
  ///
  /// - Parameter step: called with the compaction of each part, which it does.
  func seal(
    _ step: (() throws -> SealedSegment?) throws -> SealedSegment?
  ) throws -> [SealedSegment]
  /// Later calls fail.
  func close()
}

extension LogWriter {
  package var recovery: TornTail? { nil }
  package var sealingFailure: (any Error)? { nil }
  package var latest: StoredBatch? { nil }
  package func confirm() throws {}
  package func beginSealing() {}
  package func finishSealing() {}
  package func seal(
    _ step: (() throws -> SealedSegment?) throws -> SealedSegment?
  ) throws -> [SealedSegment] { [] }
  package func seal() throws -> [SealedSegment] { try seal { try $0() } }
}
