import CatalogModel
import CatalogStore
import EventLog
import Logging
public import Projections
import Support

/// Counts the values in which the rows would differ with a plan's alternative, so that an import can say how much of a document
/// stays reverted.
extension EventCatalog {
  /// Counts the values in which the rows would differ with the alternative of a plan, and appends nothing: for a dry run.
  ///
  /// The log is replayed in memory, so that the plan and the count are true of one state.
  ///
  /// - Returns: nil if the plan has no alternative, and if its events contradict the rows.
  /// - Throws: what the plan throws.
  public func differingValues<Value: Sendable>(
    planning plan: @escaping @Sendable (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) async throws -> Int? {
    try await Blocking.run {
      try Self.differingValues(self.kind, self.opened.log, self.opened.options, plan)
    }
  }

  /// Counts the values in which the rows of a catalog that is not opened would differ with the alternative of a plan.
  ///
  /// - Returns: as the other `differingValues`.
  public static func differingValues<Value: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions(),
    planning plan: @escaping @Sendable (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) async throws -> Int? {
    try await Blocking.run {
      try differingValues(kind, CatalogLog(directory.store(), kind), options, plan)
    }
  }

  private static func differingValues<Value: Sendable>(
    _ kind: Kind, _ log: CatalogLog, _ options: OpeningOptions,
    _ plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> Int? {
    let folded = try ProjectionRebuild(log, progress: options.progress).fold()
    return try differingValues(kind, folded, options, plan(.replayed(folded.rows)))
  }

  /// - Returns: nil if the plan has no alternative, and if its events contradict the rows.
  static func differingValues<Value: Sendable>(
    _ kind: Kind, _ folded: ProjectionRebuild.FoldedLog, _ options: OpeningOptions,
    _ planned: PlannedChange<Kind.Event, Value>
  ) throws -> Int? {
    guard let alternative = planned.alternative else { return nil }
    let trial = EventTrial(kind, at: options.clock.now(), after: folded.checkpoint.sequence)
    let rows = FoldedRows(folded.rows)
    do {
      let (one, other) = try (
        trial.changes(by: planned.events, on: OverlaidRowStore(rows, kind.schema)),
        trial.changes(by: alternative, on: OverlaidRowStore(rows, kind.schema))
      )
      return DifferingValues(kind.reversalRules, one, other).count
    } catch let error as ProjectionError {
      options.logger.debug("values that differ are not counted: \(error)")
      return nil
    }
  }

  /// Counts the values in which the rows would differ with the alternative of a plan, on the rows of the database, which stay as
  /// they are.
  ///
  /// - Parameter head: the head of the log, whose writer the caller has.
  /// - Returns: nil if the plan has no alternative, and if its events contradict the rows or cannot be tried.
  func differingValues<Value: Sendable>(
    _ planned: PlannedChange<Kind.Event, Value>, at head: LogHead
  ) throws -> Int? {
    guard let alternative = planned.alternative else { return nil }
    let trial = EventTrial(kind, at: opened.options.clock.now(), after: head.sequence)
    /// Nil if the events contradict the rows, or cannot be tried: what is counted does not stop what is appended.
    func changes(by events: PlannedEvents<Kind.Event>) throws -> [RowChange]? {
      guard !events.isEmpty else { return [] }
      var found: [RowChange]?
      do {
        try opened.projection.update(events: UInt64(events.count)) { checkpoint, store in
          if let other = checkpoint?.head, other != head {
            throw EventLogError.headMoved(from: head, to: other, opened.log.reader.place)
          }
          do {
            found = try trial.changes(by: events, on: store)
          } catch let error as ProjectionError {
            opened.options.logger.debug("values that differ are not counted: \(error)")
          }
          return nil
        }
      } catch let error as StoreError where [.busy, .volume, .exhausted].contains(error.code) {
        opened.options.logger.debug("values that differ are not counted: \(error)")
        return nil
      }
      return found
    }
    guard let one = try changes(by: planned.events), let other = try changes(by: alternative)
    else { return nil }
    return DifferingValues(kind.reversalRules, one, other).count
  }
}

/// Applies events to rows to see what they change.
private struct EventTrial<Kind: CatalogKind> {
  let kind: Kind
  let at: Timestamp
  let sequence: UInt64

  init(_ kind: Kind, at: Timestamp, after sequence: UInt64) {
    (self.kind, self.at, self.sequence) = (kind, at, sequence)
  }

  /// The changes of tables that people see.
  func changes(
    by events: PlannedEvents<Kind.Event>, on rows: some RowStore
  ) throws -> [RowChange] {
    let records = kind.reversalRules.documents.map(\.table.ordinal)
    var touched = TouchedRows()
    let observed = ObservedRowStore(
      rows, isWatched: { table, _ in !table.isOwn && !records.contains(table.ordinal) },
      onChange: { touched.add($0) })
    for (place, event) in events.enumerated() {
      try kind.apply(
        Recorded(
          sequence: sequence + 1 + UInt64(place), at: at,
          operation: EntityID(high: 0, low: 0), by: "trial", event: event), to: observed)
    }
    return touched.changes
  }
}
