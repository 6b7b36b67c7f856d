public import CatalogModel
import CatalogStore
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
  /// Later events that would contradict the rows: a replay without the operations does not carry them out.
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
    func values(_ cells: [StoredValue]) throws -> [Value] {
      if let values = table.description.values(from: cells) { return values }
      throw StoreError(.drifted, "\(table.name) has a row that no projector writes")
    }
    return try table.differences.map { difference in
      let actual = try difference.before.map(values)
      let without = try difference.after.map(values)
      return Row(
        table: table.description, key: table.description.key(of: actual ?? without ?? []),
        actual: actual, without: without, event: difference.event)
    }
  }
}
