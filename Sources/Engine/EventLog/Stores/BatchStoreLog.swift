import LibC
import Support
import Synchronization

/// A log whose batches are kept by a store that is no folder: a server, or what an application brings.
package final class BatchStoreLog: LogStore {
  let server: any BatchServer
  /// Whether the end is asked for once, unless a caller knows a later head.
  private let asksOnce: Bool
  private let known: Mutex<(logID: LogID, head: LogHead)?>
  /// The last batch, if it is at hand. A reader of this batch gets no later one.
  private let latest: StoredBatch?

  package convenience init(server: any BatchServer) {
    self.init(server, asksOnce: false)
  }

  private init(
    _ server: any BatchServer, asksOnce: Bool, end: (logID: LogID, head: LogHead)? = nil,
    latest: StoredBatch? = nil
  ) {
    (self.server, self.asksOnce, self.latest) = (server, asksOnce, latest)
    known = Mutex(end)
  }

  package convenience init(_ store: some BatchStore) {
    self.init(server: PlainServer(store: store))
  }

  package var place: String { server.place }
  package var largestBatch: Int? { server.largestBatch }
  package var keepsOthersOut: Bool { false }
  package var upToDate: any LogStore { BatchStoreLog(server: server.primary) }

  package func atEnd(of writer: (any LogWriter)?) -> any LogStore {
    guard let writer, writer.head.sequence > 0 else {
      return asksOnce ? self : BatchStoreLog(server, asksOnce: true)
    }
    return BatchStoreLog(
      server, asksOnce: true, end: (writer.logID, writer.head), latest: writer.latest)
  }

  package func allowSilence(of duration: Duration) { server.allowSilence(of: duration) }
  package func place(of batch: BatchInfo) -> String { server.place(of: batch) }
  package func durability() throws -> LogDurability { try server.durability() }
  package func exists() throws -> Bool { try end() != nil }

  package func end(applied: () throws -> LogHead?) throws -> (logID: LogID, head: LogHead)? {
    let applied = try applied()
    let known = known.withLock(\.self)
    if let known, applied?.sequence ?? 0 <= known.head.sequence { return known }
    var end = try server.end()
    if let applied, applied.sequence > end?.head.sequence ?? 0 {
      end = try server.askingPrimary(before: end?.head, of: applied) { try $0.end() } ?? end
    }
    if asksOnce { self.known.withLock { $0 = end } }
    return end
  }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    if let head, let latest, latest.info.previousHead == head {
      return try cursor(BatchesAtHand([latest]), after: head)
    }
    let batches = server.batches()
    if let head, try !batches.begins(after: head) { try require(head) }
    return try cursor(readsAhead ? BatchesAhead(batches, after: head) : batches, after: head)
  }

  package func reading(from sequence: UInt64) throws -> any BatchCursor {
    let batch = try stored(containing: sequence)
    return try cursor(
      BatchesAtHand([batch], before: server.batches()), after: batch.info.start)
  }

  private func cursor(
    _ source: any StoredBatchSource, after head: LogHead?
  ) throws -> any BatchCursor {
    try StoredBatchCursor(source, after: head, of: nil, place: place)
  }

  /// - Throws: `lostEvents` if the log does not have a head.
  private func require(_ head: LogHead) throws {
    guard let refusal = try server.refusal(of: head) else { return }
    let ofPrimary = try server.askingPrimary(before: server.end()?.head, of: head) {
      try $0.refusal(of: head)
    }
    guard let ofPrimary else { throw refusal }
    if let refusal = ofPrimary { throw refusal }
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    try stored(containing: sequence).info
  }

  private func stored(containing sequence: UInt64) throws -> StoredBatch {
    guard let found = try server.batch(at: sequence), found.lastSequence >= sequence else {
      throw EventLogError.noEvent(sequence)
    }
    return found
  }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    let session = try server.begin(opening)
    guard let id = session.end?.logID ?? opening.logID else { throw EventLogError.noLog(place) }
    let head = session.end?.head ?? .empty(id)
    for known in opening.knownHeads where known != head {
      if let refusal = try server.primary.refusal(of: known) { throw refusal }
    }
    return KeptLogWriter(server, session, id, head, opening.patience, try BatchMaker())
  }
}

/// Appends batches to a store, which decides between writers.
///
/// A call of the store may end without an answer. Then the batch is looked for: a batch that is found is not yet one that is kept, since
/// a store may show what a failure of its own takes away. So nothing is called appended before the store has said that it is kept.
private final class KeptLogWriter: LogWriter {
  private let server: any BatchServer
  private let session: any BatchSession
  private let maker: BatchMaker
  /// For how long a store that does not say what became of a batch is asked.
  private let patience: Duration
  private var isClosed = false
  private(set) var latest: StoredBatch?
  let logID: LogID
  private(set) var head: LogHead

  private var place: String { server.place }

  init(
    _ server: any BatchServer, _ session: any BatchSession, _ id: LogID, _ head: LogHead,
    _ patience: Duration, _ maker: BatchMaker
  ) {
    (self.server, self.session, self.maker) = (server, session, maker)
    (self.patience, self.head, logID) = (patience, head, id)
  }

  func makeBatch(expecting expected: LogHead) -> LogBatchBuilder {
    maker.batch(after: expected, of: logID)
  }

  func close() {
    session.endTurn()
    isClosed = true
  }

  // MARK: Appending

  /// Bytes of a batch that is kept at hand, at most.
  private static let shortBatch = 1 << 20

  func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    guard !isClosed else { throw EventLogError.closed(place) }
    let expected = batch.expected
    let new = try batch.batch()
    if let limit = server.largestBatch, new.bytes.count > limit {
      throw EventLogError.tooLarge(new, limit, place)
    }
    // A store looks at the number of a batch alone, so that nothing but the end of the log may be expected.
    if expected != head, case let end = try end(), end != expected {
      guard try isKept(new.info.head) else { throw try moved(from: expected, to: end) }
      return .already(new.info.head)
    }
    let outcome = try settle(new, after: expected)
    head = outcome.head
    latest = new.bytes.count <= Self.shortBatch ? new : nil
    return outcome
  }

  private func settle(_ new: StoredBatch, after expected: LogHead) throws -> AppendOutcome {
    let deadline = ContinuousClock.now + patience
    let own = new.info.head
    var cause = ""
    // Whether an earlier call may have kept the batch.
    var isOpen = false
    var attempts = 0
    while attempts == 0 || ContinuousClock.now < deadline {
      // Once more at once, since most often a connection was lost that had been idle.
      if attempts > 1 { usleep(50_000) }
      attempts += 1
      switch session.add(new, until: deadline) {
      case .kept: return .appended(own)
      case .taken:
        do {
          if try session.keeps(own, until: deadline) { return .already(own) }
          let end = try end()
          guard end == expected else { throw try moved(from: expected, to: end) }
          cause = "it refuses the batch, and has none in its place"
        } catch let error as EventLogError where !Self.isWorthRetrying(error) {
          throw error
        } catch {
          (cause, isOpen) = ("\(error)", true)
        }
      case .refused(let refusal):
        guard isOpen else { throw refusal }
        // A refusal says nothing of a batch that was sent before. If the store does not answer now, it is asked again.
        if let isKept = try? session.keeps(own, until: deadline), isKept { return .already(own) }
        cause = refusal.message
      case .again(let words): cause = words
      case .unknown(let words): (cause, isOpen) = (words, true)
      }
    }
    throw EventLogError(
      .outcomeUnknown,
      "\(place) does not say whether events \(new.firstSequence) to \(new.lastSequence) are kept: \(cause); run the command "
        + "again when it answers", file: place, sequence: new.firstSequence)
  }

  /// Whether a store that answers so may answer otherwise later.
  private static func isWorthRetrying(_ error: EventLogError) -> Bool {
    [.unavailable, .notDurable].contains(error.code)
  }

  /// The end of the log now.
  private func end() throws -> LogHead { try server.primary.end()?.head ?? .empty(logID) }

  /// The log has another head, or it lost what was there.
  private func moved(from expected: LogHead, to end: LogHead) throws -> EventLogError {
    if try expected.sequence > 0 && !server.primary.holds(expected) {
      return .lostEvents(end, expected, place)
    }
    return .headMoved(from: expected, to: end, place)
  }

  func confirm() throws {
    guard try head.sequence == 0 || isKept(head) else {
      throw EventLogError.lostEvents(nil, head, place)
    }
  }

  /// - Throws: `outcomeUnknown` if the store does not say so.
  private func isKept(_ head: LogHead) throws -> Bool {
    do {
      return try session.keeps(head, until: .now + patience)
    } catch let error as EventLogError {
      throw error
    } catch {
      throw EventLogError(
        .outcomeUnknown,
        "\(place) does not say whether events up to \(head.sequence) are kept: \(error); run the command again when it answers",
        file: place, sequence: head.sequence)
    }
  }
}
