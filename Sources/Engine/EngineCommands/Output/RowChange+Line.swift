import CatalogEngine
import Projections

extension RowChanges.Change {
  /// `+` and the new row, `-` and the old one, `~` and what changed in it.
  var line: String {
    func named(_ row: [Value]) -> String {
      zip(table.columns, row).map { "\($0.name)=\($1.literal)" }.joined(separator: " ")
    }
    guard let after else { return "- \(table.name) \(named(before ?? []))" }
    guard let before else { return "+ \(table.name) \(named(after))" }
    let key = zip(table.key, key).map { "\(table.columns[$0].name)=\($1.literal)" }
    let changed = table.columns.indices.filter { before[$0] != after[$0] }.map {
      "\(table.columns[$0].name): \(before[$0].literal) → \(after[$0].literal)"
    }
    return "~ \(table.name) \(key.joined(separator: " ")) " + changed.joined(separator: ", ")
  }
}
