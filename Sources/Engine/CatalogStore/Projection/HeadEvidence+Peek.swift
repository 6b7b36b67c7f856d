import CatalogModel
import EventLog
import GRDBSQLite
import LibC
import Support

extension HeadEvidence {
  /// What a database says that is not open, read by SQLite alone: opening it as repositories do takes longer than all
  /// else that the command `head` does.
  ///
  /// Leaves no files behind where nobody has the database open: one that has no write-ahead log is read as a
  /// file that does not change. Whoever gets an alarm out of that asks again with `isSettled`.
  ///
  /// - Parameter isSettled: whether to read with SQLite's locks in any case.
  /// - Returns: nil if the file is not a projection, has no checkpoint, or cannot be read now.
  package static func peek(_ path: String, isSettled: Bool = false) -> HeadEvidence? {
    let connection = connection(path, isSettled: isSettled)
    defer { sqlite3_close(connection) }
    guard connection != nil else { return nil }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT log_id, sequence, chain, fingerprint FROM projection_checkpoint WHERE id = 1"
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    let claim: Claim
    do {
      claim = .checkpoint(try Checkpoint(statement))
    } catch {
      claim = .unreadable(error as? StoreError ?? StoreError.changedByHand("projection_checkpoint"))
    }
    let other = firstRow(of: RunningDigests.otherVersionQuery, connection) { _ in }
    let digests = firstRow(of: RunningDigests.headQuery, connection, digests)
    return HeadEvidence(
      claim: claim, digests: digests.row.flatMap(\.self),
      lacksDigests: other.isRefused || other.row != nil)
  }

  /// The whole numbers that a query gives, of a database that is not open; nil if it cannot be asked now.
  package static func peek(_ path: String, integersOf query: String) -> [Int64]? {
    peek(path, query) { sqlite3_column_int64($0, 0) }
  }

  /// The rows of a whole number and a text that a query gives, of a database that is not open; nil if it cannot be asked now.
  package static func peek(
    _ path: String, numberedTextsOf query: String
  ) -> [(number: Int64, text: [UInt8])]? {
    peek(path, query) { statement in
      let text = UnsafeRawBufferPointer(
        start: sqlite3_column_text(statement, 1), count: Int(sqlite3_column_bytes(statement, 1)))
      return (sqlite3_column_int64(statement, 0), Array(text))
    }
  }

  private static func peek<Row>(
    _ path: String, _ query: String, _ row: (OpaquePointer) -> Row
  ) -> [Row]? {
    let connection = connection(path, isSettled: false)
    defer { sqlite3_close(connection) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard connection != nil,
      sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK, let statement
    else { return nil }
    var rows: [Row] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(row(statement))
      case SQLITE_DONE: return rows
      default: return nil
      }
    }
  }

  /// A connection that only reads; nil if there is no file that could be a database.
  private static func connection(_ path: String, isSettled: Bool) -> OpaquePointer? {
    // To open a named pipe would wait for ever.
    guard DatabaseFile.isUsable(path) else { return nil }
    var status = stat()
    let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
    let name =
      hasLog || isSettled ? DatabaseFile.readingName(path) : DatabaseFile.immutableName(path)
    var connection: OpaquePointer?
    let opened = sqlite3_open_v2(
      name, &connection, SQLITE_OPEN_READONLY | (name == path ? 0 : SQLITE_OPEN_URI), nil)
    guard opened == SQLITE_OK else {
      sqlite3_close(connection)
      return nil
    }
    return connection
  }

  /// The first row of a query, and whether SQLite refuses the query, because there is no such table.
  private static func firstRow<Row>(
    of sql: String, _ connection: OpaquePointer?, _ body: (OpaquePointer) -> Row
  ) -> (row: Row?, isRefused: Bool) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { return (nil, true) }
    return (sqlite3_step(statement) == SQLITE_ROW ? body(statement) : nil, false)
  }

  private static func digests(_ statement: OpaquePointer) -> LogHead? {
    guard sqlite3_column_type(statement, 0) == SQLITE_INTEGER,
      let sequence = UInt64(exactly: sqlite3_column_int64(statement, 0)),
      sqlite3_column_type(statement, 1) == SQLITE_BLOB,
      let chain = sqlite3_column_blob(statement, 1)
    else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: chain, count: Int(sqlite3_column_bytes(statement, 1)))
    return RunningDigests.Head(sequence: sequence, blob: Array(bytes))?.head
  }
}
