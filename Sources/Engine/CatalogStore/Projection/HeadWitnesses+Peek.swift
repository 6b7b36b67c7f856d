import EventLog
import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension HeadWitnesses {
  /// What a database says that is not open, read by SQLite alone: opening it as repositories do takes longer than all
  /// else that the command `head` does.
  ///
  /// Leaves no files behind where nobody has the database open: one that has no write-ahead log is read as a
  /// file that does not change. Whoever gets an alarm out of that asks again with `isSettled`.
  ///
  /// - Parameter isSettled: whether to read with SQLite's locks in any case, and the digests too.
  /// - Returns: nil if the file is not a projection, has no checkpoint, or cannot be read now.
  package static func peek(_ path: String, isSettled: Bool = false) -> HeadWitnesses? {
    // To open a named pipe would wait for ever.
    guard DatabaseFile.isUsable(path) else { return nil }
    var status = stat()
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
    let name = hasLog || isSettled ? DatabaseFile.readingName(path) : immutableName(path)
    let opened = sqlite3_open_v2(
      name, &connection, SQLITE_OPEN_READONLY | (name == path ? 0 : SQLITE_OPEN_URI), nil)
    guard opened == SQLITE_OK else { return nil }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT log_id, sequence, chain, fingerprint FROM projection_checkpoint WHERE id = 1"
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    let claim: Claim = (try? Checkpoint(statement)).map(Claim.checkpoint) ?? .unreadable
    return HeadWitnesses(claim, digests: isSettled ? digests(connection) : nil)
  }

  /// A database of an earlier release has none.
  private static func digests(_ connection: OpaquePointer?) -> LogHead? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard
      sqlite3_prepare_v2(connection, RunningDigests.headQuery, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW,
      sqlite3_column_type(statement, 1) == SQLITE_INTEGER,
      let sequence = UInt64(exactly: sqlite3_column_int64(statement, 1)),
      sqlite3_column_type(statement, 2) == SQLITE_BLOB,
      let chain = sqlite3_column_blob(statement, 2)
    else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: chain, count: Int(sqlite3_column_bytes(statement, 2)))
    let version = sqlite3_column_int64(statement, 0)
    return RunningDigests.Head(version: version, sequence: sequence, blob: Array(bytes))?.head
  }

  /// As a URI; whatever has a meaning there is escaped.
  static func immutableName(_ path: String) -> String {
    var name = path.hasPrefix("/") ? "file://" : "file:"
    let digits = Array("0123456789abcdef")
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return name + "?immutable=1"
  }
}
