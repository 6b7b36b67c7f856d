import CatalogEngine
import CatalogStore
import Projections

/// A change of a row, as JSON.
struct RowChangeJSON: Encodable {
  let key: [String: String]
  /// The row's name.
  let name: String?
  let change: String
  /// The columns that changed, all of them if the row came or went.
  let before: [String: String]?
  let after: [String: String]?

  init(_ change: RowChange, _ names: RowNames?) throws {
    let table = change.table
    let row = change.after ?? change.before
    key = row.map { Self.named($0, table.key, table) } ?? [:]
    name = try row.flatMap { try names?.name(of: table, $0) }
    self.change = change.before == nil ? "added" : change.after == nil ? "removed" : "changed"
    before = change.before.map { Self.named($0, change.changedColumns, table) }
    after = change.after.map { Self.named($0, change.changedColumns, table) }
  }

  /// Some columns of a row, by their names.
  static func named(
    _ row: [Value], _ places: [Int], _ table: TableDescription
  ) -> [String: String] {
    Dictionary(
      places.map { (table.columns[$0].name, row[$0].literal) }, uniquingKeysWith: { $1 })
  }
}
