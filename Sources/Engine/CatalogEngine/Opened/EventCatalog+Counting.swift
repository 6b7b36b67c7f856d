import CatalogModel
import CatalogStore
public import Projections
import Support

/// Counts the values that events would change, so that an import can say how much of a document stays reverted.
///
/// A value is a cell of a table that people see. Stamps such as `updated_at` and the record of which documents were imported do not
/// count. A row that would come or go counts with its values besides the key and the time of its event, and at least once.
extension EventCatalog {
  /// Counts the values that events would change, and appends none.
  ///
  /// The log is replayed in memory, so that the count is true of one state, whatever another process appends meanwhile.
  ///
  /// - Parameters:
  ///   - plan: finds the events over the rows at the log's head.
  ///   - first: finds events that are applied before, and whose changes do not count.
  /// - Throws: what the plans throw; `ProjectionError` for an event that contradicts the rows.
  public func countValues(
    changedBy plan: @escaping @Sendable (ProvedRows) throws -> [Kind.Event],
    after first: @escaping @Sendable (ProvedRows) throws -> [Kind.Event] = { _ in [] }
  ) async throws -> Int {
    try await Blocking.run {
      try self.countValuesNow(
        changedBy: { PlannedEvents(try plan($0)) }, after: { PlannedEvents(try first($0)) })
    }
  }

  /// Counts the values that events would change in a catalog that is not opened.
  ///
  /// - Parameters: as those of the other `countValues`.
  public static func countValues(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions(),
    changedBy plan: @escaping @Sendable (ProvedRows) throws -> [Kind.Event],
    after first: @escaping @Sendable (ProvedRows) throws -> [Kind.Event] = { _ in [] }
  ) async throws -> Int {
    try await Blocking.run {
      try countValuesNow(
        in: directory, kind, options: options, changedBy: { PlannedEvents(try plan($0)) },
        after: { PlannedEvents(try first($0)) })
    }
  }

  package func countValuesNow(
    changedBy plan: (ProvedRows) throws -> PlannedEvents<Kind.Event>,
    after first: (ProvedRows) throws -> PlannedEvents<Kind.Event> = { _ in PlannedEvents() }
  ) throws -> Int {
    try Self.count(kind, opened.log, opened.options, first, plan)
  }

  package static func countValuesNow(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions,
    changedBy plan: (ProvedRows) throws -> PlannedEvents<Kind.Event>,
    after first: (ProvedRows) throws -> PlannedEvents<Kind.Event> = { _ in PlannedEvents() }
  ) throws -> Int {
    try count(kind, CatalogLog(try directory.store(), kind), options, first, plan)
  }

  private static func count(
    _ kind: Kind, _ log: CatalogLog, _ options: OpeningOptions,
    _ first: (ProvedRows) throws -> PlannedEvents<Kind.Event>,
    _ plan: (ProvedRows) throws -> PlannedEvents<Kind.Event>
  ) throws -> Int {
    let folded = try ProjectionRebuild(log, progress: options.progress).fold()
    var sequence = folded.checkpoint.sequence
    let at = options.clock.now()
    func apply(_ events: PlannedEvents<Kind.Event>, to rows: some RowStore) throws {
      for event in events {
        sequence += 1
        try kind.apply(
          Recorded(
            sequence: sequence, at: at, operation: EntityID(high: 0, low: 0), by: "count",
            event: event), to: rows)
      }
    }
    try apply(try first(.replayed(folded.rows)), to: folded.rows)
    let events = try plan(.replayed(folded.rows))
    let records = kind.reversalRules.documents.map(\.table.ordinal)
    var touched = TouchedRows()
    try apply(
      events,
      to: ObservedRowStore(
        folded.rows, isWatched: { table, _ in !table.isOwn && !records.contains(table.ordinal) },
        onChange: { touched.add($0) }))
    return touched.changes.reduce(0) { $0 + $1.valueCount(at: at) }
  }
}

extension RowChange {
  /// How many values changed; of a row that came or went those besides the key and the time of the event, at least one.
  fileprivate func valueCount(at time: Timestamp) -> Int {
    let columns = table.columns
    if before != nil, after != nil { return changedColumns.count { !columns[$0].isChangeStamp } }
    let row = after ?? before ?? []
    let own: [Value] = [.time(time), .integer(time.milliseconds), .text("\(time)")]
    return max(
      1,
      row.indices.count { place in
        row[place] != .null && !table.key.contains(place) && !columns[place].isChangeStamp
          && !(columns[place].isTime && own.contains(row[place]))
      })
  }
}
