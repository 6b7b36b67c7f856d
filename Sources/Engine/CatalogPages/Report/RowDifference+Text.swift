import CatalogEngine
import CatalogStore
import EngineCommands
import Projections

extension RowDifference {
  /// `id='…'`
  var keyText: String {
    zip(keyColumns, key).map { "\($0)=\($1)" }.joined(separator: " ")
  }

  /// The row's values besides its key and its nulls.
  var whole: String {
    let values = zip(columns, row).filter { column, value in
      value != .null && !keyColumns.contains(column)
    }
    return values.map { "\($0)=\($1)" }.joined(separator: " ")
  }

  /// The name by which a person knows the row; nil if it has none.
  ///
  /// - Parameter names: nil if nothing is known of names.
  func name(in table: TableDescription, _ names: RowNames?) throws -> String? {
    guard let names, columns == table.columns.map(\.name), let row = table.values(from: row) else {
      return nil
    }
    return try names.name(of: table, row)
  }
}
