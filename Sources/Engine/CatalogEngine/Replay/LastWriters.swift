import CatalogModel
import Projections

/// Finds the event that last wrote, or removed, each of some rows, by one replay of the log. A batch that changes a row and
/// changes it back did not write it.
struct LastWriters {
  private struct Writer {
    var event: EventEnvelope?
    /// The batch that changed the row last, by its operation, and the row and its writer before that.
    var operation: EntityID
    var before: [Value]?
    var earlier: EventEnvelope?
  }

  static func find(
    _ rows: Set<RowAddress>, in log: CatalogLog, through last: UInt64
  ) throws -> [RowAddress: EventEnvelope] {
    if rows.isEmpty { return [:] }
    var event: EventEnvelope?
    var writers: [RowAddress: Writer] = [:]
    let store = ObservedRowStore(
      MemoryRowStore(schema: log.kind.schema),
      isWatched: { rows.contains(RowAddress($0, key: $1)) },
      onChange: { change in
        guard change.before != change.after, let event else { return }
        let address = change.address
        let known = writers[address]
        var writer = Writer(
          operation: event.operation, before: change.before, earlier: known?.event)
        if let known, known.operation == event.operation { writer = known }
        writer.event = change.after == writer.before ? writer.earlier : event
        writers[address] = writer
      })
    _ = try ProjectionRebuild(log, through: last).fold(into: store) { event = $0 }
    return writers.compactMapValues(\.event)
  }
}
