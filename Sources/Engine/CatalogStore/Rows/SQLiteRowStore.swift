package import GRDB
package import Projections

/// Rows in SQLite: what carries a projection forward, event by event, inside one transaction.
///
/// Statements are prepared once a table and used raw: GRDB's records would spend more on each row than SQLite does. What
/// was read last is remembered (`RowCache`): most of what a projector asks for are names that it has asked for before.
/// Changes are gathered and written in the order of the rows' keys (`PendingRows`), at the latest by `flush`: who looks at
/// the database by SQL calls it first. Every change of a row is a change of its table's running digests, which the
/// transaction writes at its end (`RunningDigests`). Not Sendable: it lives inside one database access.
package final class SQLiteRowStore: RowStore {
  /// Changed rows that are gathered before they are written: some 100 MB.
  private static let pendingLimit = 250_000
  /// Bytes of their blobs.
  private static let pendingBlobLimit = 64 << 20

  private static let fewSearches = 16

  let database: Database
  private let schema: Schema
  private var statements: [Statements]
  private var caches: [RowCache]
  private var pending: [PendingRows]
  private var pendingCount = 0
  private var pendingBlobs = 0
  /// Rows of some tables are written in the order in which they are changed: in another one two of them might have the
  /// same unique value for a moment.
  private let isWrittenAtOnce: [Bool]
  private let changes: RowChanges?
  private let references: ReferenceCheck?
  /// Of the full-text indexes that are kept up here, by table.
  private let words: [[WordStatements]]
  private var digesters: [RowDigester?]
  private var sums: [StretchSums]

  /// The statements of one table that were needed so far.
  private struct Statements {
    var get: PreparedStatement?
    var any: PreparedStatement?
    var insert: PreparedStatement?
    /// By the columns that they change, a bit for each.
    var updates: [UInt64: PreparedStatement] = [:]
    var removal: PreparedStatement?
    var greatest: PreparedStatement?
    var lookups: [PreparedStatement?]
  }

  package convenience init(_ database: Database, schema: Schema) {
    self.init(database, schema: schema, carriesWords: false)
  }

  /// - Parameters:
  ///   - changes: is told of every row that changes.
  ///   - carriesWords: whether changes are carried into full-text indexes here, because there are no triggers
  ///     (`WordCarrying`).
  ///   - references: receives every row that changes.
  init(
    _ database: Database, schema: Schema, noting changes: RowChanges? = nil, carriesWords: Bool,
    references: ReferenceCheck? = nil
  ) {
    self.changes = changes
    self.references = references
    words = schema.tables.map { table in
      schema.fullTextIndexes.filter { carriesWords && $0.table === table }.map(WordStatements.init)
    }
    self.database = database
    self.schema = schema
    statements = schema.tables.map { table in
      Statements(lookups: Array(repeating: nil, count: table.indexes.count))
    }
    caches = schema.tables.map(RowCache.init)
    pending = schema.tables.map(PendingRows.init)
    isWrittenAtOnce = schema.tables.map { !$0.uniques.isEmpty }
    digesters = Array(repeating: nil, count: schema.tables.count)
    sums = Array(repeating: StretchSums(), count: schema.tables.count)
  }

  /// What was changed since the last call, as changes of the running digests.
  func takeDigestChanges() throws -> RunningDigests.Sums {
    try flush()
    return schema.tables.map { table in
      defer { sums[table.ordinal] = StretchSums() }
      return (table, sums[table.ordinal].finish())
    }
  }

  // MARK: Reading

  package func holds(_ table: TableDescription) -> Bool { schema.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try table.require(key: key)
    return try row(RowKey(key), table)
  }

  package func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try table.require(key: key)
    if let row = known(RowKey(key), table) { return row?[column] }
    if try isEmpty(table) { return nil }
    // The rest of the row is not decoded.
    return try find(key, table) { try $0.value(column, in: table) }
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    try table.require(values, by: index.ordinal)
    let values = values.map(\.asStored)
    let key = RowKey(values)
    if let row = caches[table.ordinal].row(by: index.ordinal, key) { return row.map { [$0] } ?? [] }
    if try isEmpty(table) { return [] }
    let rows = pending[table.ordinal].rows(
      try stored(by: index, equal: values), by: index.ordinal, equal: key)
    caches[table.ordinal].remember(rows, by: index.ordinal, key)
    return rows
  }

  private func stored(
    by index: IndexReference, equal values: [Value]
  ) throws -> [[Value]] {
    let table = index.table
    let statement = try prepared(&statements[table.ordinal].lookups[index.ordinal]) {
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

  package func rows(in table: TableDescription) throws -> [[Value]] {
    try flush(table)
    let statement = try PreparedStatement(
      database, "SELECT \(table.columnList) FROM \(table.name) ORDER BY \(table.keyList)")
    var rows: [[Value]] = []
    while try statement.step() { rows.append(try row(statement, table)) }
    return rows
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    guard table.hasIntegerKey else { return nil }
    if let known = caches[table.ordinal].greatestKey { return known }
    try flush(table)
    let statement = try prepared(&statements[table.ordinal].greatest) {
      "SELECT max(\(table.keyList)) FROM \(table.name)"
    }
    defer { statement.reset() }
    var greatest: Int64?
    if try statement.step(), case .integer(let key) = statement.cell(0) { greatest = key }
    caches[table.ordinal].greatestKey = .some(greatest)
    return greatest
  }

  /// The row with this key as it is now.
  private func row(_ key: RowKey, _ table: TableDescription) throws -> [Value]? {
    if let row = known(key, table) { return row }
    if try isEmpty(table) { return nil }
    let row = try find(key.values, table) { try self.row($0, table) }
    if table.hasValues { caches[table.ordinal].remember(row, key) }
    return row
  }

  /// The row with this key, or that there is none; nil if SQLite must be asked.
  private func known(_ key: RowKey, _ table: TableDescription) -> [Value]?? {
    pending[table.ordinal].row(key) ?? caches[table.ordinal].row(key)
  }

  private func find<Found>(
    _ key: [Value], _ table: TableDescription, _ read: (PreparedStatement) throws -> Found
  ) throws -> Found? {
    let statement = try prepared(&statements[table.ordinal].get) {
      "SELECT \(table.columnList) FROM \(table.name) WHERE \(table.keyCondition)"
    }
    for (index, value) in key.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    return try statement.step() ? try read(statement) : nil
  }

  /// Some tables are seldom used by a catalog, and asked for each event. For a few searches a statement to find that
  /// out costs more than it saves.
  private func isEmpty(_ table: TableDescription) throws -> Bool {
    if let known = caches[table.ordinal].isEmpty { return known }
    caches[table.ordinal].searches += 1
    guard caches[table.ordinal].searches > Self.fewSearches else { return false }
    let statement = try prepared(&statements[table.ordinal].any) {
      "SELECT 1 FROM \(table.name) LIMIT 1"
    }
    defer { statement.reset() }
    let isEmpty = try !statement.step()
    caches[table.ordinal].isEmpty = isEmpty
    return isEmpty
  }

  // MARK: Changing

  package func put(_ row: [Value], in table: TableDescription) throws {
    try table.require(row)
    let row = table.hasReals ? row.map(\.asStored) : row
    changes?.note(table, key: row[table.key[0]])
    let key = RowKey(table.isKeyWholeRow ? row : table.key(of: row))
    let old = table.hasValues ? try self.row(key, table) : nil
    try change(key, from: old, to: row, table)
    caches[table.ordinal].put(row, key, over: old)
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    try table.require(key: key)
    changes?.note(table, key: key[0])
    let key = RowKey(key)
    let old = table.hasValues ? try row(key, table) : nil
    if table.hasValues, old == nil { return }
    try change(key, from: old, to: nil, table)
    caches[table.ordinal].remove(old, key)
  }

  private func change(
    _ key: RowKey, from old: [Value]?, to row: [Value]?, _ table: TableDescription
  ) throws {
    if isWrittenAtOnce[table.ordinal] {
      return try write(PendingRows.Change(stored: old, row: row), key, table)
    }
    let count = pending[table.ordinal].count
    pending[table.ordinal].set(row, key, stored: old)
    pendingCount += pending[table.ordinal].count - count
    if table.hasBlobs { pendingBlobs += (row?.blobLength ?? 0) + (old?.blobLength ?? 0) }
    if pendingCount > Self.pendingLimit || pendingBlobs > Self.pendingBlobLimit { try flush() }
  }

  /// Writes all changes to SQLite.
  package func flush() throws {
    for table in schema.tables { try flush(table) }
    pendingBlobs = 0
  }

  /// Writes all changes to SQLite, and looks whether they leave a row that refers to no row.
  ///
  /// - Throws: `ProjectionError` with `contradiction`.
  func finishRehearsal() throws {
    try flush()
    try references?.require(database)
  }

  private func flush(_ table: TableDescription) throws {
    guard pending[table.ordinal].count > 0 else { return }
    pendingCount -= pending[table.ordinal].count
    try pending[table.ordinal].take { try write($1, $0, table) }
  }

  // MARK: Writing

  private func write(
    _ change: PendingRows.Change, _ key: RowKey, _ table: TableDescription
  ) throws {
    guard table.hasValues else {
      references?.note(
        from: change.row == nil ? wholeRow(key, table) : nil, to: change.row, in: table)
      return try write(change.row, key, table)
    }
    references?.note(from: change.stored, to: change.row, in: table)
    switch (change.stored, change.row) {
    case (nil, nil): return
    case (nil, let row?): try insert(row, table)
    case (let stored?, let row?):
      guard try update(stored, to: row, table) else { return }
    case (_?, nil): try delete(key, table)
    }
    for words in words[table.ordinal] {
      try words.carry(from: change.stored, to: change.row, in: database)
    }
    if let stored = change.stored { subtract(stored, table) }
    if let row = change.row { try add(row, table) }
  }

  /// Where all columns are the key, SQLite says whether a row was new, or there.
  private func write(_ row: [Value]?, _ key: RowKey, _ table: TableDescription) throws {
    if let row {
      if try insert(row, table) > 0 { try add(row, table) }
    } else if try delete(key, table) > 0 {
      subtract(wholeRow(key, table), table)
    }
  }

  /// The row of a table whose columns are all in its key.
  private func wholeRow(_ key: RowKey, _ table: TableDescription) -> [Value] {
    table.isKeyWholeRow ? key.values : table.row(ofKey: key.values)
  }

  /// - Returns: how many rows were inserted.
  @discardableResult
  private func insert(_ row: [Value], _ table: TableDescription) throws -> Int {
    let statement = try prepared(&statements[table.ordinal].insert) {
      table.hasValues ? table.insert : "\(table.insert) ON CONFLICT(\(table.keyList)) DO NOTHING"
    }
    for (index, value) in row.enumerated() { try statement.bind(value, at: index + 1) }
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
    let columns = table.columns.map { "CAST(? AS \($0.type.sql)) AS \($0.name)" }
    let statement = try PreparedStatement(
      database,
      """
      SELECT 1 FROM (SELECT \(columns.joined(separator: ", "))) AS \(table.name)
      WHERE NOT (\(check))
      """)
    for (index, value) in row.enumerated() { try statement.bind(value, at: index + 1) }
    return try statement.step()
  }

  /// Whether SQLite has another row with the same values in columns that are unique.
  private func isTaken(
    _ columns: [Int], by row: [Value], _ table: TableDescription
  ) throws -> Bool {
    let same = columns.map { "\(table.columns[$0].name) = ?" }.joined(separator: " AND ")
    let statement = try PreparedStatement(
      database,
      "SELECT 1 FROM \(table.name) WHERE \(same) AND NOT (\(table.keyCondition)) LIMIT 1")
    for (index, column) in (columns + table.key).enumerated() {
      try statement.bind(row[column], at: index + 1)
    }
    return try statement.step()
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
      let assignments = changed.map { "\(table.columns[$0].name) = ?" }.joined(separator: ", ")
      return "UPDATE \(table.name) SET \(assignments) WHERE \(table.keyCondition)"
    }
    for (index, column) in (changed + table.key).enumerated() {
      try statement.bind(row[column], at: index + 1)
    }
    try run(statement, writing: row, table)
    return true
  }

  /// - Returns: how many rows were deleted.
  @discardableResult
  private func delete(_ key: RowKey, _ table: TableDescription) throws -> Int {
    let statement = try prepared(&statements[table.ordinal].removal) {
      "DELETE FROM \(table.name) WHERE \(table.keyCondition)"
    }
    for (index, value) in key.values.enumerated() { try statement.bind(value, at: index + 1) }
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

  private func row(_ statement: PreparedStatement, _ table: TableDescription) throws -> [Value] {
    var row: [Value] = []
    row.reserveCapacity(table.columns.count)
    for column in table.columns.indices { row.append(try statement.value(column, in: table)) }
    return row
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
    columns.map(\.name).joined(separator: ", ")
  }

  /// The key's columns, separated by commas.
  package var keyList: String {
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
}
