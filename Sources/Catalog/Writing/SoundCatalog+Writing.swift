import CatalogModel
import CatalogStore
import EventLog
import Logging
import Projections

/// What a change of the catalog came to.
public struct ChangeReport: Hashable, Sendable {
  public let outcome: ChangeOutcome
  /// Why the database does not have the events yet; nil where it does.
  public let failure: String?
  /// How many events were appended; 0 where the catalog said already what was asked for.
  public let events: Int
  /// The log's last sequence afterwards.
  public let sequence: UInt64
}

extension SoundCatalog {
  /// Appends the events that `plan` finds against the rows at the log's head, as one batch, and applies
  /// them. Nothing is appended where there are none, or where `plan` throws. The rows are proved: each is
  /// what the projector wrote.
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
    let events = try planning { try projection.readProved(plan) }
    guard !events.isEmpty else {
      return ChangeReport(
        outcome: .unchanged, failure: nil, events: 0, sequence: writer.head.sequence)
    }
    let now = options.clock.now()
    try rehearse(events, after: writer.head.sequence, at: now, by: by)
    var batch = try EventBatch(
      writer, after: writer.head, at: now, by: by, input: EventBatch.input(of: events, by: by))
    for event in events { try batch.add(event) }
    let commit = try commit(batch, to: writer)
    return ChangeReport(
      outcome: commit.failure == nil ? .applied : .appended, failure: commit.failure,
      events: events.count, sequence: commit.head.sequence)
  }

  /// Plans a change on rows that are proved.
  ///
  /// Where nothing can prove the rows, because an earlier release made the database, it is rebuilt first: the
  /// log has everything. Rows that are not what the projector wrote are evidence, and stay unless the catalog was
  /// opened to rebuild them.
  ///
  /// - Parameters:
  ///   - isLocked: whether the caller holds the log's lock; who plans and appends nothing does not.
  ///   - body: may be called twice; reads through `readProved` or `readInMemory`.
  /// - Throws: `StoreError` with `drifted`; what `body` throws.
  func planning<Plan: ~Copyable>(
    isLocked: Bool = true, _ body: () throws -> Plan
  ) throws -> Plan {
    do {
      return try body()
    } catch let error as StoreError where error.code == .unproved {
      options.logger.warning("the database is rebuilt: \(error)")
    } catch let error as StoreError where error.code == .drifted && options.drift == .rebuild {
      options.logger.warning("the database is rebuilt: \(error)")
    }
    if isLocked { try rebuildLocked() } else { try rebuildNow() }
    return try body()
  }

  /// Applies events and takes that back: an event that contradicts the rows would change nothing, in this
  /// replay and in all later ones, and is not what was asked for.
  ///
  /// - Throws: `ProjectionError` where one does.
  private func rehearse(
    _ events: [CatalogEvent], after sequence: UInt64, at time: Timestamp, by: String
  ) throws {
    let projector = SoundLibraryProjector()
    try projection.update { _, store in
      for (index, event) in events.enumerated() {
        let record = EventRecord(
          sequence: sequence + 1 + UInt64(index), at: time, operation: EntityID(high: 0, low: 0),
          by: by, event: event)
        try projector.applyWithoutConflict(record, to: store)
      }
      return nil
    }
  }

  /// What an append came to: it is durable, whether the database has it yet or not.
  struct Commit {
    let head: LogHead
    /// Why the database does not have the events yet.
    let failure: String?
  }

  /// Appends a batch and applies it to the projection.
  ///
  /// - Throws: where nothing was appended, or where that cannot be known.
  func commit(_ batch: consuming EventBatch, to writer: EventLogWriter) throws -> Commit {
    let before = batch.before
    let head = try batch.append(to: writer)
    // While the events are applied: behind a large batch it takes seconds, which the next change would wait for.
    writer.beginSealing()
    defer {
      writer.finishSealing()
      if let failure = writer.sealingFailure {
        options.logger.warning(
          "a closed segment could not be sealed; the log is whole, `catalogctl seal` tries again: \(failure)"
        )
      }
    }
    do {
      try applyLocked(from: before, to: head)
      try reportConflicts(after: before.sequence)
      return Commit(head: head, failure: nil)
    } catch {
      options.logger.error(
        """
        events \(before.sequence + 1) to \(head.sequence) are in the log, and the database does not have them \
        yet: \(error); the next command applies them, and where it cannot, a rebuild does
        """)
      return Commit(head: head, failure: "\(error)")
    }
  }

  /// Events that were planned on proved rows contradict nothing. Where one does, the plan was wrong: it is reported.
  private func reportConflicts(after sequence: UInt64) throws {
    let conflicts = try projection.conflicts(after: sequence)
    guard let first = conflicts.first else { return }
    options.logger.error(
      "\(conflicts.count) of the events that were appended change nothing, the first is \(first)")
  }
}
