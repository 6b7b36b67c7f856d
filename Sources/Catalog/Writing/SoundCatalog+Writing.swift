import CatalogModel
import CatalogStore
import EventLog
import Logging
import Projections

/// What a change of the catalog came to.
public struct ChangeReport: Hashable, Sendable {
  /// How many events were appended; 0 where the catalog said already what was asked for.
  public let events: Int
  /// The log's last sequence afterwards.
  public let sequence: UInt64
}

extension SoundCatalog {
  /// Appends the events that `plan` finds against the rows at the log's head, as one batch, and applies
  /// them. Nothing is appended where there are none, or where `plan` throws.
  ///
  /// - Parameter wait: for another writer; nil for what the catalog was opened with.
  @discardableResult
  func change(
    by: String, wait: Duration? = nil, plan: (any RowStore) throws -> [CatalogEvent]
  ) throws -> ChangeReport {
    guard try log.head() != nil else {
      throw CatalogError(.noCatalog, "there is nothing in this catalog yet; import a seed first")
    }
    let writer = try openLog(knownHeads: knownHeads(), wait: wait)
    defer { writer.close() }
    // Another process may have written since this one looked last.
    try ProjectionUpdate(log, projection).catchUp()
    let events = try projection.read(plan)
    guard !events.isEmpty else { return ChangeReport(events: 0, sequence: writer.head.sequence) }
    let now = options.clock.now()
    try rehearse(events, after: writer.head.sequence, at: now, by: by)
    var batch = try EventBatch(
      writer, after: writer.head, at: now, by: by, input: EventBatch.input(of: events, by: by))
    for event in events { try batch.add(event) }
    let head = try commit(batch, to: writer)
    return ChangeReport(events: events.count, sequence: head.sequence)
  }

  /// Applies events and takes that back: an event that the projector refuses must never get into the log,
  /// where it would stop every replay.
  ///
  /// - Throws: `ProjectionError` where it refuses one.
  private func rehearse(
    _ events: [CatalogEvent], after sequence: UInt64, at time: Timestamp, by: String
  ) throws {
    let projector = SoundLibraryProjector()
    try projection.update { _, store in
      for (index, event) in events.enumerated() {
        let record = EventRecord(
          sequence: sequence + 1 + UInt64(index), at: time, operation: EntityID(high: 0, low: 0),
          by: by, event: event)
        try projector.apply(record, to: store)
      }
      return nil
    }
  }

  /// Appends a batch and carries the projection to it.
  func commit(_ batch: consuming EventBatch, to writer: EventLogWriter) throws -> LogHead {
    let before = batch.before
    let head = try batch.append(to: writer)
    if let failure = writer.sealingFailure {
      options.logger.warning(
        "a closed segment could not be sealed; the log is whole, `catalogctl seal` tries again: \(failure)"
      )
    }
    try applyLocked(from: before, to: head)
    return head
  }
}
