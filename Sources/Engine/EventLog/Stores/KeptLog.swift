import LibC
import Support

/// The log in a `BatchStore`.
package final class KeptLog<Store: BatchStore>: LogStore {
  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  package var place: String { store.place }
  package var largestBatch: Int? { store.largestBatch }
  package var keepsOthersOut: Bool { false }

  package func durability() throws -> LogDurability { try asking { try store.durability() } }
  package func exists() throws -> Bool { try last() != nil }

  package func end(applied: () throws -> LogHead?) throws -> (logID: LogID, head: LogHead)? {
    try last().map { ($0.logID, $0.info.head) }
  }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    let end = try last()
    if let head, let end {
      try require(head, end)
    } else if let head, head.sequence > 0 {
      throw EventLogError.lostEvents(nil, head, place)
    }
    let batches = Batches(self)
    return try StoredBatchCursor(
      readsAhead ? BatchesAhead(batches, after: head) : batches, after: head, of: end?.logID,
      place: place)
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    guard let found = try batch(at: sequence), found.info.lastSequence >= sequence else {
      throw EventLogError.noEvent(sequence)
    }
    return found.info
  }

  package func place(of batch: BatchInfo) -> String { "\(place), event \(batch.firstSequence)" }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    let end = try last()
    guard let id = end?.logID ?? opening.logID else { throw EventLogError.noLog(place) }
    for known in opening.knownHeads {
      guard let end else {
        if known == .empty(id) { continue }
        throw EventLogError.lostEvents(nil, known, place)
      }
      try require(known, end)
    }
    return KeptLogWriter(
      self, id, end?.info.head ?? .empty(id), patience: opening.patience, try BatchMaker())
  }

  // MARK: The store

  /// An error of the store names the store and says what to do.
  private func asking<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as EventLogError {
      throw error
    } catch {
      throw unavailable(error)
    }
  }

  func unavailable(_ error: any Error) -> EventLogError {
    EventLogError(
      .unavailable, "\(place) answers: \(error); try again, or ask the people who keep it",
      file: place, isSilence: !(error is StoreRefusal))
  }

  func last() throws -> StoredBatch? { try asking { try store.last() } }

  private func batch(at sequence: UInt64) throws -> StoredBatch? {
    try asking { try store.batch(at: sequence) }
  }

  /// The batch that begins with an event.
  func batch(from first: UInt64) throws -> StoredBatch? { try batches(from: first).first }

  fileprivate func batches(from first: UInt64) throws -> [StoredBatch] {
    try asking { try store.batches(from: first) }
  }

  func add(_ batch: StoredBatch) throws -> Bool { try store.add(batch) }
  func confirm() throws { try store.confirm() }

  /// - Throws: `lostEvents` if no batch ends at a head.
  private func require(_ head: LogHead, _ end: StoredBatch) throws {
    let isThere =
      try head.sequence == 0
      ? head == .empty(end.logID)
      : end.info.head == head || batch(at: head.sequence)?.info.head == head
    guard isThere else { throw EventLogError.lostEvents(end.info.head, head, place) }
  }

  private final class Batches: StoredBatchSource {
    private let log: KeptLog
    /// Those that are given next, in reverse.
    private var waiting: [StoredBatch] = []

    init(_ log: KeptLog) {
      self.log = log
    }

    func next(after head: LogHead?) throws -> StoredBatch? {
      if waiting.isEmpty {
        waiting = try log.batches(from: (head?.sequence ?? 0) + 1).reversed()
      }
      return waiting.popLast()
    }
  }
}

/// Appends batches to a `BatchStore`, which decides between writers.
private final class KeptLogWriter<Store: BatchStore>: LogWriter {
  private let log: KeptLog<Store>
  private let maker: BatchMaker
  /// For how long a store that does not say what became of a batch is asked.
  private let patience: Duration
  let logID: LogID
  private(set) var head: LogHead

  init(
    _ log: KeptLog<Store>, _ id: LogID, _ head: LogHead, patience: Duration, _ maker: BatchMaker
  ) {
    (self.log, self.maker, self.patience, self.head) = (log, maker, patience, head)
    logID = id
  }

  func makeBatch(expecting expected: LogHead) -> LogBatchBuilder {
    maker.batch(after: expected, of: logID)
  }

  func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    let expected = batch.expected
    let new = try batch.batch()
    if let limit = log.largestBatch, new.bytes.count > limit {
      throw EventLogError.tooLarge(new, limit, log.place)
    }
    // A store looks at the number of a batch alone, so that nothing but the end of the log may be expected.
    if expected != head, try log.last().map(\.info.head) ?? .empty(logID) != expected {
      return try found(new, after: expected)
    }
    let outcome = try settle(new, after: expected)
    head = outcome.head
    return outcome
  }

  private func settle(_ new: StoredBatch, after expected: LogHead) throws -> AppendOutcome {
    let deadline = ContinuousClock.now + patience
    var cause = "it refuses the batch, and has none in its place"
    // Whether an earlier call may have kept the batch.
    var isOpen = false
    repeat {
      do {
        if try log.add(new) { return .appended(new.info.head) }
        if try log.batch(from: new.info.firstSequence) != nil {
          return try found(new, after: expected)
        }
      } catch let refusal as StoreRefusal {
        guard isOpen else { throw log.unavailable(refusal) }
        if try log.batch(from: new.info.firstSequence) != nil {
          return try found(new, after: expected)
        }
        cause = "\(refusal)"
        break
      } catch let error as EventLogError where error.code != .unavailable {
        throw error
      } catch {
        cause = "\(error)"
        isOpen = true
      }
      usleep(50_000)
    } while ContinuousClock.now < deadline
    throw EventLogError(
      .outcomeUnknown,
      "\(log.place) does not say whether events \(new.info.firstSequence) to \(new.info.lastSequence) are kept: \(cause); run "
        + "the command again when it answers", file: log.place, sequence: new.info.firstSequence)
  }

  /// A batch that is kept already, from an earlier try.
  ///
  /// - Throws: `headMoved` if its place has another one, or if it has no place.
  private func found(_ new: StoredBatch, after expected: LogHead) throws -> AppendOutcome {
    guard try log.batch(from: new.info.firstSequence)?.info.head == new.info.head else {
      throw EventLogError.headMoved(
        from: expected, to: try log.last()?.info.head ?? .empty(logID), log.place)
    }
    try confirm(new.info.head)
    return .already(new.info.head)
  }

  func confirm() throws { try confirm(head) }

  private func confirm(_ head: LogHead) throws {
    do {
      try log.confirm()
    } catch {
      throw EventLogError(
        .outcomeUnknown,
        "\(log.place) does not say whether events up to \(head.sequence) are kept: \(error); run the command again when it answers",
        file: log.place, sequence: head.sequence)
    }
  }

  func close() {}
}
