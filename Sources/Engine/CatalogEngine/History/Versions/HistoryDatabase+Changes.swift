import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections

/// A batch by its events.
package struct BatchRange: Hashable, Sendable {
  package let firstSequence: UInt64
  package let lastSequence: UInt64
}

extension HistoryDatabase {
  private static let origin = StoredRow.Origin("history_batch")

  /// The batches that hold the events from one to another.
  func batches(from first: UInt64, through last: UInt64) throws -> [BatchRange] {
    try read { database in
      try PreparedStatement(
        database,
        """
        SELECT first, last FROM history_batch WHERE last >= ?
          AND last <= (SELECT last FROM history_batch WHERE last >= ? ORDER BY last LIMIT 1)
        ORDER BY last
        """, [.sequence(first), .sequence(last)]
      ).all { BatchRange(firstSequence: $0.sequence(0), lastSequence: $0.sequence(1)) }
    }
  }

  /// The batch of an operation; nil if there is none.
  func batch(of operation: EntityID) throws -> BatchRange? {
    try read { database in
      try PreparedStatement(
        database, "SELECT first, last FROM history_batch WHERE operation = ?",
        [.text(operation.description)]
      ).all { BatchRange(firstSequence: $0.sequence(0), lastSequence: $0.sequence(1)) }.first
    }
  }

  /// How many rows of all tables a batch added, removed and changed.
  func rowCount(of batch: BatchRange) throws -> Int {
    try read { database in
      let count = try PreparedStatement(
        database,
        "SELECT total(added + removed + changed) FROM history_step WHERE last > ? AND last <= ?",
        [.sequence(batch.firstSequence - 1), .sequence(batch.lastSequence)])
      _ = try count.step()
      return Int(count.integer(0))
    }
  }

  /// An event of the log, without what it changed; nil if there is none.
  func envelope(of sequence: UInt64) throws -> EventEnvelope? {
    try read { database in
      try database.firstRow(
        of: Self.origin,
        """
        SELECT coalesce(e.at, b.at), e.type, coalesce(e.operation, b.operation),
          coalesce(e.source, b.source)
        FROM (SELECT * FROM history_batch WHERE last >= :event ORDER BY last LIMIT 1) AS b,
          (SELECT * FROM history_event WHERE first <= :event ORDER BY first DESC LIMIT 1) AS e
        """, ["event": Int64(clamping: sequence)]
      ) { row in
        EventEnvelope(
          sequence: sequence, at: try row.time(0), type: try row.text(1), operation: try row.id(2),
          by: try row.text(3))
      }
    }
  }

  func requireEnvelope(of sequence: UInt64) throws -> EventEnvelope {
    guard let event = try envelope(of: sequence) else {
      throw StoreError(.drifted, "the history has no event \(sequence)")
    }
    return event
  }

  // MARK: Two moments

  /// The rows of a table that a later moment lacks or has otherwise, and those that replace them or are new, as two
  /// statements over the columns of the table in key order.
  ///
  /// - Returns: nil if no batch between the two changed the table.
  func difference(
    in table: TableDescription, after first: UInt64, through last: UInt64, _ database: Database
  ) throws -> (before: PreparedStatement, after: PreparedStatement)? {
    let span = try VersionSpan(self, table, after: first, through: last, database)
    guard span.isChanged else { return nil }
    func statement(_ selects: [String]) throws -> PreparedStatement {
      try PreparedStatement(
        database, selects.joined(separator: " UNION ALL ") + " ORDER BY \(table.keyList)")
    }
    return (
      try statement(
        span.ended(table.columnList, "AND \(table.versionColumns.from) <= \(first)")),
      try statement([span.begun(table.columnList)])
    )
  }

  /// The net effect of the events after one moment up to another, table by table in key order.
  ///
  /// - Parameter tables: nil reads all of them.
  func changes(
    after first: UInt64, through last: UInt64, in tables: [TableDescription]? = nil
  ) throws -> [RowChange] {
    try read { database in
      var changes: [RowChange] = []
      for table in tables ?? schema.schema.tables {
        guard let difference = try difference(in: table, after: first, through: last, database)
        else { continue }
        var after: [[Value]: [Value]] = [:]
        let before = try difference.before.rows(of: table)
        let written = try difference.after.rows(of: table)
        for row in written { after[table.key(of: row)] = row }
        for row in before {
          let key = table.key(of: row)
          let now = after.removeValue(forKey: key)
          if now != row { changes.append(RowChange(table, key: key, before: row, after: now)) }
        }
        for row in written {
          let key = table.key(of: row)
          if after[key] != nil {
            changes.append(RowChange(table, key: key, before: nil, after: row))
          }
        }
      }
      return changes
    }
  }

  // MARK: One row

  /// A row as it was at a moment; nil if there was none.
  func row(of table: TableDescription, key: [Value], at sequence: UInt64) throws -> [Value]? {
    let version = try versions(of: table, key: key, through: sequence).last
    return version?.to == nil ? version?.row : nil
  }

  /// A version of a row.
  struct Version {
    let row: [Value]
    let from: UInt64
    /// The event that replaced or removed it; nil if none did up to the moment that was asked for.
    let to: UInt64?
    /// Whether several events of the batch changed the row.
    let isMixed: Bool
  }

  /// The versions of the rows whose keys begin with some values, up to a moment: in key order, those of a row in the order of
  /// time.
  func versions(
    of table: TableDescription, key: [Value], through last: UInt64
  ) throws -> [Version] {
    try read { database in
      let condition = table.key.prefix(key.count).enumerated()
        .map { "\(table.columns[$1].sqlName) = ?\($0 + 1)" }.joined(separator: " AND ")
      let present = generations.at(last, of: table)
      let ended = generations.all(of: table).prefix(present.number).map { generation in
        "SELECT \(versionColumns(table)) FROM main.\(generation.name(table)) "
          + "WHERE \(condition) AND \(table.versionColumns.to) < 0"
      }
      // Of many rows one after another: the connection keeps the statement.
      let statement = try PreparedStatement(
        keptBy: database,
        selecting(
          ended + [
            "SELECT \(versionColumns(table)) FROM main.\(present.name(table)) "
              + "WHERE \(condition) AND \(table.versionColumns.from) <= ?\(key.count + 1)"
          ], table))
      try statement.bind(key + [.sequence(last)])
      return try versions(of: table, statement, through: last)
    }
  }

  /// The versions of a table's rows that begin or end after a moment and up to a later one.
  func versions(
    of table: TableDescription, after first: UInt64, through last: UInt64
  ) throws -> [Version] {
    try read { database in
      let span = try VersionSpan(self, table, after: first, through: last, database)
      guard span.isChanged else { return [] }
      let columns = versionColumns(table)
      let statement = try PreparedStatement(
        database, selecting(span.ended(columns, "") + [span.begun(columns)], table))
      return try versions(of: table, statement, through: last)
    }
  }

  private func versionColumns(_ table: TableDescription) -> String {
    "\(table.columnList), \(table.versionColumns.from), \(table.versionColumns.to), \(table.versionColumns.mixed)"
  }

  private func selecting(_ selects: [String], _ table: TableDescription) -> String {
    selects.joined(separator: " UNION ALL ")
      + " ORDER BY \(table.keyList), \(table.versionColumns.from)"
  }

  /// The versions that a statement selects.
  private func versions(
    of table: TableDescription, _ statement: PreparedStatement, through last: UInt64
  ) throws -> [Version] {
    let count = table.columns.count
    return try statement.all { statement in
      let to = VersionColumns.event(statement.integer(count + 1))
      return Version(
        row: try statement.row(of: table),
        from: statement.sequence(count),
        to: to > 0 && to <= last ? to : nil,
        isMixed: statement.integer(count + 2) == 1)
    }
  }

  /// The events that wrote or removed rows last, up to a moment, and those that made their columns what they are.
  func lastWriters(
    of rows: Set<RowAddress>, through last: UInt64
  ) throws -> [RowAddress: RowWriters] {
    var writers: [RowAddress: RowWriters] = [:]
    for address in rows {
      let versions = try versions(
        of: schema.schema.tables[address.table], key: address.key, through: last)
      guard let version = versions.last,
        let lastEvent = try envelope(of: version.to ?? version.from)
      else { continue }
      guard version.to == nil else {
        writers[address] = RowWriters(last: lastEvent, columns: [])
        continue
      }
      let columns = Self.sequences(ofColumnsIn: versions)
      var events = [version.from: lastEvent]
      for sequence in columns where events[sequence] == nil {
        events[sequence] = try envelope(of: sequence)
      }
      writers[address] = RowWriters(
        last: lastEvent, columns: columns.map { events[$0] ?? lastEvent })
    }
    return writers
  }

  /// The events that made the columns of a row what they are.
  ///
  /// - Parameter versions: of one row, all that it had, in the order of time.
  private static func sequences(ofColumnsIn versions: [Version]) -> [UInt64] {
    var sequences: [UInt64] = []
    var earlier: Version?
    for version in versions {
      if let before = earlier, before.to == version.from {
        for place in version.row.indices where before.row[place] != version.row[place] {
          sequences[place] = version.from
        }
      } else {
        sequences = version.row.map { _ in version.from }
      }
      earlier = version
    }
    return sequences
  }
}

/// Selects the versions of a table's rows that begin or end after one moment and up to another.
private struct VersionSpan {
  private let table: TableDescription
  private let generations: ArraySlice<HistoryGeneration>
  private let present: HistoryGeneration
  private let first: UInt64
  private let last: UInt64
  /// Whether so few versions begin and end that an index by time costs less than all versions in key order.
  private let isSmall: Bool
  let isChanged: Bool

  /// Below this part of a table's rows the index by time costs less.
  private static let smallPart: Int64 = 4

  init(
    _ history: HistoryDatabase, _ table: TableDescription, after first: UInt64,
    through last: UInt64, _ database: Database
  ) throws {
    (self.table, self.first, self.last) = (table, first, last)
    generations = history.generations.ending(after: first, through: last, of: table)
    present = history.generations.at(last, of: table)
    let steps = try PreparedStatement(
      database,
      """
      SELECT count(*), total(added + removed + changed), max(rows) FROM history_step
      WHERE tbl = ? AND last > ? AND last <= ?
      """, [.integer(Int64(table.ordinal)), .sequence(first), .sequence(last)])
    _ = try steps.step()
    isChanged = steps.integer(0) > 0
    isSmall = steps.integer(1) * Self.smallPart <= steps.integer(2)
    // Rows by time are all over the file: with SQLite's own 2 MB each page was read several times. A scan is slower with more.
    if isSmall { try database.execute(sql: "PRAGMA cache_size = -65536") }
  }

  // Of several bounds of a column SQLite searches an index by the first, so that the condition of the index comes after them.

  /// The versions that end, a statement for each generation.
  func ended(_ columns: String, _ condition: String) -> [String] {
    generations.map { generation in
      let name = generation.name(table)
      let index = isSmall ? "INDEXED BY \(VersionColumns.ended(name))" : ""
      let to = (isSmall ? "" : "+") + table.versionColumns.to
      return """
        SELECT \(columns) FROM main.\(name) \(index)
        WHERE \(to) > \(VersionColumns.end(max(first, 1))) AND \(to) <= \(VersionColumns.end(last))
          AND \(table.versionColumns.to) < 0 \(condition)
        """
    }
  }

  /// The versions that begin, and have not ended at the later moment.
  func begun(_ columns: String) -> String {
    let name = present.name(table)
    let isIndexed = isSmall && first >= present.indexedAfter
    let index = isIndexed ? "INDEXED BY \(VersionColumns.began(name))" : ""
    let from = (isIndexed ? "" : "+") + table.versionColumns.from
    return """
      SELECT \(columns) FROM main.\(name) \(index)
      WHERE \(from) > \(first) AND \(from) <= \(last)
        \(isIndexed ? "AND \(from) > \(present.indexedAfter)" : "") AND +\(table.versionColumns.to) > \(VersionColumns.end(last))
      """
  }
}
