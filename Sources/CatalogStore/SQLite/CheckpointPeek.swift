import GRDBSQLite

extension Checkpoint {
  /// Reads sequence and chain hash from a database that is not open, by SQLite alone: opening it as
  /// repositories do takes longer than all else that `catalogctl head` does.
  ///
  /// - Returns: nil where the file is not a projection, was changed by hand, or cannot be read now.
  package static func peek(_ path: String) -> (sequence: UInt64, chain: String)? {
    // To open a named pipe would wait for ever.
    guard DatabaseFile.isUsable(path) else { return nil }
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      return nil
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT sequence, chain FROM projection_checkpoint WHERE id = 1"
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW,
      sqlite3_column_type(statement, 0) == SQLITE_INTEGER,
      let sequence = UInt64(exactly: sqlite3_column_int64(statement, 0)),
      sequence <= StoredRow.greatestNumber,
      sqlite3_column_type(statement, 1) == SQLITE_TEXT,
      let chain = sqlite3_column_text(statement, 1)
    else { return nil }
    return (sequence, String(cString: chain))
  }
}
