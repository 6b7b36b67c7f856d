import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Support

extension HistoryDatabase {
  /// The end of the last batch up to an event; nil if there is none.
  func lastEnd(through sequence: UInt64) throws -> LogHead? {
    try head("last <= ? ORDER BY last DESC LIMIT 1", sequence)
  }

  /// The end of the first batch after an event; nil if there is none.
  func firstEnd(after sequence: UInt64) throws -> LogHead? {
    try head("last > ? ORDER BY last LIMIT 1", sequence)
  }

  private func head(_ condition: String, _ sequence: UInt64) throws -> LogHead? {
    try read { database in
      let statement = try PreparedStatement(
        database, "SELECT last, chain FROM history_batch WHERE \(condition)",
        [.sequence(sequence)])
      guard try statement.step() else { return nil }
      guard case .blob(let chain) = statement.cell(1), chain.count == 32 else {
        throw StoreError(.drifted, "history_batch has no chain hash near event \(sequence)")
      }
      return LogHead(sequence: statement.sequence(0), chain: ChainHash(bytes: Array(chain)))
    }
  }

  /// The ends of all batches up to an event.
  func ends(through sequence: UInt64) throws -> [UInt64] {
    try read { database in
      try PreparedStatement(
        database, "SELECT last FROM history_batch WHERE last <= ? ORDER BY last",
        [.sequence(sequence)]
      ).all { $0.sequence(0) }
    }
  }

  /// Calls `body` for each batch, in the order of the log.
  func forEachBatch(_ body: (TimedBatch) throws -> Void) throws {
    try read { database in
      let statement = try PreparedStatement(
        database, "SELECT first, last, at FROM history_batch ORDER BY last")
      while try statement.step() {
        guard case .text(let text) = statement.cell(2), let time = Timestamp(utf8: text) else {
          throw StoreError(
            .drifted, "history_batch has no time of event \(statement.integer(1))")
        }
        try body(
          TimedBatch(
            firstSequence: statement.sequence(0), lastSequence: statement.sequence(1), time: time))
      }
    }
  }

  /// How many rows a table has after a batch, and the sum of their digests.
  func sum(of table: TableDescription, through sequence: UInt64) throws -> RowSum {
    try read { try HistorySchema.sum(of: table, through: sequence, in: $0) }
  }

  /// The batch that has an event; nil if there is none.
  func batch(containing sequence: UInt64) throws -> BatchRange? {
    try batches(from: sequence, through: sequence).first
  }

  /// Describes some batches of the log, one after another.
  func description(of range: BatchRange) throws -> Divergence.Batch {
    Divergence.Batch(
      range: range, event: try requireEnvelope(of: range.firstSequence),
      types: try types(in: range), steps: try steps(in: range))
  }

  /// The operations of the events of a batch, in their order, each once.
  func operations(in events: ClosedRange<UInt64>) throws -> [EntityID] {
    var operations: [EntityID] = []
    for sequence in try starts(in: events) {
      let operation = try requireEnvelope(of: sequence).operation
      if !operations.contains(operation) { operations.append(operation) }
    }
    return operations
  }

  /// The first of each row of events that are alike, among some events.
  private func starts(in events: ClosedRange<UInt64>) throws -> [UInt64] {
    try read { database in
      try PreparedStatement(
        database, "SELECT first FROM history_event WHERE first BETWEEN ? AND ? ORDER BY first",
        [.sequence(events.lowerBound), .sequence(events.upperBound)]
      ).all { $0.sequence(0) }
    }
  }

  /// How many events of each type some batches have.
  func types(in range: BatchRange) throws -> EventCounts {
    try read { database in
      let statement = try PreparedStatement(
        database,
        "SELECT first, type FROM history_event WHERE first >= ? AND first <= ? ORDER BY first",
        [.sequence(range.firstSequence), .sequence(range.lastSequence)])
      var types = EventCounts()
      var previous: (first: Int64, type: String)?
      func end(at next: Int64) {
        if let previous { types.add(previous.type, Int(next - previous.first)) }
      }
      while try statement.step() {
        guard case .text(let type) = statement.cell(1) else {
          throw StoreError(.drifted, "history_event has no type of an event")
        }
        end(at: statement.integer(0))
        previous = (statement.integer(0), String(decoding: type, as: UTF8.self))
      }
      end(at: Int64(clamping: range.lastSequence) + 1)
      return types
    }
  }

  /// Counts of rows of each table that some batches changed, in the order of the schema. Counts of several are added up.
  private func steps(in range: BatchRange) throws -> [TableStep] {
    try read { database in
      let statement = try PreparedStatement(
        database,
        """
        SELECT tbl, sum(added), sum(removed), sum(changed), max(last) FROM history_step
        WHERE tbl = ? AND last >= ? AND last <= ?
        """)
      let rows = try PreparedStatement(
        database, "SELECT rows FROM history_step WHERE tbl = ? AND last = ?")
      return try schema.schema.tables.compactMap { table in
        defer {
          statement.reset()
          rows.reset()
        }
        let number = Value.integer(Int64(table.ordinal))
        try statement.bind([
          number, .sequence(range.firstSequence), .sequence(range.lastSequence),
        ])
        guard try statement.step(), case .integer = statement.cell(0) else { return nil }
        try rows.bind([number, .integer(statement.integer(4))])
        guard try rows.step() else { return nil }
        return TableStep(
          table: table.ordinal, rows: Int(rows.integer(0)), added: Int(statement.integer(1)),
          removed: Int(statement.integer(2)), changed: Int(statement.integer(3)))
      }
    }
  }
}
