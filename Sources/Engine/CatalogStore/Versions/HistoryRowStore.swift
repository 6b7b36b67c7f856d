package import GRDB
package import Projections
import Support

/// The present rows of a history, and what a projector does to them: a change ends a version and begins another.
///
/// It brings a history up to date batch by batch, in a transaction that the caller commits. `HistoryBuilder` makes the same
/// of a whole log.
package final class HistoryRowStore: SearchedRows {
  private struct Version {
    let row: [Value]
    let from: UInt64
    let isMixed: Bool

    /// As a row of a table of versions.
    ///
    /// - Parameter end: the event that ended it; 0 if none did.
    func stored(endedBy end: UInt64 = 0, isMixed: Bool? = nil) -> [Value] {
      row + [
        .sequence(from), .integer(VersionColumns.end(end)), .flag(isMixed ?? self.isMixed),
      ]
    }
  }

  private let database: Database
  private let history: HistorySchema
  private var sums: HistorySums
  /// The sum of all rows of the file, with what was written so far.
  package private(set) var fileSum: HistorySum
  /// Digesters of the file's tables, by the names of these.
  private var digesters: [String: RowDigester] = [:]
  /// Rows of each table.
  private var counts: [Int]
  /// The generation of each table that has the present rows, and its table of versions.
  private var generations: [HistoryGeneration]
  private var versions: [TableDescription]
  private var statements: [String: PreparedStatement] = [:]

  private var batch: UInt64 = 1
  private var sequence: UInt64 = 0
  /// The versions that this batch ended, the events that did, and those that removed what the batch wrote in their place.
  private var ended: [RowAddress: (version: Version, by: UInt64, removal: UInt64)] = [:]
  /// The rows that this batch wrote; some may be gone again.
  private var begun: Set<RowAddress> = []

  package init(_ database: Database, _ history: HistorySchema) throws {
    self.database = database
    self.history = history
    let known = try history.schema.tables.map { try HistorySchema.sum(of: $0, in: database) }
    counts = known.map { Int($0.rows) }
    sums = HistorySums(history.schema.tables, known)
    guard let sum = try HistoryMark.sum(database) else {
      throw StoreError(.drifted, "history_checkpoint has no sum of the rows")
    }
    fileSum = sum
    generations = try HistoryGenerations(history, database).present
    versions = generations.map(history.versions)
  }

  // MARK: Batches

  /// Notes that the rows are changed by the events of a batch.
  package func beginBatch(first sequence: UInt64) {
    batch = sequence
  }

  /// Notes that the rows are changed by an event.
  package func willApply(_ sequence: UInt64) {
    self.sequence = sequence
  }

  /// Ends a batch, and keeps what it did.
  package func endBatch(_ batch: HistoryBatch, conflicts: [ProjectionConflict]) throws {
    for step in try settle() {
      counts[step.table] = step.rows
      try insert(sums.row(step, batch.lastSequence), HistorySchema.steps)
      let before = generations[step.table].row
      let next = generations[step.table].end(batch, step, history.rule)
      note(HistoryGeneration.description, before, generations[step.table].row)
      try run(
        HistoryGeneration.description.insert.replacing("INSERT", with: "INSERT OR REPLACE"),
        generations[step.table].row)
      if let next { try begin(next, first: batch.firstSequence) }
    }
    try insert(batch.row, HistorySchema.batches)
    for event in batch.events { try insert(event.row, HistorySchema.events) }
    for conflict in conflicts { try insert(conflict.historyRow, HistorySchema.conflicts) }
    ended = [:]
    begun = []
  }

  /// Copies the present rows of a table into a new table of versions. Those that the batch wrote are in the new one alone.
  private func begin(_ generation: HistoryGeneration, first: UInt64) throws {
    let old = versions[generation.table]
    let new = history.versions(generation)
    let names = history.schema.tables[generation.table].versionColumns
    try database.execute(sql: new.sql)
    let columns = new.columnList
    try run(
      "INSERT INTO \(new.sqlName) (\(columns)) SELECT \(columns) FROM \(old.sqlName) WHERE \(names.to) = 0 ORDER BY \(new.keyList)",
      [])
    fileSum.add(try sum(of: new, "true", []), of: new)
    fileSum.subtract(try sum(of: old, "\(names.from) >= ?", [.sequence(first)]), of: old)
    try run("DELETE FROM \(old.sqlName) WHERE \(names.from) >= ?", [.sequence(first)])
    try HistorySchema.createIndexes(of: new, database)
    try insert(generation.row, HistoryGeneration.description)
    generations[generation.table] = generation
    versions[generation.table] = new
  }

  /// Decides what becomes of the versions that ended, and counts.
  private func settle() throws -> [TableStep] {
    var added: [Int: Int] = [:]
    var removed: [Int: Int] = [:]
    var changed: [Int: Int] = [:]
    for address in begun where ended[address] == nil {
      if try open(address) != nil { added[address.table, default: 0] += 1 }
    }
    for (address, (version, event, removal)) in ended {
      let now = try open(address)
      guard let now else {
        removed[address.table, default: 0] += 1
        try end(version, address, removal, insteadOf: event)
        continue
      }
      guard now.row == version.row else {
        changed[address.table, default: 0] += 1
        try end(version, address, now.from, insteadOf: event)
        if event != now.from, !now.isMixed { try mix(now, address) }
        continue
      }
      // The batch brought the row back: its version goes on.
      try delete(now, address)
      try end(version, address, 0, insteadOf: event)
      try mix(version, address)
      try mixEarlier(version, address)
    }
    return history.schema.tables.indices.compactMap { table in
      let (added, removed) = (added[table] ?? 0, removed[table] ?? 0)
      let changed = changed[table] ?? 0
      guard added + removed + changed > 0 else { return nil }
      return TableStep(
        table: table, rows: counts[table] + added - removed, added: added, removed: removed,
        changed: changed)
    }
  }

  /// Writes the event that ended a version; 0 if none did.
  ///
  /// - Parameter earlier: the event that the version has now.
  private func end(
    _ version: Version, _ address: RowAddress, _ event: UInt64, insteadOf earlier: UInt64
  ) throws {
    note(
      versions[address.table], version.stored(endedBy: earlier), version.stored(endedBy: event))
    try set(\.to, .integer(VersionColumns.end(event)), of: version, address)
  }

  /// Notes that several events of a batch changed a row.
  private func mix(_ version: Version, _ address: RowAddress) throws {
    note(versions[address.table], version.stored(), version.stored(isMixed: true))
    try set(\.mixed, .flag(true), of: version, address)
  }

  /// Writes to a column of a version.
  ///
  /// - Parameter name: of the table of versions; nil means the one that has the present rows.
  /// - Returns: whether the table has the version.
  @discardableResult
  private func set(
    _ column: KeyPath<VersionColumns, String>, _ value: Value, of version: Version,
    _ address: RowAddress, in name: String? = nil
  ) throws -> Bool {
    let table = history.schema.tables[address.table]
    return try run(
      "UPDATE \(name ?? self.name(table)) SET \(table.versionColumns[keyPath: column]) = ? "
        + "WHERE \(table.keyCondition) AND \(table.versionColumns.from) = ?",
      [value] + address.key + [.sequence(version.from)]) > 0
  }

  /// Notes it in the generations before, which have the version, too.
  private func mixEarlier(_ version: Version, _ address: RowAddress) throws {
    let table = history.schema.tables[address.table]
    guard version.from <= generations[address.table].start else { return }
    for generation in try HistoryGenerations(history, database).all(of: table).dropLast() {
      let hasVersion = try set(
        \.mixed, .flag(true), of: version, address, in: generation.name(table))
      if hasVersion {
        note(history.versions(generation), version.stored(), version.stored(isMixed: true))
      }
    }
  }

  // MARK: Changing

  package func put(_ row: [Value], in table: TableDescription) throws {
    try table.require(row)
    let row = table.hasReals ? row.map(\.asStored) : row
    let address = RowAddress(table, key: table.key(of: row))
    let old = try open(address)
    if old?.row == row { return }
    for unique in table.uniques where try isTaken(unique, by: row, table) {
      throw table.duplicate(of: row, in: unique)
    }
    begun.insert(address)
    sums.add(row, table.ordinal)
    let from = Value.sequence(sequence)
    guard let old else { return try insertVersion(row, from, table) }
    sums.subtract(old.row, table.ordinal)
    guard old.from < batch else {
      let isMixed = old.isMixed || old.from != sequence
      note(
        versions[table.ordinal], old.stored(),
        Version(row: row, from: sequence, isMixed: isMixed).stored())
      let columns = table.columns.map { "\($0.sqlName) = ?" }.joined(separator: ", ")
      try run(
        "UPDATE \(name(table)) SET \(columns), \(table.versionColumns.from) = ?, \(table.versionColumns.mixed) = ? "
          + "WHERE \(table.keyCondition) AND \(table.versionColumns.from) = ?",
        row + [from, .flag(isMixed)] + address.key + [.sequence(old.from)])
      return
    }
    try end(old, address)
    try insertVersion(row, from, table)
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    try table.require(key: key)
    let address = RowAddress(table, key: key)
    guard let old = try open(address) else { return }
    sums.subtract(old.row, table.ordinal)
    guard old.from < batch else {
      ended[address]?.removal = sequence
      return try delete(old, address)
    }
    try end(old, address)
  }

  private func end(_ version: Version, _ address: RowAddress) throws {
    ended[address] = (version, sequence, sequence)
    try end(version, address, sequence, insteadOf: 0)
  }

  /// Removes a version that the batch began.
  private func delete(_ version: Version, _ address: RowAddress) throws {
    let table = history.schema.tables[address.table]
    note(versions[address.table], version.stored(), nil)
    try run(
      "DELETE FROM \(name(table)) WHERE \(table.keyCondition) AND \(table.versionColumns.from) = ?",
      address.key + [.sequence(version.from)])
  }

  private func insertVersion(_ row: [Value], _ from: Value, _ table: TableDescription) throws {
    try insert(row + [from, .integer(0), .flag(false)], versions[table.ordinal])
  }

  private func insert(_ row: [Value], _ table: TableDescription) throws {
    note(table, nil, row)
    try run(table.insert, row)
  }

  private func isTaken(
    _ columns: [Int], by row: [Value], _ table: TableDescription
  ) throws -> Bool {
    let statement = try bound(
      "SELECT 1 FROM \(name(table)) WHERE \(table.condition(columns)) AND +\(table.versionColumns.to) = 0 AND NOT (\(table.keyCondition)) LIMIT 1",
      (columns + table.key).map { row[$0] })
    defer { statement.reset() }
    return try statement.step()
  }

  // MARK: Reading

  package func holds(_ table: TableDescription) -> Bool { history.schema.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try table.require(key: key)
    return try open(RowAddress(table, key: key))?.row
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    try table.require(values, by: index.ordinal)
    let condition = index.description.columns.map { table.columns[$0] }
      .map { "\($0.sqlName) \($0.isNullable ? "IS" : "=") ?" }.joined(separator: " AND ")
    return try rows(
      "SELECT \(table.columnList) FROM \(name(table)) WHERE \(condition) AND +\(table.versionColumns.to) = 0 "
        + "ORDER BY \(table.keyList)", values.map(\.asStored), table)
  }

  package func visitRows(
    of table: TableDescription, where columns: [Int], are values: [Value],
    _ visit: ([Value]) throws -> Bool
  ) throws {
    let same = columns.map { "\(table.columns[$0].sqlName) = ? AND " }.joined()
    let sql =
      "SELECT \(table.columnList) FROM \(name(table)) WHERE \(same)+\(table.versionColumns.to) = 0"
    // Away meanwhile: a visit may ask the same of other values.
    let statement = try statements.removeValue(forKey: sql) ?? PreparedStatement(database, sql)
    defer {
      statement.reset()
      statements[sql] = statement
    }
    try statement.bind(values.map(\.asStored))
    while try statement.step() {
      guard try visit(statement.row(of: table)) else { return }
    }
  }

  package func rows(in table: TableDescription) throws -> [[Value]] {
    try rows(
      "SELECT \(table.columnList) FROM \(name(table)) WHERE \(table.versionColumns.to) = 0 ORDER BY \(table.keyList)",
      [],
      table)
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    guard table.hasIntegerKey else { return nil }
    let statement = try bound(
      "SELECT \(table.keyList) FROM \(name(table)) WHERE +\(table.versionColumns.to) = 0 ORDER BY \(table.keyList) DESC "
        + "LIMIT 1", [])
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  private func rows(
    _ sql: String, _ values: [Value], _ table: TableDescription
  ) throws -> [[Value]] {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    return try statement.rows(of: table)
  }

  /// The version of a row that has not ended.
  private func open(_ address: RowAddress) throws -> Version? {
    let table = history.schema.tables[address.table]
    // Without the sign SQLite would search by the end, which all present rows share.
    let statement = try bound(
      "SELECT \(table.columnList), \(table.versionColumns.from), \(table.versionColumns.mixed) FROM \(name(table)) WHERE \(table.keyCondition) AND +\(table.versionColumns.to) = 0",
      address.key)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Version(
      row: try statement.row(of: table),
      from: UInt64(clamping: statement.integer(table.columns.count)),
      isMixed: statement.integer(table.columns.count + 1) == 1)
  }

  // MARK: The sum of the file

  /// Notes that a row of a table of the file becomes another one; nil if there is none before or after.
  private func note(_ table: TableDescription, _ before: [Value]?, _ after: [Value]?) {
    let digester = digester(of: table)
    var sum = RowSum()
    if let before { sum.subtract(digester.digest(before)) }
    if let after { sum.add(digester.digest(after)) }
    fileSum.add(sum, of: table)
  }

  /// The sum of some rows of a table of the file.
  private func sum(
    of table: TableDescription, _ condition: String, _ values: [Value]
  ) throws -> RowSum {
    let digester = digester(of: table)
    let rows = try PreparedStatement(
      database, "SELECT \(table.columnList) FROM \(table.name) WHERE \(condition)", values)
    var sum = RowSum()
    while try rows.step() { sum.add(digester.digest(rows)) }
    return sum
  }

  private func digester(of table: TableDescription) -> RowDigester {
    if let known = digesters[table.name] { return known }
    let digester = RowDigester(table)
    digesters[table.name] = digester
    return digester
  }

  // MARK: Statements

  private func name(_ table: TableDescription) -> String { versions[table.ordinal].name }

  /// - Returns: how many rows the statement inserted, changed or removed.
  @discardableResult
  private func run(_ sql: String, _ values: [Value]) throws -> Int {
    let statement = try bound(sql, values)
    try statement.run()
    return statement.changes
  }

  private func bound(_ sql: String, _ values: [Value]) throws -> PreparedStatement {
    let statement = try statements[sql] ?? PreparedStatement(database, sql)
    statements[sql] = statement
    try statement.bind(values)
    return statement
  }
}
