package import GRDB
package import Projections

/// Rows in SQLite: what carries a projection forward, event by event, inside one transaction.
///
/// Statements are prepared once a table and used raw: GRDB's records would spend more on each row
/// than SQLite does. Every change of a row is a change of its table's running digests, which the
/// transaction writes at its end (`RunningDigests`). Not Sendable: it lives inside one database access.
package final class SQLiteRowStore: RowStore {
  private let database: Database
  private let schema: Schema
  private var gets: [SQLiteStatement?]
  private var puts: [SQLiteStatement?]
  private var removals: [SQLiteStatement?]
  private var greatest: [SQLiteStatement?]
  private var lookups: [[SQLiteStatement?]]
  private let changes: RowChanges?
  private var digesters: [RowDigester?]
  private var sums: [StretchSums]
  /// The row that was looked for last, by table: a projector looks at a row before it changes it.
  private var seen: [(key: [Value], row: [Value]?)?]

  package convenience init(_ database: Database, schema: Schema) {
    self.init(database, schema: schema, noting: nil)
  }

  /// - Parameter changes: is told of every row that changes.
  init(_ database: Database, schema: Schema, noting changes: RowChanges?) {
    self.changes = changes
    self.database = database
    self.schema = schema
    let none: [SQLiteStatement?] = Array(repeating: nil, count: schema.tables.count)
    gets = none
    puts = none
    removals = none
    greatest = none
    lookups = schema.tables.map { Array(repeating: nil, count: $0.indexes.count) }
    digesters = Array(repeating: nil, count: schema.tables.count)
    sums = Array(repeating: StretchSums(), count: schema.tables.count)
    seen = Array(repeating: nil, count: schema.tables.count)
  }

  /// What was changed since the last call, as changes of the running digests.
  func takeDigestChanges() -> RunningDigests.Sums {
    schema.tables.map { table in
      defer { sums[table.ordinal] = StretchSums() }
      return (table, sums[table.ordinal].finish())
    }
  }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    let row = try find(key, in: table)
    seen[table.ordinal] = (key, row)
    return row
  }

  private func find(_ key: [Value], in table: TableDescription) throws -> [Value]? {
    let statement = try prepared(&gets[table.ordinal]) {
      "SELECT \(table.columnList) FROM \(table.name) WHERE \(table.keyCondition)"
    }
    for (index, value) in key.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    return try statement.step() ? try row(statement, table) : nil
  }

  package func put(_ row: [Value], in table: TableDescription) throws {
    changes?.note(table, key: row[table.key[0]])
    // Where all columns are the key, there is nothing to replace, and SQLite says whether it was new.
    let hasValues = table.columns.count > table.key.count
    let old = hasValues ? try known(table.key(of: row), in: table) : nil
    let statement = try prepared(&puts[table.ordinal]) { table.upsert }
    for (index, value) in row.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
    if let old { subtract(old, table) }
    if hasValues || statement.changes > 0 { add(row, table) }
    seen[table.ordinal] = (table.key(of: row), row)
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    changes?.note(table, key: key[0])
    let hasValues = table.columns.count > table.key.count
    let old = hasValues ? try known(key, in: table) : nil
    if hasValues, old == nil { return }
    let statement = try prepared(&removals[table.ordinal]) {
      "DELETE FROM \(table.name) WHERE \(table.keyCondition)"
    }
    for (index, value) in key.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
    if let old {
      subtract(old, table)
    } else if statement.changes > 0 {
      subtract(table.row(ofKey: key), table)
    }
    seen[table.ordinal] = (key, nil)
  }

  /// The row with this key as it is now.
  private func known(_ key: [Value], in table: TableDescription) throws -> [Value]? {
    if let seen = seen[table.ordinal], zip(seen.key, key).allSatisfy({ $0.isStored(as: $1) }) {
      return seen.row
    }
    return try find(key, in: table)
  }

  private func add(_ row: [Value], _ table: TableDescription) {
    sums[table.ordinal].add(
      digester(table).digest(row), to: RowStretch.of(row[table.key[0]], table))
  }

  private func subtract(_ row: [Value], _ table: TableDescription) {
    sums[table.ordinal].subtract(
      digester(table).digest(row), from: RowStretch.of(row[table.key[0]], table))
  }

  private func digester(_ table: TableDescription) -> RowDigester {
    if let digester = digesters[table.ordinal] { return digester }
    let digester = RowDigester(table)
    digesters[table.ordinal] = digester
    return digester
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    let statement = try prepared(&lookups[table.ordinal][index.ordinal]) {
      let condition = index.description.columns
        .map { table.columns[$0] }
        // As in memory, NULL finds the rows that have none.
        .map { "\($0.name) \($0.isNullable ? "IS" : "=") ?" }.joined(separator: " AND ")
      return "SELECT \(table.columnList) FROM \(table.name) WHERE \(condition)"
        + " ORDER BY \(table.keyList)"
    }
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    var rows: [[Value]] = []
    while try statement.step() { rows.append(try row(statement, table)) }
    return rows
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    let statement = try prepared(&greatest[table.ordinal]) {
      "SELECT max(\(table.keyList)) FROM \(table.name)"
    }
    defer { statement.reset() }
    guard try statement.step(), case .integer(let key) = statement.cell(0) else { return nil }
    return key
  }

  private func prepared(
    _ slot: inout SQLiteStatement?, _ sql: () -> String
  ) throws -> SQLiteStatement {
    if let statement = slot { return statement }
    let statement = try SQLiteStatement(database, sql())
    slot = statement
    return statement
  }

  private func row(_ statement: SQLiteStatement, _ table: TableDescription) throws -> [Value] {
    var row: [Value] = []
    row.reserveCapacity(table.columns.count)
    for column in table.columns.indices { row.append(try statement.value(column, in: table)) }
    return row
  }
}

extension TableDescription {
  /// All columns, separated by commas.
  var columnList: String {
    columns.map(\.name).joined(separator: ", ")
  }

  /// The key's columns, separated by commas.
  var keyList: String {
    key.map { columns[$0].name }.joined(separator: ", ")
  }

  /// A row of a table whose columns are all in its key.
  fileprivate func row(ofKey key: [Value]) -> [Value] {
    var row = key
    for (position, column) in self.key.enumerated() { row[column] = key[position] }
    return row
  }

  var keyCondition: String {
    key.map { "\(columns[$0].name) = ?" }.joined(separator: " AND ")
  }

  var insert: String {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(columnList)) VALUES (\(marks))"
  }

  /// Never `INSERT OR REPLACE`, which deletes the old row and cascades into what refers to it.
  var upsert: String {
    let changes = columns.indices.filter { !key.contains($0) }
      .map { "\(columns[$0].name) = excluded.\(columns[$0].name)" }
    return "\(insert) ON CONFLICT(\(keyList)) DO "
      + (changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))")
  }
}
