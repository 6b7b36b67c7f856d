import GRDB
package import Projections
import Support

/// Gathers the versions of all rows while a log is folded in memory, and writes them to a new file.
///
/// Not Sendable: one fold owns it.
package final class HistoryBuilder {
  package let rows: MemoryRowStore
  let history: HistorySchema
  /// The rows of the tables that say something of the log.
  let own = MemoryRowStore(schema: HistorySchema.own)
  private var sums: HistorySums
  /// How many rows each table has, and the sums of their digests.
  package var receipt: [RowSum] { sums.sums }
  /// The generations of each table, and the events of the batches with which those after the first begin.
  private(set) var generations: [[HistoryGeneration]]
  private(set) var cuts: [[(first: UInt64, last: UInt64)]]
  /// The versions that each batch began in the first generation of each table.
  private var beginnings: [[(last: UInt64, count: Int)]]

  package init(_ history: HistorySchema) {
    self.history = history
    rows = MemoryRowStore(schema: history.schema, keepsVersions: true)
    let tables = history.schema.tables
    sums = HistorySums(tables)
    generations = tables.map { [HistoryGeneration(table: $0.ordinal)] }
    cuts = tables.map { _ in [] }
    beginnings = tables.map { _ in [] }
  }

  /// Ends a batch whose events changed `rows`.
  package func endBatch(_ batch: HistoryBatch, conflicts: [ProjectionConflict]) throws {
    let steps = rows.endBatch { table, cells, isBefore in
      if isBefore { sums.subtract(cells, table) } else { sums.add(cells, table) }
    }
    for step in steps {
      try own.put(sums.row(step, batch.lastSequence), in: HistorySchema.steps)
      endBatch(batch, step)
    }
    try own.put(batch.row, in: HistorySchema.batches)
    for event in batch.events { try own.put(event.row, in: HistorySchema.events) }
    for conflict in conflicts {
      try own.put(conflict.historyRow, in: HistorySchema.conflicts)
    }
  }

  private func endBatch(_ batch: HistoryBatch, _ step: TableStep) {
    let table = step.table
    let last = generations[table].count - 1
    if let next = generations[table][last].end(batch, step, history.rule) {
      generations[table].append(next)
      cuts[table].append((batch.firstSequence, batch.lastSequence))
    } else if last == 0, step.added + step.changed > 0 {
      beginnings[table].append((batch.lastSequence, step.added + step.changed))
    }
  }

  /// Writes the history to a new file and syncs it. The rows are drained on the way.
  ///
  /// - Parameter progress: called with versions written so far, about every 10,000.
  package func write(
    to path: String, checkpoint: Checkpoint, progress: (Int) throws -> Void = { _ in }
  ) throws {
    for table in generations.indices {
      generations[table][0].leaveOutFirst(beginnings[table])
    }
    let all = generations.flatMap { $0 }
    for generation in all {
      try own.put(generation.row, in: HistoryGeneration.description)
    }
    let descriptions = all.map(history.versions)
    let file = TableFile(
      path: path, tables: descriptions + HistorySchema.own.tables, searchIndexes: [],
      limits: history.schema.limits)
    do {
      let layout = try file.make { queue in
        try queue.write { try HistorySchema.create(file.tables, $0) }
      }
      let sources = Dictionary(
        uniqueKeysWithValues: zip(descriptions, all).map { (ObjectIdentifier($0), $1) })
      // Generations of a table follow one another.
      var versions: (table: Int, rows: TableVersions)?
      let written = try file.write(layout, progress: progress) { [history, rows, own, cuts] table in
        guard let generation = sources[ObjectIdentifier(table)] else {
          versions = nil
          return own.drain(table)
        }
        let number = generation.number
        if number == 0 {
          versions = nil
          versions = (
            generation.table, rows.drainVersions(history.schema.tables[generation.table])
          )
        }
        guard let versions else { return own.drain(table) }
        let cuts = cuts[generation.table]
        return versions.rows.rows(
          from: generation.start, before: number < cuts.count ? cuts[number] : nil, as: table)
      }
      try file.open(layout).close()
      var sum = HistorySum()
      for (table, sums) in written { for part in sums.values { sum.add(part, of: table) } }
      let queue = try HistoryMark.scratchWriter(path)
      try queue.write { try HistoryMark.write(checkpoint, sum, $0) }
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
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
    [.sequence(sequence), .text(type), .text(message)]
  }
}
