import GRDB

extension DatabaseFile {
  /// Calls `body`, which only reads, and removes the two files that SQLite made beside the database meanwhile: a
  /// connection that cannot write leaves them.
  ///
  /// A write-ahead log with content stays as it is: removing it would write it into the database. The files stay, too, if
  /// another process has the database open, or if this one may not write it.
  package static func leavingNothing<Result>(
    beside path: String, _ body: () throws -> Result
  ) rethrows -> Result {
    let isSettled = DatabaseStamp(of: path)?.hasLog == false
    defer { if isSettled { removeCompanions(of: path) } }
    return try body()
  }

  /// Removes the two files that SQLite keeps beside a database that has a write-ahead log without content, if no connection
  /// has the database open: opens and closes it, and the last connection to close removes them.
  package static func removeCompanions(of path: String) {
    guard isTaken(DatabaseStamp.realPath(path) + "-wal"), isUsable(path), isWritable(path),
      DatabaseStamp(of: path)?.hasLog == false
    else { return }
    // If it is not a database, SQLite made no files. If another connection has it for itself, that one removes them.
    try? ReadOnlyDatabase.open(path, .live, "last", patience: 0).close()
  }
}
