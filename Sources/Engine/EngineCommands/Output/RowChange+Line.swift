import CatalogEngine
import CatalogStore
import Projections

extension RowChange {
  /// `+` and the new row, `-` and the old one, `~` and what changed in it.
  var line: String {
    var whole = ValueExcerpts(isWhole: true)
    return line(&whole, withStamps: true)
  }

  /// - Parameter withStamps: whether columns that say when the row was written are shown.
  func line(_ values: inout ValueExcerpts, withStamps: Bool) -> String {
    let shown = changedColumns.filter { withStamps || !table.columns[$0].isChangeStamp }
    func named(_ places: [Int], _ row: [Value], _ values: inout ValueExcerpts) -> String {
      var texts: [String] = []
      for place in places {
        texts.append("\(table.columns[place].name)=\(values.text(StoredValue(row[place])))")
      }
      return texts.joined(separator: " ")
    }
    guard let after else { return "- \(table.name) \(named(shown, before ?? [], &values))" }
    guard let before else { return "+ \(table.name) \(named(shown, after, &values))" }
    var changed: [String] = []
    for place in shown {
      let change = values.change(
        from: StoredValue(before[place]), to: StoredValue(after[place]))
      changed.append("\(table.columns[place].name): \(change)")
    }
    return "~ \(table.name) \(named(table.key, after, &values)) " + changed.joined(separator: ", ")
  }
}
