/// A row by its table and its key.
package struct RowAddress: Hashable, Sendable {
  /// The table's place in the schema.
  package let table: Int
  /// In key order.
  package let key: [Value]

  package init(table: Int, key: [Value]) {
    self.table = table
    self.key = key
  }

  package init(_ table: TableDescription, key: [Value]) {
    self.init(table: table.ordinal, key: key)
  }
}
