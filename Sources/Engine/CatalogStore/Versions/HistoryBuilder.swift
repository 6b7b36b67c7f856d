import GRDB
package import Projections
import Recoveries

/// Gathers the versions of all rows while a log is folded in memory, and writes them to a new file.
///
/// Not Sendable: one fold owns it.
package final class HistoryBuilder {
  package let rows: MemoryRowStore
  private let history: HistorySchema
  /// The rows of the tables that say something of the log.
  private let own = MemoryRowStore(schema: HistorySchema.own)
  private var sums: HistorySums

  package init(_ history: HistorySchema) {
    self.history = history
    rows = MemoryRowStore(schema: history.schema, keepsVersions: true)
    sums = HistorySums(history.schema.tables)
  }

  /// Ends a batch whose events changed `rows`.
  package func endBatch(_ batch: HistoryBatch, conflicts: [ProjectionConflict]) throws {
    let steps = rows.endBatch { table, cells, isBefore in
      if isBefore { sums.subtract(cells, table) } else { sums.add(cells, table) }
    }
    for step in steps {
      try own.put(sums.row(step, batch.lastSequence), in: HistorySchema.steps)
    }
    try own.put(batch.row, in: HistorySchema.batches)
    for event in batch.events { try own.put(event.row, in: HistorySchema.events) }
    for conflict in conflicts {
      try own.put(conflict.historyRow, in: HistorySchema.conflicts)
    }
  }

  /// Writes the history to a new file and syncs it. The rows are drained on the way.
  ///
  /// - Parameter progress: called with versions written so far, about every 10,000.
  package func write(
    to path: String, checkpoint: Checkpoint, progress: (Int) throws -> Void = { _ in }
  ) throws {
    let tables = TableFile(
      path: path, tables: history.tables, searchIndexes: [], limits: history.schema.limits)
    do {
      let layout = try tables.make { queue in try queue.write { try history.create($0) } }
      let sources = Dictionary(
        uniqueKeysWithValues: zip(history.versions, history.schema.tables)
          .map { (ObjectIdentifier($0), $1) })
      _ = try tables.write(layout, progress: progress) { [rows, own] table in
        sources[ObjectIdentifier(table)].map { rows.drainVersions($0, as: table) }
          ?? own.drain(table)
      }
      try tables.open(layout).close()
      let queue = try HistoryMark.writer(path, isScratch: true)
      try queue.write { database in
        try HistoryMark.write(
          checkpoint, afterChanges: HistoryMark.changes(of: path), database)
      }
      try queue.close()
      try FileSync.sync(path)
    } catch let error as DatabaseError {
      throw StoreError(making: path, error)
    }
  }
}

extension ProjectionConflict {
  /// As a row of `history_conflict`.
  var historyRow: [Value] {
    [.integer(Int64(clamping: sequence)), .text(type), .text(message)]
  }
}
