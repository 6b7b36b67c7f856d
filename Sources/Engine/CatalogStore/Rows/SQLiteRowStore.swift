package import GRDB
package import Projections

/// Applies changes of rows to SQLite inside one transaction.
///
/// Statements are prepared once a table and used raw: GRDB's records would spend more on each row than SQLite does. Every
/// change of a row is a change of its table's running digests, which the transaction writes at its end
/// (`RunningDigests`). Not Sendable: it lives inside one database access.
package final class SQLiteRowStore: RowStore {
  let database: Database
  private let schema: Schema
  private var statements: [Statements]
  private let notes: (any TransactionNotes)?
  private let references: ReferenceCheck?
  private var digesters: [RowDigester?]
  private var sums: [StretchSums]

  /// The statements of one table that were needed so far.
  private struct Statements {
    var get: PreparedStatement?
    var insert: PreparedStatement?
    /// By the columns that they change, a bit for each.
    var updates: [UInt64: PreparedStatement] = [:]
    var removal: PreparedStatement?
    var greatest: PreparedStatement?
    var lookups: [PreparedStatement?]
  }

  package convenience init(_ database: Database, schema: Schema) {
    self.init(database, schema: schema, noting: nil)
  }

  /// - Parameters:
  ///   - notes: receives every row that is written or removed.
  ///   - references: receives every row that changes.
  init(
    _ database: Database, schema: Schema, noting notes: (any TransactionNotes)?,
    references: ReferenceCheck? = nil
  ) {
    self.notes = notes
    self.references = references
    self.database = database
    self.schema = schema
    statements = schema.tables.map { table in
      Statements(lookups: Array(repeating: nil, count: table.indexes.count))
    }
    digesters = Array(repeating: nil, count: schema.tables.count)
    sums = Array(repeating: StretchSums(), count: schema.tables.count)
  }

  /// Takes what was changed since the last call, as changes of the running digests.
  func takeDigestChanges() -> RunningDigests.Sums {
    schema.tables.map { table in
      defer { sums[table.ordinal] = StretchSums() }
      return (table, sums[table.ordinal].finish())
    }
  }

  /// The rows as SQL reads them, with the changes, and the tables that have changes.
  package var rehearsed: (database: Database, changed: [TableDescription]) {
    (
      database,
      schema.tables.filter { table in
        let statements = statements[table.ordinal]
        return statements.insert != nil || !statements.updates.isEmpty || statements.removal != nil
      }
    )
  }

  /// Looks whether the changes leave a row that refers to no row, in an update that rehearses them.
  ///
  /// - Throws: `ProjectionError` with `contradiction`.
  package func requireReferences() throws {
    try references?.require(database)
  }

  // MARK: Reading

  package func holds(_ table: TableDescription) -> Bool { schema.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try table.require(key: key)
    return try find(key, table) { try $0.row(of: table) }
  }

  package func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try table.require(key: key)
    // The rest of the row is not decoded.
    return try find(key, table) { try $0.value(column, in: table) }
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    try table.require(values, by: index.ordinal)
    let statement = try prepared(&statements[table.ordinal].lookups[index.ordinal]) {
      let condition = index.description.columns
        .map { table.columns[$0] }
        // As in memory, NULL finds the rows that have none.
        .map { "\($0.sqlName) \($0.isNullable ? "IS" : "=") ?" }.joined(separator: " AND ")
      return "SELECT \(table.columnList) FROM \(table.sqlName) WHERE \(condition)"
        + " ORDER BY \(table.keyList)"
    }
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.rows(of: table)
  }

  package func rows(in table: TableDescription) throws -> [[Value]] {
    try PreparedStatement(
      database, "SELECT \(table.columnList) FROM \(table.sqlName) ORDER BY \(table.keyList)"
    ).rows(of: table)
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    guard table.hasIntegerKey else { return nil }
    let statement = try prepared(&statements[table.ordinal].greatest) {
      "SELECT max(\(table.keyList)) FROM \(table.sqlName)"
    }
    defer { statement.reset() }
    guard try statement.step(), case .integer(let key) = statement.cell(0) else { return nil }
    return key
  }

  private func find<Found>(
    _ key: [Value], _ table: TableDescription, _ read: (PreparedStatement) throws -> Found
  ) throws -> Found? {
    let statement = try prepared(&statements[table.ordinal].get) {
      "SELECT \(table.columnList) FROM \(table.sqlName) WHERE \(table.keyCondition)"
    }
    try statement.bind(key)
    defer { statement.reset() }
    return try statement.step() ? try read(statement) : nil
  }

  // MARK: Changing

  package func put(_ row: [Value], in table: TableDescription) throws {
    try table.require(row)
    let row = table.hasReals ? row.map(\.asStored) : row
    notes?.note(table, key: row[table.key[0]])
    let old =
      table.hasValues
      ? try find(table.key(of: row), table) { try $0.row(of: table) } : nil
    references?.note(from: old, to: row, in: table)
    if let old {
      guard try update(old, to: row, table) else { return }
      subtract(old, table)
    } else if try insert(row, table) == 0 {
      // All columns are the key, and the row was there.
      return
    }
    try add(row, table)
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    try table.require(key: key)
    notes?.note(table, key: key[0])
    let old =
      table.hasValues
      ? try find(key, table) { try $0.row(of: table) } : table.row(ofKey: key)
    guard let old else { return }
    references?.note(from: old, to: nil, in: table)
    if try delete(key, table) > 0 { subtract(old, table) }
  }

  // MARK: Writing

  /// - Returns: how many rows were inserted.
  private func insert(_ row: [Value], _ table: TableDescription) throws -> Int {
    let statement = try prepared(&statements[table.ordinal].insert) {
      table.hasValues ? table.insert : "\(table.insert) ON CONFLICT(\(table.keyList)) DO NOTHING"
    }
    try statement.bind(row)
    try run(statement, writing: row, table)
    return statement.changes
  }

  /// - Throws: `ProjectionError` with `duplicate` if another row has the same in what is unique, with `invalidRow`
  ///   where the row does not pass a described `CHECK`.
  private func run(
    _ statement: PreparedStatement, writing row: [Value], _ table: TableDescription
  ) throws {
    do {
      try statement.run()
    } catch let error as StoreError where error.code == .drifted {
      if let unique = try table.uniques.first(where: { try isTaken($0, by: row, table) }) {
        throw table.duplicate(of: row, in: unique)
      }
      if let check = try table.checks.first(where: { try fails($0, row, table) }) {
        throw table.failure(of: check, for: row)
      }
      throw error
    }
  }

  /// Whether an expression of the description is false for a row, whose values have the columns' affinities here too.
  private func fails(
    _ check: String, _ row: [Value], _ table: TableDescription
  ) throws -> Bool {
    let columns = table.columns.map { "CAST(? AS \($0.type.sql)) AS \($0.sqlName)" }
    let statement = try PreparedStatement(
      database,
      """
      SELECT 1 FROM (SELECT \(columns.joined(separator: ", "))) AS \(table.sqlName)
      WHERE NOT (\(check))
      """)
    try statement.bind(row)
    return try statement.step()
  }

  /// Whether SQLite has another row with the same values in columns that are unique.
  private func isTaken(
    _ columns: [Int], by row: [Value], _ table: TableDescription
  ) throws -> Bool {
    try PreparedStatement(
      database,
      "SELECT 1 FROM \(table.sqlName) WHERE \(table.condition(columns)) AND NOT (\(table.keyCondition)) LIMIT 1",
      (columns + table.key).map { row[$0] }
    ).step()
  }

  /// Writes the columns that differ, so that indexes of others are not touched.
  ///
  /// - Returns: whether any does.
  private func update(
    _ old: [Value], to row: [Value], _ table: TableDescription
  ) throws -> Bool {
    let different = row.indices.filter { row[$0] != old[$0] }
    guard !different.isEmpty else { return false }
    // A row of more columns than a word has bits is written whole.
    let isWide = row.count > UInt64.bitWidth
    let changed = isWide ? Array(row.indices) : different
    let columns: UInt64 = isWide ? .max : changed.reduce(into: UInt64(0)) { $0 |= 1 << UInt64($1) }
    let statement = try prepared(&statements[table.ordinal].updates[columns]) {
      let assignments = changed.map { "\(table.columns[$0].sqlName) = ?" }.joined(separator: ", ")
      return "UPDATE \(table.sqlName) SET \(assignments) WHERE \(table.keyCondition)"
    }
    try statement.bind((changed + table.key).map { row[$0] })
    try run(statement, writing: row, table)
    return true
  }

  /// - Returns: how many rows were deleted.
  private func delete(_ key: [Value], _ table: TableDescription) throws -> Int {
    let statement = try prepared(&statements[table.ordinal].removal) {
      "DELETE FROM \(table.sqlName) WHERE \(table.keyCondition)"
    }
    try statement.bind(key)
    try statement.run()
    return statement.changes
  }

  /// - Throws: `ProjectionError` with `limit`.
  private func add(_ row: [Value], _ table: TableDescription) throws {
    let digester = digester(table)
    let digest = digester.digest(row)
    guard digester.recordLength <= schema.limits.rowLength else {
      throw schema.limits.excess(of: table, rowLength: digester.recordLength)
    }
    sums[table.ordinal].add(digest, to: RowStretch.of(row[table.key[0]], table))
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

  private func prepared(
    _ slot: inout PreparedStatement?, _ sql: () -> String
  ) throws -> PreparedStatement {
    if let statement = slot { return statement }
    let statement = try PreparedStatement(database, sql())
    slot = statement
    return statement
  }
}

extension Value {
  /// As SQLite gives it back, which has one zero.
  var asStored: Value {
    if case .real(let real) = self { .real(real + 0) } else { self }
  }
}

extension TableDescription {
  /// All columns, separated by commas.
  package var columnList: String {
    columns.map(\.sqlName).joined(separator: ", ")
  }

  /// The key's columns, separated by commas.
  package var keyList: String {
    key.map { columns[$0].sqlName }.joined(separator: ", ")
  }

  /// A row of a table whose columns are all in its key.
  fileprivate func row(ofKey key: [Value]) -> [Value] {
    var row = key
    for (position, column) in self.key.enumerated() { row[column] = key[position] }
    return row
  }

  package var keyCondition: String { condition(key) }

  /// SQL that is true of the rows which have some values in columns.
  package func condition(_ places: [Int]) -> String {
    places.map { "\(columns[$0].sqlName) = ?" }.joined(separator: " AND ")
  }

  var insert: String {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(sqlName) (\(columnList)) VALUES (\(marks))"
  }
}
