import Recoveries
import Synchronization

/// A log in the memory of this process, for tests.
///
/// Nothing of it survives the process. Several writers may be open at once: an append that expects another head is refused.
package final class MemoryLog: LogStore {
  private struct State {
    var logID: LogID?
    var batches: [StoredBatch] = []

    var head: LogHead? { batches.last?.info.head ?? logID.map { .empty($0) } }

    /// The place of the batch that follows a head; nil if no batch ends there.
    func place(after head: LogHead?) -> Int? {
      guard let head, head.sequence > 0 else {
        return head == nil || head == logID.map { LogHead.empty($0) } ? 0 : nil
      }
      var (low, high) = (0, batches.count)
      while low < high {
        let middle = (low + high) / 2
        if batches[middle].info.lastSequence < head.sequence {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low < batches.count && batches[low].info.head == head ? low + 1 : nil
    }
  }

  private let state = Mutex(State())
  package let place: String
  package let largestBatch: Int?
  package var keepsOthersOut: Bool { false }

  package init(place: String = "memory", largestBatch: Int? = nil) {
    self.place = place
    self.largestBatch = largestBatch
  }

  package func durability() -> LogDurability { .memory }
  package func exists() -> Bool { state.withLock { !$0.batches.isEmpty } }
  package func logID() -> LogID? { state.withLock { $0.batches.first?.logID } }

  package func end(applied: () throws -> LogHead?) -> (logID: LogID, head: LogHead)? {
    state.withLock { state in
      guard let last = state.batches.last else { return nil }
      return (last.logID, last.info.head)
    }
  }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    let id = try state.withLock { state in
      if let head, state.place(after: head) == nil, !state.batches.isEmpty {
        throw EventLogError.lostEvents(state.head, head, place)
      }
      return state.logID
    }
    return try StoredBatchCursor(Source(log: self), after: head, of: id, place: place)
  }

  private final class Source: StoredBatchSource {
    let log: MemoryLog

    init(log: MemoryLog) {
      self.log = log
    }

    func next(after head: LogHead?) -> StoredBatch? {
      log.state.withLock { state in
        state.place(after: head).flatMap { $0 < state.batches.count ? state.batches[$0] : nil }
      }
    }
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    let found = state.withLock { state in
      state.batches.first { $0.info.firstSequence <= sequence && sequence <= $0.info.lastSequence }
    }
    guard let found else {
      throw EventLogError(.lostEvents, "there is no event \(sequence)", sequence: sequence)
    }
    return found.info
  }

  package func place(of batch: BatchInfo) -> String { "\(place), event \(batch.firstSequence)" }

  package func check(progress: (CheckProgress) -> Void) throws -> CheckReport {
    try CheckReport(of: self, progress: progress)
  }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    let (id, head) = try state.withLock { state in
      if state.logID == nil { state.logID = opening.logID }
      guard let id = state.logID else { throw EventLogError.noLog(place) }
      for known in opening.knownHeads where state.place(after: known) == nil {
        throw EventLogError.lostEvents(state.head, known, place)
      }
      return (id, state.head ?? .empty(id))
    }
    return Writer(self, id, head, try BatchMaker())
  }

  private final class Writer: LogWriter {
    private let log: MemoryLog
    private let maker: BatchMaker
    let logID: LogID
    private(set) var head: LogHead

    init(_ log: MemoryLog, _ id: LogID, _ head: LogHead, _ maker: BatchMaker) {
      (self.log, self.maker, self.head) = (log, maker, head)
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
      let outcome = try log.state.withLock { state throws -> AppendOutcome in
        guard state.head == expected else {
          let place = state.place(after: expected)
          if let place, place < state.batches.count,
            state.batches[place].info.head == new.info.head
          {
            return .already(new.info.head)
          }
          throw EventLogError.headMoved(
            from: expected, to: state.head ?? .empty(logID), log.place)
        }
        state.batches.append(new)
        return .appended(new.info.head)
      }
      head = outcome.head
      return outcome
    }

    func close() {}
  }
}

extension EventLogError {
  /// The log lacks a head that was acknowledged.
  package static func lostEvents(
    _ end: LogHead?, _ known: LogHead, _ place: String
  ) -> EventLogError {
    let last = end?.sequence ?? 0
    return EventLogError(
      .lostEvents,
      last < known.sequence
        ? "the log in \(place) ends at event \(last), but event \(known.sequence) was acknowledged: it lost events; "
          + "restore it from a copy"
        : "the log in \(place) has other events up to \(known.sequence) than were acknowledged; restore it from a copy",
      file: place, sequence: known.sequence)
  }

  package static func headMoved(
    from expected: LogHead, to head: LogHead, _ place: String
  ) -> EventLogError {
    EventLogError(
      .headMoved,
      expected.sequence == head.sequence
        ? "the log in \(place) has different events up to \(head.sequence) than expected; read it again and retry"
        : "the log in \(place) is at event \(head.sequence), not at \(expected.sequence) as expected: another writer has "
          + "appended; read it again and retry",
      file: place, sequence: head.sequence)
  }

  package static func noLog(_ place: String) -> EventLogError {
    EventLogError(
      .io, "there is no event log in \(place); name the catalog\(do: .nameCatalog)", file: place)
  }

  package static func tooLarge(
    _ batch: StoredBatch, _ limit: Int, _ place: String
  ) -> EventLogError {
    EventLogError(
      .tooLarge,
      "the change has \(batch.info.eventCount) events of \(batch.bytes.count) stored bytes, and \(place) takes \(limit) at "
        + "most; make it in parts", file: place, sequence: batch.info.firstSequence)
  }
}
