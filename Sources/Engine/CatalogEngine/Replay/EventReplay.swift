import CatalogModel
import CatalogStore
package import EventLog
package import Projections

/// Reads a log batch by batch as typed events, on the thread that takes them.
package final class EventReplay {
  private let cursor: any BatchCursor
  private var decoder: any BlockDecoder
  private let block: any EventBlock

  /// Bytes that are decoded at once, about.
  private static let pieceLength = 256 << 10

  /// - Parameter purpose: says which events may be left out.
  package convenience init(
    _ log: CatalogLog, after head: LogHead? = nil, for purpose: ReplayPurpose = .rows
  ) throws {
    try self.init(log.reader, after: head, decoder: log.kind.makeDecoder(purpose))
  }

  package init(
    _ reader: any LogStore, after head: LogHead? = nil, decoder: any BlockDecoder
  ) throws {
    cursor = try reader.cursor(after: head)
    self.decoder = decoder
    block = decoder.makeBlock()
  }

  /// Hands over the events of the next batch, in order, block by block, and returns the batch; nil at the end.
  ///
  /// The batch's chain hash is checked only after its last event: what `body` did with the events
  /// counts when this returns.
  ///
  /// - Parameter last: events up to this one are passed over.
  package func nextBatch(
    after last: UInt64 = 0, _ body: (any EventBlock, Range<Int>) throws -> Void
  ) throws -> BatchInfo? {
    guard let batch = try cursor.nextBatch() else { return nil }
    while let lines = try cursor.nextLines() {
      _ = try lines.forEachPiece(of: Self.pieceLength) { piece, first in
        block.removeAll()
        let decoded = Result { try decoder.decode(piece, first: first, into: block) }
        let start = last == 0 ? 0 : block.firstPlace(after: last)
        if start < block.count { try body(block, start..<block.count) }
        try decoded.get()
        return true
      }
    }
    return batch
  }
}

extension EventReplay {
  /// Applies whole batches to rows until one contains an event, or the log ends.
  ///
  /// - Parameters:
  ///   - log: that is replayed.
  ///   - start: of the rows, after which the replay is.
  ///   - held: events up to this one are in the rows already.
  ///   - whole: as in `EventApplier`.
  func advance(
    _ log: CatalogLog, from start: Checkpoint, through last: UInt64, holding held: UInt64 = 0,
    dividingAllBut whole: Set<UInt64>? = nil, to store: some RowStore,
    _ progress: @escaping ProgressObserver
  ) throws -> ProjectionAdvance {
    let applier = EventApplier(start.logID, log.kind, dividingAllBut: whole)
    var steps = ProgressSteps(total: last, progress)
    var head = start.head
    while head.sequence < last,
      let batch = try nextBatch(
        after: held,
        { block, range in
          try log.limit?.check()
          try applier.apply(block, range, to: store)
          steps.reached(block.sequence(at: range.upperBound - 1))
        })
    {
      head = batch.head
    }
    return ProjectionAdvance(
      Checkpoint(logID: start.logID, head: head, fingerprint: log.kind.fingerprint),
      conflicts: applier.takeConflicts())
  }
}
