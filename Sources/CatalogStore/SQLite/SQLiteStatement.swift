import CatalogModel
internal import GRDB
import GRDBSQLite
import Projections

/// A prepared statement used without GRDB's layer, for the loops that touch every row.
///
/// Not Sendable: it lives and dies inside one database access.
final class SQLiteStatement {
  private let connection: OpaquePointer
  private let statement: OpaquePointer

  init(_ database: Database, _ sql: String) throws {
    guard let connection = database.sqliteConnection else {
      throw StoreError(.closed, "the database is closed")
    }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw StoreError(sqlite: connection, doing: sql) }
    self.connection = connection
    self.statement = statement
  }

  deinit {
    sqlite3_finalize(statement)
  }

  /// Steps once; false when there are no more rows.
  func step() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case SQLITE_INTERRUPT where Task.isCancelled:
      // As GRDB says it of its own statements.
      sqlite3_reset(statement)
      throw CancellationError()
    default:
      let error = StoreError(
        sqlite: connection, doing: sqlite3_sql(statement).map { String(cString: $0) } ?? "?")
      sqlite3_reset(statement)
      throw error
    }
  }

  func reset() {
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
  func bind(_ value: Value, at index: Int) throws {
    let index = Int32(index)
    switch value {
    case .null: try check(sqlite3_bind_null(statement, index))
    case .integer(let integer): try check(sqlite3_bind_int64(statement, index, integer))
    case .real(let real): try check(sqlite3_bind_double(statement, index, real))
    case .text(var text):
      try check(text.withUTF8 { bindText(UnsafeRawBufferPointer($0), index) })
    case .id(let id): try check(bind(id, index))
    case .time(let time):
      var text = time.description
      try check(text.withUTF8 { bindText(UnsafeRawBufferPointer($0), index) })
    }
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
    }
  }

  func bind(blob: [UInt8], at index: Int) throws {
    try check(
      blob.withUnsafeBytes {
        sqlite3_bind_blob64(
          statement, Int32(index), $0.baseAddress, UInt64($0.count), Self.transient)
      })
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

  @inline(__always)
  private func check(_ result: Int32) throws {
    guard result == SQLITE_OK else {
      throw StoreError(
        sqlite: connection, doing: sqlite3_sql(statement).map { String(cString: $0) } ?? "?")
    }
  }

  // MARK: Reading

  /// A column as SQLite stores it. A text's or a blob's bytes live until the next step.
  enum Cell {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  var columnCount: Int { Int(sqlite3_column_count(statement)) }

  func cell(_ column: Int) -> Cell {
    let column = Int32(column)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .text(UnsafeRawBufferPointer(start: start, count: count))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob(UnsafeRawBufferPointer(start: start, count: count))
    default: return .null
    }
  }

  /// A column's text; what is stored otherwise comes as the text of it. The bytes live until the next step.
  ///
  /// For loops over millions of rows that refuse what is not as they want it: two calls instead of the three
  /// of `cell`.
  func text(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_text(statement, Int32(column))
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(statement, Int32(column))))
  }

  /// A column's number; 0 where there is none. For the same loops.
  func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(statement, Int32(column))
  }

  /// A column as its description says; throws where the row holds something else.
  func value(_ column: Int, _ description: ColumnDescription, in table: String) throws -> Value {
    switch (cell(column), description.type) {
    case (.null, _): return .null
    case (.integer(let integer), .integer): return .integer(integer)
    case (.real(let real), .real): return .real(real)
    case (.text(let bytes), .text): return .text(String(decoding: bytes, as: UTF8.self))
    case (.text(let bytes), .id):
      if let id = EntityID(utf8: bytes) { return .id(id) }
    case (.text(let bytes), .time):
      if let time = Timestamp(utf8: bytes) { return .time(time) }
    default: break
    }
    throw StoreError(
      .drifted,
      "a row of \(table) holds something that is no \(description.type) in \(description.name): "
        + "it was changed by hand; `catalogctl verify` shows where, `catalogctl rebuild` repairs it"
    )
  }
}
