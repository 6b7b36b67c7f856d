import Support

/// How many rows a table can have, and how long a row can be, in every row store and database.
///
/// Values, so that tests reach them with a few rows.
public struct RowLimits: Hashable, Sendable {
  /// Rows of one table, from which on no change is appended. No batch adds so many that a table exceeds `ordinals`.
  public package(set) var rows = 2_000_000_000
  /// Rows of one table in memory, whose ordinals have 32 bits.
  package var ordinals = Int(UInt32.max) - 2
  /// Bytes of a row in SQLite's format: its `SQLITE_MAX_LENGTH`, <https://sqlite.org/limits.html>.
  public package(set) var rowLength = 1_000_000_000

  package init() {}

  /// The error of one more row in a full table.
  package func excess(of table: TableDescription) -> ProjectionError {
    ProjectionError(.limit, "\(table.name) has the most rows that a table can have, \(rows)")
  }

  /// The error of a row that is too long.
  package func excess(of table: TableDescription, rowLength length: Int) -> ProjectionError {
    ProjectionError(
      .limit, "a row of \(table.name) has \(length) bytes; the limit is \(rowLength)")
  }
}
