import CatalogModel
import Projections

/// Finds the events that last wrote, or removed, each of some rows and their columns, by one replay of the log.
struct LastWriters {
  private struct Writer {
    /// Nil if no batch before wrote the row, and this one changed it back.
    var writers: RowWriters?
    /// The batch that changed the row last, by its operation, and the row and its writers before that.
    var operation: EntityID
    var before: [Value]?
    var earlier: RowWriters?
  }

  static func find(
    _ rows: Set<RowAddress>, in log: CatalogLog, through last: UInt64
  ) throws -> [RowAddress: RowWriters] {
    if rows.isEmpty { return [:] }
    var event: EventEnvelope?
    var known: [RowAddress: Writer] = [:]
    let store = ObservedRowStore(
      MemoryRowStore(schema: log.kind.schema),
      isWatched: { rows.contains(RowAddress($0, key: $1)) },
      onChange: { change in
        guard change.before != change.after, let event else { return }
        let address = change.address
        var writer = Writer(
          operation: event.operation, before: change.before, earlier: known[address]?.writers)
        if let same = known[address], same.operation == event.operation { writer = same }
        writer.writers =
          change.after == writer.before
          ? writer.earlier
          : RowWriters(event, made: change.after, of: writer.before, after: writer.earlier)
        known[address] = writer
      })
    _ = try ProjectionRebuild(log, through: last).fold(into: store) { event = $0 }
    return known.compactMapValues(\.writers)
  }
}

extension RowWriters {
  /// - Parameters:
  ///   - event: the last one of a batch that changed the row.
  ///   - row: the row after the batch; nil if it is gone.
  ///   - before: the row before the batch; nil if there was none.
  ///   - earlier: the writers of the row before the batch.
  init(
    _ event: EventEnvelope, made row: [Value]?, of before: [Value]?, after earlier: RowWriters?
  ) {
    last = event
    columns =
      row.map { row in
        row.indices.map { place in
          guard let before, let earlier, before[place] == row[place] else { return event }
          return earlier.event(of: place)
        }
      } ?? []
  }
}
