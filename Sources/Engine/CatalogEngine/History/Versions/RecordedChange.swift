public import CatalogModel
import CatalogStore
import EventLog
import GRDB
public import Projections
import Support

/// A change of a row from the state before a batch to the state after it.
public struct RecordedChange: Sendable {
  /// The event of the batch that changed the row last.
  public let event: EventEnvelope
  public let change: RowChange
}

extension PastStates {
  /// Every change of a row up to a moment, oldest first.
  ///
  /// - Parameters:
  ///   - key: values of the table's key, in key order.
  ///   - last: the last event of the moment.
  /// - Throws: `CatalogError`: `notFound` if no event ever wrote the row; as `openHistory`.
  package func steps(
    of table: TableDescription, key: [Value], through last: UInt64
  ) throws -> [RecordedChange] {
    let history = try openHistory(through: last)
    let steps = try history.steps(
      history.versions(of: table, key: key, through: last), of: table, after: 0)
    guard !steps.isEmpty else {
      throw CatalogError(
        .notFound, "no event of the log wrote a row of \(table.name) with this key")
    }
    return steps
  }

  /// Every change of a row as far as the catalog's history has come, oldest first; none without a history. It is neither made nor
  /// brought up to date.
  package func knownSteps(of table: TableDescription, key: [Value]) throws -> [RecordedChange] {
    guard let history = try history?.openAsItIs() else { return [] }
    let last = history.checkpoint.sequence
    return try history.steps(
      history.versions(of: table, key: key, through: last), of: table, after: 0)
  }

  /// Every change of the rows of some tables after a moment up to a later one, in the order of the log: a row that changes
  /// and changes back is there twice, and in a difference of the two moments it is not.
  ///
  /// - Throws: as `openHistory`.
  package func steps(
    in tables: [TableDescription], after first: UInt64, through last: UInt64
  ) throws -> [RecordedChange] {
    let history = try openHistory(through: last)
    var steps: [RecordedChange] = []
    for table in tables {
      let versions = try history.versions(of: table, after: first, through: last)
      steps += try history.steps(versions, of: table, after: first)
    }
    // The sort is stable: within an event the tables are in the order of the schema.
    return steps.sorted { $0.event.sequence < $1.event.sequence }
  }

  /// The rows that a table has at a moment, each with the event that made it what it is, in key order.
  ///
  /// - Parameters:
  ///   - key: only rows whose keys begin with these values.
  ///   - limit: the most rows that are returned; all are counted.
  /// - Throws: as `openHistory`.
  package func writers(
    of table: TableDescription, key: [Value], through last: UInt64, limit: Int
  ) throws -> (rows: [(row: [Value], event: EventEnvelope)], count: Int) {
    try openHistory(through: last).writers(of: table, key: key, through: last, limit: limit)
  }
}

extension HistoryDatabase {
  fileprivate func writers(
    of table: TableDescription, key: [Value], through last: UInt64, limit: Int
  ) throws -> (rows: [(row: [Value], event: EventEnvelope)], count: Int) {
    let found: (rows: [(row: [Value], sequence: UInt64)], count: Int) = try read { database in
      let generation = generations.at(last, of: table)
      let conditions =
        table.key.prefix(key.count).map { "\(table.columns[$0].sqlName) = ?" }
        + [
          "\(table.versionColumns.from) <= \(last)",
          "\(table.versionColumns.to) > \(VersionColumns.end(last))",
        ]
      let source =
        "FROM main.\(generation.name(table)) WHERE \(conditions.joined(separator: " AND "))"
      let rows = try PreparedStatement(
        database,
        "SELECT \(table.columnList), \(table.versionColumns.from) \(source) ORDER BY \(table.keyList) LIMIT \(limit)",
        key
      ).all { (row: try $0.row(of: table), sequence: $0.sequence(table.columns.count)) }
      let all = try PreparedStatement(database, "SELECT count(*) \(source)", key)
      return (rows, try all.step() ? Int(all.integer(0)) : 0)
    }
    var events: [UInt64: EventEnvelope] = [:]
    let rows = try found.rows.map { row, sequence in
      let event = try events[sequence] ?? requireEnvelope(of: sequence)
      events[sequence] = event
      return (row: row, event: event)
    }
    return (rows, found.count)
  }

  /// The changes that versions tell, in key order.
  ///
  /// - Parameter first: earlier changes are left out.
  func steps(
    _ versions: [Version], of table: TableDescription, after first: UInt64
  ) throws -> [RecordedChange] {
    var steps: [RecordedChange] = []
    var envelopes: [UInt64: EventEnvelope] = [:]
    func add(_ sequence: UInt64, _ before: [Value]?, _ after: [Value]?) throws {
      guard sequence > first, let row = after ?? before else { return }
      let event = try envelopes[sequence] ?? requireEnvelope(of: sequence)
      envelopes[sequence] = event
      steps.append(
        RecordedChange(
          event: event,
          change: RowChange(table, key: table.key(of: row), before: before, after: after)))
    }
    for (place, version) in versions.enumerated() {
      let key = table.key(of: version.row)
      func isSameRow(_ other: Int) -> Bool {
        versions.indices.contains(other) && table.key(of: versions[other].row) == key
      }
      let earlier = isSameRow(place - 1) ? versions[place - 1] : nil
      let goesOn = earlier?.to == version.from
      try add(version.from, goesOn ? earlier?.row : nil, version.row)
      if let end = version.to, !(isSameRow(place + 1) && versions[place + 1].from == end) {
        try add(end, version.row, nil)
      }
    }
    return steps
  }
}
