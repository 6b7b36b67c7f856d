import CatalogStore
import Projections

extension RowDifference {
  /// `id='…'`
  var keyText: String {
    zip(keyColumns, key).map { "\($0)=\($1)" }.joined(separator: " ")
  }

  /// What the row holds besides its key and its nulls.
  var whole: String {
    let values = zip(columns, row).filter { column, value in
      value != .null && !keyColumns.contains(column)
    }
    return values.map { "\($0)=\($1)" }.joined(separator: " ")
  }
}
