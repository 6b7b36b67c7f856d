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
      let statement = try PreparedStatement(
        database,
        """
        SELECT first, last FROM history_batch WHERE last >= ?
          AND last <= (SELECT last FROM history_batch WHERE last >= ? ORDER BY last LIMIT 1)
        ORDER BY last
        """)
      try statement.bind(.integer(Int64(clamping: first)), at: 1)
      try statement.bind(.integer(Int64(clamping: last)), at: 2)
      var batches: [BatchRange] = []
      while try statement.step() {
        batches.append(
          BatchRange(
            firstSequence: UInt64(clamping: statement.integer(0)),
            lastSequence: UInt64(clamping: statement.integer(1))))
      }
      return batches
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

  /// Whether a batch after a moment and up to a later one changed a table.
  func isChanged(
    _ table: TableDescription, after first: UInt64, through last: UInt64, _ database: Database
  ) throws -> Bool {
    try database.hasRow(
      "SELECT 1 FROM history_step WHERE tbl = ? AND last > ? AND last <= ? LIMIT 1",
      [table.ordinal, Int64(clamping: first), Int64(clamping: last)])
  }

  // MARK: Two moments

  /// The rows of a table that a later moment lacks or has otherwise, and those that replace them or are new, as two
  /// statements over the columns of the table in key order.
  ///
  /// - Returns: nil if no batch between the two changed the table.
  func difference(
    in table: TableDescription, after first: UInt64, through last: UInt64, _ database: Database
  ) throws -> (before: PreparedStatement, after: PreparedStatement)? {
    guard try isChanged(table, after: first, through: last, database) else { return nil }
    let (from, to) = (VersionColumns.from, VersionColumns.to)
    let (start, end) = (VersionColumns.end(max(first, 1)), VersionColumns.end(last))
    func statement(_ condition: String) throws -> PreparedStatement {
      try PreparedStatement(
        database,
        "SELECT \(table.columnList) FROM main.\(schema.versions[table.ordinal].name) "
          + "WHERE \(condition) ORDER BY \(table.keyList)")
    }
    return (
      // Those that are there at the first moment and have ended at the last.
      try statement("\(from) <= \(first) AND \(to) > \(start) AND \(to) <= \(end) AND \(to) < 0"),
      try statement("\(from) > \(first) AND \(from) <= \(last) AND \(to) > \(end)")
    )
  }

  /// The net effect of the events after one moment up to another, table by table in key order.
  func changes(after first: UInt64, through last: UInt64) throws -> [RowChange] {
    try read { database in
      var changes: [RowChange] = []
      for table in schema.schema.tables {
        guard let difference = try difference(in: table, after: first, through: last, database)
        else { continue }
        func rows(_ statement: PreparedStatement) throws -> [[Value]] {
          var rows: [[Value]] = []
          while try statement.step() {
            rows.append(try table.columns.indices.map { try statement.value($0, in: table) })
          }
          return rows
        }
        var after: [[Value]: [Value]] = [:]
        let before = try rows(difference.before)
        let written = try rows(difference.after)
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
      let condition = zip(table.key, key).map { "\(table.columns[$0.0].name) = ?" }
        .joined(separator: " AND ")
      return try versions(
        of: table, where: "\(condition) AND \(VersionColumns.from) <= \(last)", key, through: last,
        database)
    }
  }

  /// The versions for which a condition is true.
  ///
  /// - Parameter values: of the condition's parameters.
  func versions(
    of table: TableDescription, where condition: String, _ values: [Value], through last: UInt64,
    _ database: Database
  ) throws -> [Version] {
    let statement = try PreparedStatement(
      database,
      """
      SELECT \(table.columnList), \(VersionColumns.from), \(VersionColumns.to), \(VersionColumns.mixed)
      FROM main.\(schema.versions[table.ordinal].name) WHERE \(condition)
      ORDER BY \(table.keyList), \(VersionColumns.from)
      """)
    for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
    var versions: [Version] = []
    let count = table.columns.count
    while try statement.step() {
      let end = statement.integer(count + 1)
      let to = end == 0 ? nil : UInt64(clamping: end + VersionColumns.offset)
      versions.append(
        Version(
          row: try table.columns.indices.map { try statement.value($0, in: table) },
          from: UInt64(clamping: statement.integer(count)),
          to: to.flatMap { $0 <= last ? $0 : nil },
          isMixed: statement.integer(count + 2) == 1))
    }
    return versions
  }

  /// The events that wrote or removed rows last, up to a moment.
  func lastWriters(
    of rows: Set<RowAddress>, through last: UInt64
  ) throws -> [RowAddress: EventEnvelope] {
    var writers: [RowAddress: EventEnvelope] = [:]
    for address in rows {
      let versions = try versions(
        of: schema.schema.tables[address.table], key: address.key, through: last)
      if let version = versions.last {
        writers[address] = try envelope(of: version.to ?? version.from)
      }
    }
    return writers
  }
}
