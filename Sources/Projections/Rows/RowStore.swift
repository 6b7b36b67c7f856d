/// The rows that a projector sees and changes.
///
/// Two implementations must behave alike: one in memory for rebuilds, one over SQLite for what
/// follows. Neither knows foreign keys or cascades: a projector carries out its own. A row is an
/// array of values in the order of its table's columns.
package protocol RowStore: AnyObject {
  /// The row with this key (values in key order), or nil.
  func row(in table: TableDescription, key: [Value]) throws -> [Value]?

  /// Inserts the row, or replaces the one with the same key.
  func put(_ row: [Value], in table: TableDescription) throws

  /// Removes the row with this key. Whether there is one does not matter.
  func remove(key: [Value], from table: TableDescription) throws

  /// All rows whose indexed columns have these values, in key order.
  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]]

  /// The greatest key of a table whose key is one integer; nil where the table is empty.
  func greatestKey(in table: TableDescription) throws -> Int64?
}
