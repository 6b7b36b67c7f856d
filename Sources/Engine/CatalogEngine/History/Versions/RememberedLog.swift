import CatalogModel
import CatalogStore
package import EventLog

/// A log whose server does not answer, as far as the history of a catalog remembers it: the ends of its batches, and not their events.
///
/// Questions about the past that the history answers are answered so. Whatever reads an event gets the server's silence as an error.
package struct RememberedLog: LogStore {
  private let log: any LogStore
  private let history: HistoryDatabase
  private let silence: EventLogError
  private let known: Checkpoint

  /// - Parameters:
  ///   - log: the one that does not answer, with the kind that the database says.
  ///   - silence: the error of the server.
  /// - Returns: nil if the catalog has no history of this program, or one that lacks events which the database has applied: what
  ///   those changed would be denied.
  package init?(_ log: CatalogLog, of directory: CatalogDirectory, _ silence: EventLogError) {
    guard DatabaseFile.isTaken(directory.history),
      let history = try? CatalogHistory(directory, log).database(through: 1),
      LostEvents.checkpoint(in: directory)?.head == history.checkpoint.head
    else { return nil }
    (self.log, self.history, self.silence) = (log.reader, history, silence)
    known = history.checkpoint
  }

  /// Says up to which event questions are answered, and why no further.
  package var words: String { LostEvents.silence(silence, after: known.sequence) }

  package var place: String { log.place }
  package var largestBatch: Int? { log.largestBatch }
  package var keepsOthersOut: Bool { false }

  package func durability() throws -> LogDurability { throw silence }

  package func exists() throws -> Bool { true }

  package func end(
    applied: () throws -> LogHead?
  ) throws -> (logID: LogID, head: LogHead)? {
    (known.logID, known.head)
  }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    if let head, try history.lastEnd(through: head.sequence) != head {
      throw EventLogError.lostEvents(known.head, head, place)
    }
    return RememberedCursor(head == known.head ? nil : silence)
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    guard let end = try history.firstEnd(after: max(sequence, 1) - 1) else {
      throw EventLogError.noEvent(sequence)
    }
    let range = try history.batch(containing: end.sequence)
    let first = range?.firstSequence ?? end.sequence
    return BatchInfo(
      from: first, after: try history.lastEnd(through: first - 1)?.chain, through: end)
  }

  /// Calls `body` for each batch after a head, up to the one that holds an event, with the operations of its events.
  func forEachBatch(
    after head: LogHead?, through last: UInt64, _ body: (BatchInfo, [EntityID]) throws -> Void
  ) throws {
    for end in try history.ends(through: .max) where end > head?.sequence ?? 0 {
      let batch = try batch(containing: end)
      try body(batch, try history.operations(in: batch.firstSequence...batch.lastSequence))
      if end >= last { return }
    }
  }

  package func place(of batch: BatchInfo) -> String { "\(place), event \(batch.firstSequence)" }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter { throw silence }

  package func check(progress: (CheckProgress) -> Void) throws -> CheckReport { throw silence }
}

extension CatalogDirectory {
  /// The log of the catalog for questions about the past: if its server does not answer, what the history remembers of it, or, without
  /// a history that has all, the log that does not answer.
  ///
  /// - Parameter read: gives the log, and asks its server.
  package func pastLog(_ read: () throws -> any LogStore, of kinds: KnownKinds) throws -> CatalogLog
  {
    do {
      return try kinds.log(read(), besides: database)
    } catch let error as EventLogError where error.isSilence {
      let log = try kinds.log(store(), besides: database)
      return RememberedLog(log, of: self, error).map { CatalogLog($0, log.kind) } ?? log
    }
  }
}

/// Reads what a history does not have.
private final class RememberedCursor: BatchCursor {
  private let silence: EventLogError?

  /// - Parameter silence: nil at the end of the log.
  init(_ silence: EventLogError?) {
    self.silence = silence
  }

  func nextBatch() throws -> BatchInfo? {
    if let silence { throw silence }
    return nil
  }

  func nextLines() throws -> LineBlock? { nil }
}
