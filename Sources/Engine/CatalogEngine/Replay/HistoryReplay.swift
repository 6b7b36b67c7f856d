import CatalogModel
import CatalogStore
import EventLog
import Projections

/// Applies the events of whole batches to rows whose versions are kept.
struct HistoryReplay<Rows: HistoryRows> {
  private let rows: Rows
  private let applier: EventApplier
  /// The head after the last whole batch.
  private(set) var head: LogHead
  private var at: Timestamp?
  /// The first of events one after another that say the same of themselves.
  private var events: [EventEnvelope] = []

  init(_ rows: Rows, _ applier: EventApplier, after head: LogHead) {
    self.rows = rows
    self.applier = applier
    self.head = head
    rows.beginBatch(first: head.sequence + 1)
  }

  /// Applies events of the batch after `head`.
  mutating func apply(_ block: any EventBlock, _ range: Range<Int>) throws {
    for place in range {
      let envelope = block.envelope(at: place)
      if events.last.map({ !$0.hasSameHeader(as: envelope) }) ?? true { events.append(envelope) }
      at = max(at ?? envelope.at, envelope.at)
      rows.willApply(envelope.sequence)
      try applier.apply(block, place..<place + 1, to: rows.rows)
    }
  }

  /// Ends the batch, whose events were all applied.
  mutating func end(_ batch: BatchInfo) throws {
    let conflicts = applier.takeConflicts()
    if let first = events.first, let at {
      try rows.endBatch(
        HistoryBatch(
          firstSequence: batch.firstSequence, head: batch.head, at: at, operation: first.operation,
          source: first.by, events: events), conflicts: conflicts)
    }
    (head, events, at) = (batch.head, [], nil)
    rows.beginBatch(first: head.sequence + 1)
  }
}

extension EventEnvelope {
  /// Whether two events differ in nothing but their sequence.
  fileprivate func hasSameHeader(as other: EventEnvelope) -> Bool {
    type == other.type && at == other.at && operation == other.operation && by == other.by
  }
}
