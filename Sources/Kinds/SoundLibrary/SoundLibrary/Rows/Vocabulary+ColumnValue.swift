public import Projections

extension Kind: ColumnValue {}
extension PackKind: ColumnValue {}
extension PackState: ColumnValue {}

/// The name of the table that has the dimension's values.
extension TagDimension: ColumnValue {
  public static var columnType: ColumnType { .text }
  public var columnValue: Value { .text(table) }

  public init?(columnValue: Value) {
    let dimension = TagDimension.all.first { .text($0.table) == columnValue }
    guard let dimension else { return nil }
    self = dimension
  }
}
