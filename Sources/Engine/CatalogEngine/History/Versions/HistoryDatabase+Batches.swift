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
        database, "SELECT last, chain FROM history_batch WHERE \(condition)")
      try statement.bind(.integer(Int64(clamping: sequence)), at: 1)
      guard try statement.step() else { return nil }
      guard case .blob(let chain) = statement.cell(1), chain.count == 32 else {
        throw StoreError(.drifted, "history_batch has no chain hash near event \(sequence)")
      }
      return LogHead(
        sequence: UInt64(clamping: statement.integer(0)), chain: ChainHash(bytes: Array(chain)))
    }
  }

  /// The ends of all batches up to an event.
  func ends(through sequence: UInt64) throws -> [UInt64] {
    try read { database in
      let statement = try PreparedStatement(
        database, "SELECT last FROM history_batch WHERE last <= ? ORDER BY last")
      try statement.bind(.integer(Int64(clamping: sequence)), at: 1)
      var ends: [UInt64] = []
      while try statement.step() { ends.append(UInt64(clamping: statement.integer(0))) }
      return ends
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
            firstSequence: UInt64(clamping: statement.integer(0)),
            lastSequence: UInt64(clamping: statement.integer(1)), time: time))
      }
    }
  }

  /// How many rows a table has after a batch, and the sum of their digests.
  func sum(of table: TableDescription, through sequence: UInt64) throws -> RowSum {
    try read { database in
      let statement = try PreparedStatement(
        database,
        "SELECT rows, digest FROM history_step WHERE tbl = ? AND last <= ? ORDER BY last DESC LIMIT 1"
      )
      try statement.bind(.integer(Int64(table.ordinal)), at: 1)
      try statement.bind(.integer(Int64(clamping: sequence)), at: 2)
      guard try statement.step() else { return RowSum() }
      guard let sum = RunningDigests.sum(statement, 0) else {
        throw StoreError(.drifted, "history_step has no digest of \(table.name)")
      }
      return sum
    }
  }

  /// The batch that has an event; nil if there is none.
  func batch(containing sequence: UInt64) throws -> BatchRange? {
    try batches(from: sequence, through: sequence).first
  }

  /// Describes some batches of the log, one after another.
  func description(of range: BatchRange) throws -> Divergence.Batch {
    guard let event = try envelope(of: range.firstSequence) else {
      throw StoreError(.drifted, "the history has no event \(range.firstSequence)")
    }
    return Divergence.Batch(
      range: range, event: event, types: try types(in: range), steps: try steps(in: range))
  }

  /// How many events of each type some batches have.
  func types(in range: BatchRange) throws -> [String: Int] {
    try read { database in
      let statement = try PreparedStatement(
        database,
        "SELECT first, type FROM history_event WHERE first >= ? AND first <= ? ORDER BY first")
      try statement.bind(.integer(Int64(clamping: range.firstSequence)), at: 1)
      try statement.bind(.integer(Int64(clamping: range.lastSequence)), at: 2)
      var types: [String: Int] = [:]
      var previous: (first: Int64, type: String)?
      func end(at next: Int64) {
        if let previous { types[previous.type, default: 0] += Int(next - previous.first) }
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
        let number = Int64(table.ordinal)
        try statement.bind([
          .integer(number), .integer(Int64(clamping: range.firstSequence)),
          .integer(Int64(clamping: range.lastSequence)),
        ])
        guard try statement.step(), case .integer = statement.cell(0) else { return nil }
        try rows.bind(.integer(number), at: 1)
        try rows.bind(.integer(statement.integer(4)), at: 2)
        guard try rows.step() else { return nil }
        return TableStep(
          table: table.ordinal, rows: Int(rows.integer(0)), added: Int(statement.integer(1)),
          removed: Int(statement.integer(2)), changed: Int(statement.integer(3)))
      }
    }
  }
}
