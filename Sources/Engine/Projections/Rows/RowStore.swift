/// The rows that a projector sees and changes.
///
/// Four implementations must behave alike: one in memory for rebuilds, one over SQLite for the events after that, one over
/// the versions of a history, and one that keeps changes over such rows to itself. None knows foreign keys or cascades: a
/// projector carries out its own. A row is an array of values in the order of its table's columns.
///
/// Each call throws `ProjectionError` with `invalidRow` where values do not fit the table: as many as there are
/// columns, each of its column's type, no NULL but where the column may be NULL, no U+0000 in a text, finite
/// numbers. Nothing has changed then.
public protocol RowStore: AnyObject {
  /// Whether a table is one of these rows.
  func holds(_ table: TableDescription) -> Bool

  /// The row with this key (values in key order), or nil.
  func row(in table: TableDescription, key: [Value]) throws -> [Value]?

  /// Inserts the row, or replaces the one with the same key.
  ///
  /// - Throws: `ProjectionError` with `duplicate` too where another row has the same values in columns that are
  ///   unique (`TableDescription.uniques`), be it only until the next call. A `CHECK` is SQLite's: a row that does
  ///   not pass is `invalidRow` when rows are written.
  func put(_ row: [Value], in table: TableDescription) throws

  /// Removes the row with this key. Whether there is one does not matter.
  func remove(key: [Value], from table: TableDescription) throws

  /// All rows whose indexed columns have these values, in key order.
  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]]

  /// All rows of a table, in key order. Each call reads all of them: for what concerns the whole table.
  func rows(in table: TableDescription) throws -> [[Value]]

  /// One column of the row with this key; nil if there is no such row. For what is asked a million
  /// times: the other columns are not made.
  func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value?

  /// One column of the first of `rows(by:equal:)`; nil if there is none.
  func value(_ column: Int, by index: IndexReference, equal values: [Value]) throws -> Value?

  /// The greatest key of a table whose key is one integer; nil if the table is empty.
  func greatestKey(in table: TableDescription) throws -> Int64?
}

extension RowStore {
  public func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try row(in: table, key: key)?[column]
  }

  public func value(
    _ column: Int, by index: IndexReference, equal values: [Value]
  ) throws -> Value? {
    try rows(by: index, equal: values).first?[column]
  }
}
