import CatalogModel
import Projections

/// Finds the event that last wrote, or removed, each of some rows, by one replay of the log.
struct LastWriters {
  static func find(
    _ rows: Set<RowAddress>, in log: CatalogLog, through last: UInt64
  ) throws -> [RowAddress: EventEnvelope] {
    if rows.isEmpty { return [:] }
    var event: EventEnvelope?
    var writers: [RowAddress: EventEnvelope] = [:]
    let store = ObservedRowStore(
      MemoryRowStore(schema: log.kind.schema),
      isWatched: { rows.contains(RowAddress(table: $0.ordinal, key: $1)) },
      onChange: { writers[RowAddress(table: $0.table.ordinal, key: $0.key)] = event })
    _ = try ProjectionRebuild(log, through: last).fold(into: store) { event = $0 }
    return writers
  }
}
