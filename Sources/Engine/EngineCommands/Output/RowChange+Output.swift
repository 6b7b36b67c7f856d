import CatalogEngine
import CatalogStore
import Projections

extension RowChange {
  /// `+` and the new row, `-` and the old one, `~` and what changed in it.
  var line: String {
    var whole = ValueExcerpts(isWhole: true)
    return line(&whole, [:], withStamps: true)
  }

  /// The line with the names of rows beside their ids.
  func line(
    _ values: inout ValueExcerpts, _ names: RowNames?, withStamps: Bool
  ) throws -> String {
    let labels =
      try (after ?? before).map { row in
        try names?.labels(in: table, row, before != nil && after != nil) ?? [:]
      } ?? [:]
    return line(&values, labels, withStamps: withStamps)
  }

  /// - Parameters:
  ///   - labels: what is written after the values of columns, by their places.
  ///   - withStamps: whether columns that say when the row was written are shown.
  private func line(
    _ values: inout ValueExcerpts, _ labels: [Int: String], withStamps: Bool
  ) -> String {
    let shown = changedColumns.filter { withStamps || !table.columns[$0].isChangeStamp }
    func named(_ places: [Int], _ row: [Value], _ values: inout ValueExcerpts) -> String {
      var texts: [String] = []
      for place in places {
        texts.append(
          "\(table.columns[place].name)=\(values.text(StoredValue(row[place])))\(labels[place] ?? "")"
        )
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

extension RowNames {
  /// Texts after the values of a row's columns, by their places: ` (calm)` after the id of a mood, and after the
  /// key the name of the row itself if its columns are not shown.
  func labels(
    in table: TableDescription, _ row: [Value], _ showsKeyAlone: Bool
  ) throws -> [Int: String] {
    var names = try references(of: table, row)
    if showsKeyAlone, let last = table.key.last, names[last] == nil,
      table.columns.contains(where: \.isName)
    {
      names[last] = try name(of: table, row)
    }
    return names.mapValues { " (\($0))" }
  }
}

// MARK: JSON

extension RowChange {
  func json(_ names: RowNames?) throws -> JSONObject {
    let row = after ?? before
    return [
      "key": row.map { Self.named($0, table.key, table) } ?? [:],
      // The row's name.
      "name": try row.flatMap { try names?.name(of: table, $0) },
      "change": before == nil ? "added" : after == nil ? "removed" : "changed",
      // The columns that changed, all of them if the row came or went.
      "before": before.map { Self.named($0, changedColumns, table) },
      "after": after.map { Self.named($0, changedColumns, table) },
    ]
  }

  /// Some columns of a row, by their names.
  static func named(
    _ row: [Value], _ places: [Int], _ table: TableDescription
  ) -> [String: String] {
    Dictionary(
      places.map { (table.columns[$0].name, row[$0].literal) }, uniquingKeysWith: { $1 })
  }
}
