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
    defer { if isSettled { closeLast(path) } }
    return try body()
  }

  /// Opens and closes the database: the last connection to close removes the files.
  private static func closeLast(_ path: String) {
    guard isUsable(path), isWritable(path), DatabaseStamp(of: path)?.hasLog == false else { return }
    // If it is not a database, SQLite made no files.
    try? ReadOnlyDatabase.open(path, .live, "last").close()
  }
}
