/// A table or a column that an earlier description of a log has under some name, and the newest one has not.
package struct FormerName: Hashable, Sendable {
  /// The name that the table has now; the last one that it had, if the table or the column is gone.
  package let table: String
  /// The name of the column, likewise; nil if it is a table.
  package let column: String?
  /// The event whose description dropped it; nil if it has another name now.
  package let end: UInt64?

  package init(table: String, column: String?, droppedBy end: UInt64?) {
    (self.table, self.column, self.end) = (table, column, end)
  }

  /// The name as people write it: `customer.mail`.
  package var place: String { column.map { "\(table).\($0)" } ?? table }
}
