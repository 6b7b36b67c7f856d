import CatalogModel
import CatalogStore
import EventLog
package import Projections

/// Batches of a log as their histories keep them.
extension PastStates {
  /// The batches of the log after a head, in its order, and the head after them. Those that a history has are not read from
  /// the log.
  ///
  /// - Parameter known: the head after which the batches are wanted; nil if all of them are.
  package func batches(
    after known: LogHead? = nil
  ) throws -> (batches: [TimedBatch], head: LogHead?) {
    var batches: [TimedBatch] = []
    var start = known
    if known == nil, let history = try history?.openAsItIs() {
      try history.forEachBatch { batch in
        try log.limit?.check()
        batches.append(batch)
      }
      start = history.checkpoint.head
    }
    guard let head = try log.head(), head != start else { return (batches, start) }
    try TimedBatch.forEach(in: log.reader, after: start, until: log.limit) { batch in
      if batch.lastSequence <= head.sequence { batches.append(batch) }
    }
    return (batches, head)
  }

  /// The number of rows of each table of the catalog after the batch that has an event, and after each later one that changed it.
  ///
  /// - Throws: as `openHistory`.
  package func rowCounts(
    from first: UInt64, through last: UInt64
  ) throws -> [(table: TableDescription, points: [Bisection.Point])] {
    let history = try openHistory(through: last)
    var times: [UInt64: Timestamp] = [:]
    try history.forEachBatch { times[$0.lastSequence] = $0.time }
    return try log.kind.schema.tables.filter { !$0.isOwn }.map { table in
      let points = try history.rowCounts(of: table, from: first, through: last).map {
        batch, count in
        guard let at = times[batch.lastSequence] else {
          throw StoreError(.drifted, "the history has no time of event \(batch.lastSequence)")
        }
        return Bisection.Point(batch: batch, at: at, value: .integer(count))
      }
      return (table, points)
    }
  }

  /// The batch that has an event, with the counts of what it changed.
  ///
  /// - Throws: `CatalogError`: `noMoment` if the log has no such event; as `openHistory`.
  package func described(batchContaining sequence: UInt64) throws -> Divergence.Batch {
    guard let head = try log.head(), 1...max(1, head.sequence) ~= sequence, head.sequence > 0
    else {
      throw CatalogError(.noMoment, "the log has no event \(sequence)")
    }
    let end = try log.batch(containing: sequence).lastSequence
    let history = try openHistory(through: end)
    guard let range = try history.batch(containing: sequence) else {
      throw CatalogError(.noMoment, "the history has no event \(sequence)")
    }
    return try history.description(of: range)
  }
}
