import CatalogModel
import CatalogStore
package import Projections

extension PastStates {
  /// The events that wrote or removed rows and their columns last, up to a moment: out of the history that is there, else by one
  /// replay.
  func lastWriters(
    of rows: Set<RowAddress>, through last: UInt64
  ) throws -> [RowAddress: RowWriters] {
    try readyHistory(through: last)?.lastWriters(of: rows, through: last)
      ?? LastWriters.find(rows, in: log, through: last)
  }

  /// Visits the rows that a table has after an event, and that batches of a source added or changed since the rows exist.
  ///
  /// A row that the source's documents had as another source made it is not among them: the log has no event of it.
  ///
  /// - Parameters:
  ///   - source: of the batches, as `blame` shows it: `import:nightly`.
  ///   - last: the end of a batch.
  ///   - body: called for each row as it was when a batch of the source wrote it last, in key order.
  /// - Throws: as `openHistory`.
  package func forEachRow(
    of table: TableDescription, writtenBy source: String, through last: UInt64,
    _ body: ([Value]) throws -> Void
  ) throws {
    try openHistory(through: last).forEachRow(of: table, writtenBy: source, through: last, body)
  }
}

extension HistoryDatabase {
  fileprivate func forEachRow(
    of table: TableDescription, writtenBy source: String, through last: UInt64,
    _ body: ([Value]) throws -> Void
  ) throws {
    try read { database in
      let present = generations.at(last, of: table)
      let batches = try PreparedStatement(
        database, "SELECT first, last FROM history_batch WHERE source = ? AND last <= \(last)",
        [.text(source)]
      ).all { $0.sequence(0)...$0.sequence(1) }
      guard !batches.isEmpty else { return }
      let (from, to) = (table.versionColumns.from, table.versionColumns.to)
      // A version is in each generation that has a moment of it, and has ended in at most one.
      let versions = generations.all(of: table).prefix(present.number + 1).map { generation in
        let condition = generation == present ? "\(from) <= \(last)" : "\(to) < 0"
        return
          "SELECT \(table.columnList), \(from), \(to) FROM main.\(generation.name(table)) WHERE \(condition)"
      }
      let statement = try PreparedStatement(
        database,
        "\(versions.joined(separator: " UNION ALL ")) ORDER BY \(table.keyList), \(from)")
      let (fromPlace, toPlace) = (table.columns.count, table.columns.count + 1)
      // What a batch of the source wrote of the row that the last version is of, if it did not go meanwhile.
      var written: [Value]?
      var end: (key: [Value], sequence: UInt64)?
      func finish() throws {
        // A row that goes later is one of the moment.
        if let row = written, let end, end.sequence == 0 || end.sequence > last { try body(row) }
        written = nil
      }
      while try statement.step() {
        let row = try statement.row(of: table)
        let key = table.key(of: row)
        let sequence = statement.sequence(fromPlace)
        if let end, end.key != key || end.sequence != sequence { try finish() }
        if batches.contains(where: { $0.contains(sequence) }) { written = row }
        end = (key, VersionColumns.event(statement.integer(toPlace)))
      }
      try finish()
    }
  }
}
