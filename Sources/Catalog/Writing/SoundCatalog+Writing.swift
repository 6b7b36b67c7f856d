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
    var batch = try EventBatch(
      writer, after: writer.head, at: options.clock.now(), by: by,
      input: EventBatch.input(of: events, by: by))
    for event in events { try batch.add(event) }
    let head = try commit(batch, to: writer)
    return ChangeReport(events: events.count, sequence: head.sequence)
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
