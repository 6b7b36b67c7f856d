import Projections

extension RowStore {
  /// All rows that an index finds by these values, in key order.
  ///
  /// For an index of several columns, and for searches that most events make: no property has to be looked up.
  func rows<Row>(
    of table: TypedTable<Row>, by index: IndexReference, equal values: any ColumnValue...
  ) throws -> [Row] {
    try rows(by: index, equal: values.map(\.columnValue)).map(table.row)
  }
}
