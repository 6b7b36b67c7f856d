import GRDB
public import Projections
import Recoveries

/// Rows that are proved: each is what the projector wrote, and what is not found is not there.
///
/// Whatever becomes an event, an address that is asked, a file that is moved or removed, or the meaning of "all", is
/// found in these rows. Nothing else can be made into them: they come from `ProjectionDatabase.readProved` and
/// `readInMemory`, and are good for the read that handed them out, or from a replay of the log. Nothing is written to them.
///
/// Each call throws `StoreError` with `drifted` where what it would have to answer was changed by hand.
public final class ProvedRows: RowStore {
  private let rows: any RowStore
  /// The tables that were loaded, by ordinal; nil if all can be read.
  private let loaded: [Bool]?

  fileprivate init(_ rows: any RowStore, loaded: [Bool]? = nil) {
    self.rows = rows
    self.loaded = loaded
  }

  /// - Parameter tables: those that were loaded.
  fileprivate convenience init(
    _ rows: MemoryRowStore, _ tables: [TableDescription], _ schema: Schema
  ) {
    var loaded = [Bool](repeating: false, count: schema.tables.count)
    for table in tables { loaded[table.ordinal] = true }
    self.init(rows, loaded: loaded)
  }

  fileprivate convenience init(_ database: Database, _ migrations: ProjectionMigrations) throws {
    try SchemaCheck(migrations).require(database)
    self.init(try ProvedRowStore(database, schema: migrations.schema))
  }

  /// The rows of a catalog before its first event: there are none, and nothing has to prove that.
  package static func none(_ schema: Schema) -> ProvedRows {
    ProvedRows(MemoryRowStore(schema: schema))
  }

  /// Rows that a replay of the log has just made.
  package static func replayed(_ rows: MemoryRowStore) -> ProvedRows { ProvedRows(rows) }

  public func holds(_ table: TableDescription) -> Bool {
    isLoaded(table) && rows.holds(table)
  }

  public func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try require(table)
    return try rows.row(in: table, key: key)
  }

  public func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try require(index.table)
    return try rows.rows(by: index, equal: values)
  }

  public func rows(in table: TableDescription) throws -> [[Value]] {
    try require(table)
    return try rows.rows(in: table)
  }

  public func value(
    _ column: Int, in table: TableDescription, key: [Value]
  ) throws -> Value? {
    try require(table)
    return try rows.value(column, in: table, key: key)
  }

  public func value(
    _ column: Int, by index: IndexReference, equal values: [Value]
  ) throws -> Value? {
    try require(index.table)
    return try rows.value(column, by: index, equal: values)
  }

  public func greatestKey(in table: TableDescription) throws -> Int64? {
    try require(table)
    return try rows.greatestKey(in: table)
  }

  public func put(_ row: [Value], in table: TableDescription) throws { throw Self.readOnly }

  public func remove(key: [Value], from table: TableDescription) throws { throw Self.readOnly }

  private static var readOnly: StoreError {
    StoreError(.invalidRequest, "these rows are for planning and cannot be written")
  }

  private func isLoaded(_ table: TableDescription) -> Bool {
    guard let loaded else { return true }
    return loaded.indices.contains(table.ordinal) && loaded[table.ordinal]
  }

  /// A table that was not loaded looks empty, and that would prove nothing.
  private func require(_ table: TableDescription) throws {
    guard isLoaded(table) else {
      throw StoreError(.invalidRequest, "\(table.name) is not one of the tables that were loaded")
    }
  }
}

/// A database whose rows can be proved, whoever opened it.
package protocol ProvedRowsSource: Sendable {
  /// Reads rows that are proved: what is read is what the projector wrote, or it is drift.
  ///
  /// - Throws: `StoreError` with `stale` if the database has no running digests of this version, `drifted` if its tables
  ///   or the rows that `body` reads are not what the projector made.
  func readProved<Result>(_ body: (ProvedRows) throws -> Result) throws -> Result
}

extension ProjectionDatabase: ProvedRowsSource {
  package func readProved<Result>(_ body: (ProvedRows) throws -> Result) throws -> Result {
    try guarded { try connections.read { try body(ProvedRows($0, migrations)) } }
  }

  /// The same with these tables in memory: for a reader that looks at most of their rows, a scan is
  /// far less work than a query a row. Other tables cannot be read.
  ///
  /// - Throws: as `readProved`, before `body` is called.
  package func readInMemory<Result>(
    _ tables: [TableDescription], _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    let store = try guarded { try connections.read { try migrations.load(tables, $0) } }
    return try body(ProvedRows(store, tables, migrations.schema))
  }
}

extension ProjectionView {
  /// Reads rows that are proved, with these tables in memory.
  ///
  /// - Throws: as `readProved`, before `body` is called.
  package func readInMemory<Result>(
    _ tables: [TableDescription], _ body: (ProvedRows) throws -> Result
  ) throws -> Result {
    let store = try guarded { try queue.read { try migrations.load(tables, $0) } }
    return try body(ProvedRows(store, tables, migrations.schema))
  }

  package func readProved<Result>(_ body: (ProvedRows) throws -> Result) throws -> Result {
    try guarded { try queue.read { try body(ProvedRows($0, migrations)) } }
  }
}
