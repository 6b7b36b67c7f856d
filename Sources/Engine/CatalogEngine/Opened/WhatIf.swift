public import CatalogModel
public import Projections

/// The difference between a catalog and the same catalog without some operations of its log.
public struct WhatIf: Sendable {
  /// A row that the catalog would not have, would have besides, or would have otherwise.
  public struct Row: Sendable {
    public let table: TableDescription
    /// In key order.
    public let key: [Value]
    /// The row of the catalog, in column order; nil if it has none.
    public let actual: [Value]?
    /// The row that it would have; nil if it would have none.
    public let without: [Value]?
    /// The event that last wrote or removed the row in the catalog; nil if none did.
    public let event: EventEnvelope?
  }

  /// The events that are left out.
  public let events: ClosedRange<UInt64>
  /// The ids of their operations, in the order of the log.
  public let operations: [EntityID]
  /// The rows that differ, by table in the order of the schema, then by key; but for the program's own tables.
  public let rows: [Row]
  /// Later events that would contradict the rows: a replay without the operations does not carry them out. Of an event of many rows
  /// each row that would, and the others are carried out.
  public let contradictions: [ProjectionConflict]

  init(_ found: WhatIfReplay, of states: PastStates) throws {
    let diff = try HistoryDiff(
      from: found.actual, to: found.without, of: states.log.kind, rowLimit: .max,
      leavingOut: .ownTables, events: states)
    events = found.range.first...found.range.last
    operations = found.range.operations
    contradictions = found.contradictions
    rows = try diff.tables.flatMap(Self.rows)
  }

  private static func rows(of table: HistoryDiff.Table) throws -> [Row] {
    try table.rowChanges().map { change, event in
      Row(
        table: change.table, key: change.key, actual: change.before, without: change.after,
        event: event)
    }
  }
}
