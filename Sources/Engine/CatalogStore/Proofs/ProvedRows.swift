package import GRDB
public import Projections
import Support

/// Rows that are proved: each is what the projector wrote, and what is not found is not there.
///
/// Whatever becomes an event, an address that is asked, a file that is moved or removed, or the meaning of "all", is
/// found in these rows. Nothing else can be made into them: they come from
/// `ProjectionDatabase.readProved`, and are good for the read that handed them out, or from a replay of the log. Nothing is written to them.
///
/// A question is answered out of rows in memory. Those of a database were read from the table, and their sum is that of
/// the digests: they are all rows of their stretch that the projector wrote, and no others, whatever an index says. The
/// first question for a row of a stretch reads it. A search by another index than the key asks SQLite which row that is,
/// if there can be one alone; for any other the whole table is read, since what was changed by hand may be missing from
/// what an index leads to. SQLite answers each question as well, and has to give the same answer: a change is applied by
/// what its indexes say.
///
/// Each call throws `StoreError` with `drifted` if what it would have to answer was changed by hand.
public final class ProvedRows: RowStore {
  /// The rows of the stretches and tables that are proved; what it has of others is not asked for.
  private let known: MemoryRowStore
  /// The database that rows are read from; nil if nothing else than `known` can be asked.
  private let database: (indexed: SQLiteRowStore, proof: RowProof)?
  /// Whether all rows of a table are known, by its ordinal.
  private var provedTables: [Bool]
  private var proved: Set<Stretch> = []
  /// Tables whose indexes were compared with their rows.
  private var comparedTables: Set<Int> = []
  /// Tables whose rows were all visited, and not kept.
  private var scannedTables: Set<Int> = []
  /// Tables of which nothing is returned any more: `known` may have rows of theirs that are not proved.
  private var driftedTables: Set<Int> = []
  /// The rows that were read before these were made; nil if the rows came from no database.
  private let loaded: ReadRows?

  private struct Stretch: Hashable {
    let table: Int
    let number: Int64
  }

  /// - Parameter tables: those that were loaded.
  fileprivate init(
    _ rows: MemoryRowStore, _ tables: [TableDescription], loaded: ReadRows? = nil
  ) {
    known = rows
    database = nil
    self.loaded = loaded
    provedTables = rows.schema.tables.map { _ in false }
    for table in tables { provedTables[table.ordinal] = true }
  }

  fileprivate init(_ database: Database, _ migrations: ProjectionMigrations) throws {
    try SchemaCheck(migrations).require(database)
    let schema = migrations.schema
    known = MemoryRowStore(schema: schema)
    self.database = (SQLiteRowStore(database, schema: schema), try RowProof(database))
    loaded = nil
    provedTables = schema.tables.map { _ in false }
  }

  /// The rows of a catalog before its first event: there are none, and nothing has to prove that.
  package static func none(_ schema: Schema) -> ProvedRows {
    replayed(MemoryRowStore(schema: schema))
  }

  /// Rows that a replay of the log has just made.
  package static func replayed(_ rows: MemoryRowStore) -> ProvedRows {
    ProvedRows(rows, rows.schema.tables)
  }

  /// The rows that were read so far, to find out later whether they are the same; nil if that cannot be found out, or none was read.
  package func readSoFar() throws -> ReadRows? {
    guard let database else { return loaded }
    var read = ReadRows()
    let stretches = Dictionary(grouping: proved, by: \.table)
    for table in known.schema.tables {
      let isWhole = provedTables[table.ordinal] || scannedTables.contains(table.ordinal)
      let numbers = isWhole ? nil : stretches[table.ordinal]?.map(\.number)
      guard isWhole || numbers != nil else { continue }
      read.tables[table.name] = ReadRows.Part(
        numbers: numbers, sums: try database.proof.sums(of: table))
    }
    return read.tables.isEmpty ? nil : read
  }

  public func holds(_ table: TableDescription) -> Bool {
    known.holds(table) && (database != nil || isProved(table))
  }

  public func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try require(table)
    guard let database else { return try known.row(in: table, key: key) }
    try table.require(key: key)
    try prove(key[0], in: table)
    let row = try known.row(in: table, key: key)
    try require(
      try answer(table) { try database.indexed.row(in: table, key: key) }.map { [$0] } ?? [],
      row.map { [$0] } ?? [], table)
    return row
  }

  public func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    try require(table)
    guard let database else { return try known.rows(by: index, equal: values) }
    try table.require(values, by: index.ordinal)
    let columns = index.description.columns
    let found = try answer(table) { try database.indexed.rows(by: index, equal: values) }
    if columns.first == table.key[0] {
      try prove(values[0], in: table)
    } else if let row = found.first, found.count == 1, table.hasOne(columns, values) {
      return [try proved(row, columns, values, in: table)]
    } else {
      try prove(table, withIndexes: true)
    }
    let rows = try known.rows(by: index, equal: values)
    try require(found, rows, table)
    return rows
  }

  public func rows(in table: TableDescription) throws -> [[Value]] {
    try require(table)
    // No index leads to them; a change that is planned on all rows is applied through indexes.
    try prove(table, withIndexes: true)
    return known.rows(in: table)
  }

  /// Visits all rows of a table in any order, and keeps none of them.
  ///
  /// They are proved when this returns: after an error nothing may be made of them. No index is compared with the table.
  ///
  /// - Parameter visit: gets the cells in column order, which are valid until it returns.
  package func scan(
    _ table: TableDescription, _ visit: ([PackedCell]) throws -> Void
  ) throws {
    try require(table)
    guard let database, !isProved(table) else {
      return try known.forEachRow(in: table, visit)
    }
    guard try database.proof.scanCells(table, visit).isEmpty else {
      throw StoreError.drifted(tables: [table.name])
    }
    scannedTables.insert(table.ordinal)
  }

  public func value(
    _ column: Int, in table: TableDescription, key: [Value]
  ) throws -> Value? {
    if database != nil { return try row(in: table, key: key)?[column] }
    try require(table)
    return try known.value(column, in: table, key: key)
  }

  public func value(
    _ column: Int, by index: IndexReference, equal values: [Value]
  ) throws -> Value? {
    if database != nil { return try rows(by: index, equal: values).first?[column] }
    try require(index.table)
    return try known.value(column, by: index, equal: values)
  }

  public func greatestKey(in table: TableDescription) throws -> Int64? {
    try require(table)
    // The greatest one may be one that should not be there; one that is gone shows as its stretch is read.
    try prove(table, withIndexes: true)
    let greatest = known.greatestKey(in: table)
    if let database,
      try answer(table, { try database.indexed.greatestKey(in: table) }) != greatest
    {
      throw StoreError.drifted(tables: [table.name])
    }
    return greatest
  }

  public func put(_ row: [Value], in table: TableDescription) throws { throw Self.readOnly }

  public func remove(key: [Value], from table: TableDescription) throws { throw Self.readOnly }

  private static var readOnly: StoreError {
    StoreError(.invalidRequest, "these rows are for planning and cannot be written")
  }

  private func isProved(_ table: TableDescription) -> Bool {
    provedTables.indices.contains(table.ordinal) && provedTables[table.ordinal]
  }

  /// A table that was not loaded looks empty, and that would prove nothing.
  private func require(_ table: TableDescription) throws {
    guard database != nil || isProved(table) else {
      throw StoreError(.invalidRequest, "\(table.name) is not one of the tables that were loaded")
    }
  }

  /// Looks the row that an index led to up in its stretch, and compares it with the search.
  private func proved(
    _ row: [Value], _ columns: [Int], _ values: [Value], in table: TableDescription
  ) throws -> [Value] {
    let key = table.key(of: row)
    try prove(key[0], in: table)
    guard let proved = try known.row(in: table, key: key),
      zip(columns, values).allSatisfy({ proved[$0] == $1 })
    else { throw StoreError.drifted(tables: [table.name]) }
    return proved
  }

  /// Returns the answer of SQLite. One whose index leads to a row that is not there says that the file is damaged.
  private func answer<Answer>(
    _ table: TableDescription, _ body: () throws -> Answer
  ) throws -> Answer {
    do {
      return try body()
    } catch let error as StoreError where error.code == .notADatabase {
      throw StoreError.drifted(tables: [table.name])
    }
  }

  /// - Throws: `StoreError` with `drifted` if SQLite's answer is not that of the proved rows.
  private func require(
    _ found: [[Value]], _ rows: [[Value]], _ table: TableDescription
  ) throws {
    let isSame =
      found.count == rows.count
      && zip(found, rows).allSatisfy { found, row in
        zip(found, row).allSatisfy { $0 == $1 }
      }
    guard isSame else { throw StoreError.drifted(tables: [table.name]) }
  }

  private func prove(_ value: Value, in table: TableDescription) throws {
    let number = RowStretch.of(value, table)
    let stretch = Stretch(table: table.ordinal, number: number)
    guard let database, !isProved(table), !proved.contains(stretch) else {
      return
    }
    guard let bounds = RowStretch.bounds(number, table) else {
      return try prove(table, withIndexes: false)
    }
    try keep(table) {
      try database.proof.scan(number, between: bounds, in: table) { try known.put($0, in: table) }
    }
    proved.insert(stretch)
  }

  /// - Parameter withIndexes: whether to compare all of the table's indexes with its rows, and not what they answer
  ///   alone: a change that is planned on the whole table is applied through them.
  private func prove(_ table: TableDescription, withIndexes: Bool) throws {
    guard let proof = database?.proof else { return }
    if withIndexes, !comparedTables.contains(table.ordinal) {
      guard try proof.areIndexesWhole(of: table) else {
        throw StoreError.drifted(tables: [table.name])
      }
      comparedTables.insert(table.ordinal)
    }
    if isProved(table) { return }
    try keep(table) { try proof.scan(table, { try known.put($0, in: table) }).isEmpty }
    provedTables[table.ordinal] = true
  }

  /// Keeps rows in `known`.
  ///
  /// - Parameter read: returns whether they are proved. Rows that are fit their table.
  private func keep(_ table: TableDescription, _ read: () throws -> Bool) throws {
    guard !driftedTables.contains(table.ordinal) else {
      throw StoreError.drifted(tables: [table.name])
    }
    driftedTables.insert(table.ordinal)
    do {
      guard try read() else { throw StoreError.drifted(tables: [table.name]) }
    } catch let error as ProjectionError where [.invalidRow, .duplicate].contains(error.code) {
      throw StoreError.drifted(tables: [table.name])
    }
    driftedTables.remove(table.ordinal)
  }
}

/// The parts of proved rows that were read, by the sums that prove them.
///
/// A plan is a function of the rows that it read. If their sums are the same later, the plan would be, too.
package struct ReadRows: Sendable {
  /// The part of a table that was read.
  fileprivate struct Part {
    /// Its stretches; nil if all of the table was read.
    let numbers: [Int64]?
    /// The sums of all stretches of the table.
    let sums: [Int64: RowSum]
  }

  /// The parts, by the names of the tables.
  fileprivate var tables: [String: Part] = [:]

  fileprivate init() {}

  fileprivate init(_ tables: [TableDescription], _ database: Database) throws {
    for table in tables {
      self.tables[table.name] = Part(
        numbers: nil, sums: try RunningDigests.sums(of: table.name, database))
    }
  }

  /// Whether they are the same in a database.
  func isSame(in database: Database) throws -> Bool {
    guard case .whole = try RunningDigests.standing(database) else { return false }
    return try tables.allSatisfy { name, part in
      let sums = try RunningDigests.sums(of: name, database)
      let numbers = part.numbers ?? Array(Set(sums.keys).union(part.sums.keys))
      return numbers.allSatisfy {
        (sums[$0] ?? RowSum()) == (part.sums[$0] ?? RowSum())
      }
    }
  }
}

/// A database whose rows can be proved.
package protocol ProvedRowsSource: Sendable {
  var migrations: ProjectionMigrations { get }

  /// Reads from one snapshot of the database.
  ///
  /// - Throws: what `body` throws; `StoreError` in the place of errors of SQLite.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result
}

extension ProvedRowsSource {
  /// Reads rows that are proved: what is read is what the projector wrote, or it is drift.
  ///
  /// - Throws: `StoreError` with `stale` if the database has no running digests of this version, `drifted` if its tables
  ///   or the rows that `body` reads are not what the projector made.
  ///
  /// - Parameter tables: to be loaded before `body` is called, for a reader that looks at most of their rows: a scan is far
  ///   less work than a query a row. Other tables cannot be read then. Empty for queries.
  package func readProved<Result>(
    loading tables: [TableDescription] = [], _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    guard !tables.isEmpty else { return try read { try body(ProvedRows($0, migrations)) } }
    let (store, loaded) = try read { database in
      (try migrations.load(tables, database), try ReadRows(tables, database))
    }
    return try body(ProvedRows(store, tables, loaded: loaded))
  }

  /// The rows that refer to rows which do not exist, at most `limit`.
  package func danglingReferences(limit: Int = .max) throws -> [DanglingReference] {
    try read { try DanglingReference.all(of: migrations.schema, in: $0, limit: limit) }
  }
}

extension TableDescription {
  /// Whether at most one row has these values in these columns.
  fileprivate func hasOne(_ columns: [Int], _ values: [Value]) -> Bool {
    guard columns.count == 1, key == columns || uniques.contains(columns) else { return false }
    // NULL is the same as nothing: any number of rows may have it.
    if case .null = values[0] { return false }
    return true
  }
}
