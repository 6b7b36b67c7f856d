import CatalogModel
package import GRDB
import GRDBSQLite
import LibC
package import Projections
import Support

/// A prepared statement used without GRDB's layer, for the loops that touch every row.
///
/// Not Sendable: it lives and dies inside one database access.
package final class PreparedStatement {
  private let connection: OpaquePointer
  private let statement: OpaquePointer
  /// The connection's own statement; nil if this one is used once.
  private let kept: Statement?

  package init(_ database: Database, _ sql: String) throws {
    guard let connection = database.sqliteConnection else {
      throw StoreError(.closed, "the database is closed")
    }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw StoreError(sqlite: connection) }
    self.connection = connection
    self.statement = statement
    kept = nil
  }

  /// A statement with values for its parameters, in their order.
  package convenience init(_ database: Database, _ sql: String, _ values: [Value]) throws {
    try self.init(database, sql)
    try bind(values)
  }

  /// A statement that the connection keeps for the next use of the same text. It is not used twice at a time.
  package init(keptBy database: Database, _ sql: String) throws {
    guard let connection = database.sqliteConnection else {
      throw StoreError(.closed, "the database is closed")
    }
    let kept = try database.cachedStatement(sql: sql)
    self.connection = connection
    statement = kept.sqliteStatement
    self.kept = kept
  }

  deinit {
    if kept == nil { sqlite3_finalize(statement) } else { sqlite3_reset(statement) }
  }

  /// Steps once; false when there are no more rows.
  package func step() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case SQLITE_INTERRUPT where Task.isCancelled:
      // As GRDB says it of its own statements.
      sqlite3_reset(statement)
      throw CancellationError()
    default:
      let error = StoreError(sqlite: connection)
      sqlite3_reset(statement)
      throw error
    }
  }

  package func reset() {
    sqlite3_reset(statement)
  }

  /// Binds, runs to the end and makes ready for the next.
  func run() throws {
    while try step() {}
    sqlite3_reset(statement)
  }

  /// How many rows the last statement of the connection that wrote inserted, changed or removed.
  var changes: Int { Int(sqlite3_changes(connection)) }

  // MARK: Binding

  /// SQLite copies the bytes at once: they may change before the step.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// - Throws: `StoreError` where SQLite takes no more, for a text beyond its limit of length or without memory.
  package func bind(_ value: Value, at index: Int) throws {
    try value.withCell { try bind(packed: $0, at: index) }
  }

  /// Binds values to the parameters, in their order.
  package func bind(_ values: [Value]) throws {
    for (place, value) in values.enumerated() { try bind(value, at: place + 1) }
  }

  func bind(packed cell: PackedCell, at index: Int) throws {
    let index = Int32(index)
    switch cell {
    case .null: try check(sqlite3_bind_null(statement, index))
    case .integer(let integer): try check(sqlite3_bind_int64(statement, index, integer))
    case .real(let real): try check(sqlite3_bind_double(statement, index, real))
    case .text(let bytes): try check(bindText(bytes, index))
    case .id(let id): try check(bind(id, index))
    case .time(let time):
      var text = time.description
      try check(text.withUTF8 { bindText(UnsafeRawBufferPointer($0), index) })
    case .blob(let bytes): try check(bindBlob(bytes, index))
    }
  }

  private func bind(_ id: EntityID, _ index: Int32) -> Int32 {
    withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { buffer in
      var end = 0
      id.forEachCharacter {
        buffer[end] = $0
        end += 1
      }
      return bindText(UnsafeRawBufferPointer(buffer), index)
    }
  }

  private func bindText(_ bytes: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
    // An empty text has no address, which SQLite would take for NULL.
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_text(statement, index, "", 0, Self.transient)
    }
    return sqlite3_bind_text64(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
      Self.transient, UInt8(SQLITE_UTF8))
  }

  private func bindBlob(_ bytes: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
    // An empty blob has no address, which SQLite would take for NULL.
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(statement, index, 0)
    }
    return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), Self.transient)
  }

  @inline(__always)
  private func check(_ result: Int32) throws {
    guard result == SQLITE_OK else {
      throw StoreError(
        .database,
        "a value could not be handed to SQLite: \(String(cString: sqlite3_errstr(result)))")
    }
  }

  // MARK: Reading

  /// A column as SQLite stores it. A text's or a blob's bytes live until the next step.
  package enum Cell {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  var columnCount: Int { Int(sqlite3_column_count(statement)) }

  package func cell(_ column: Int) -> Cell { Self.cell(column, of: statement) }

  static func cell(_ column: Int, of statement: OpaquePointer) -> Cell {
    let column = Int32(column)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      // Without an address there was no memory for it.
      let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
      return .text(UnsafeRawBufferPointer(start: start, count: count))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
      return .blob(UnsafeRawBufferPointer(start: start, count: count))
    default: return .null
    }
  }

  /// The bytes of a column that must hold a text. They live until the next step.
  ///
  /// For loops over millions of rows that refuse what is not as they want it.
  ///
  /// - Parameter origin: where the row comes from, which only an error asks for.
  package func text(
    _ column: Int, of origin: @autoclosure () -> StoredRow.Origin
  ) throws -> UnsafeRawBufferPointer {
    guard sqlite3_column_type(statement, Int32(column)) == SQLITE_TEXT else {
      throw row(origin()).drift(column, "a text")
    }
    let start = sqlite3_column_text(statement, Int32(column))
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, Int32(column)))
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  /// A column that cannot hold anything but an integer: the key of a table with row ids. For the same loops.
  package func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(statement, Int32(column))
  }

  /// A column that holds the number of an event.
  package func sequence(_ column: Int) -> UInt64 { UInt64(clamping: integer(column)) }

  /// The row where the statement stands, for decoding by calls that throw. It goes along with the statement: a loop
  /// asks for it once.
  package func row(_ origin: StoredRow.Origin) -> StoredRow {
    StoredRow(statement, origin)
  }

  /// A column as its description says; throws where the row holds something else.
  package func value(_ column: Int, in table: TableDescription) throws -> Value {
    // Not all of the column's description, whose copy counts references: an import reads a million cells.
    switch (cell(column), table.columns[column].type) {
    case (.null, _):
      if table.columns[column].isNullable { return .null }
    case (.integer(let integer), .integer), (.integer(let integer), .any): return .integer(integer)
    case (.real(let real), .real), (.real(let real), .any):
      if real.isFinite { return .real(real) }
    case (.text(let bytes), .text), (.text(let bytes), .any):
      if !Self.holdsZero(bytes), let text = String(validating: bytes, as: UTF8.self) {
        return .text(text)
      }
    case (.text(let bytes), .id):
      if let id = EntityID(canonical: bytes.assumingMemoryBound(to: UInt8.self)) { return .id(id) }
    case (.text(let bytes), .time):
      if let time = Timestamp(utf8: bytes) { return .time(time) }
    case (.blob(let bytes), .blob), (.blob(let bytes), .any): return .blob(Array(bytes))
    default: break
    }
    throw drift(column, in: table)
  }

  /// All columns as the description of their table says.
  ///
  /// - Throws: as `value`.
  package func row(of table: TableDescription) throws -> [Value] {
    try table.columns.indices.map { try value($0, in: table) }
  }

  /// The rows that are left, as the description of their table says.
  package func rows(of table: TableDescription) throws -> [[Value]] {
    try all { try $0.row(of: table) }
  }

  /// The rows that are left, as `row` reads each of them.
  package func all<Row>(_ row: (PreparedStatement) throws -> Row) throws -> [Row] {
    var rows: [Row] = []
    while try step() { rows.append(try row(self)) }
    return rows
  }

  /// Whether a text holds U+0000, which no projector writes.
  private static func holdsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return memchr(start, 0, bytes.count) != nil
  }

  /// The error for a column of a whole row, all columns of the table in their order.
  private func drift(_ column: Int, in table: TableDescription) -> StoreError {
    let description = table.columns[column]
    let expected =
      switch description.type {
      case .integer: "an integer"
      case .real: "a number"
      case .text: "a text in UTF-8"
      case .id: "a UUID in lower case"
      case .time: "a time, as 2026-01-31T12:00:00.000Z"
      case .blob: "a blob"
      case .any: "a finite number, a text in UTF-8 or a blob"
      }
    return .drifted(
      table.name, key: table.key.map { (table.columns[$0].name, StoredValue(cell($0))) },
      description.name, is: StoredValue(cell(column)),
      shouldBe: description.isNullable ? expected + " or NULL" : expected)
  }
}

extension Value {
  /// The number of an event.
  package static func sequence(_ sequence: UInt64) -> Value { .integer(Int64(clamping: sequence)) }
}
