import CatalogModel

/// Describes how the rows of an event become rows of a table.
package struct RowForm: Sendable {
  package let table: TableDescription
  /// The place of a column by the name that the event has for it; nil if the table has lost the column.
  package let place: @Sendable (String) -> Int?
  /// The value of a column for a value of the event. A value that does not fit stays as it is: the table refuses it.
  package let value: @Sendable (Value, _ place: Int) -> Value
  /// The value of a new row in a column that the event lacks.
  package let absent: @Sendable (_ place: Int) -> Value
  /// The reason for which the kind does not have a row that the table could have; nil if it does.
  package let problem: @Sendable ([Value]) -> String?

  package init(
    _ table: TableDescription, place: @escaping @Sendable (String) -> Int?,
    value: @escaping @Sendable (Value, Int) -> Value,
    absent: @escaping @Sendable (Int) -> Value,
    problem: @escaping @Sendable ([Value]) -> String?
  ) {
    self.table = table
    self.place = place
    self.value = value
    self.absent = absent
    self.problem = problem
  }

  /// Rows whose columns have the names that they have in the table.
  package init(_ table: TableDescription) {
    self.init(
      table, place: table.index, value: { $0.held(by: table.columns[$1].type) },
      absent: { _ in .null },
      problem: {
        table.isReadable($0) ? nil : "a row of \(table.name) holds what its kind cannot read"
      })
  }
}
