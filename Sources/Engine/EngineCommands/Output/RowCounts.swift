import CatalogEngine
import CatalogStore
import Projections

/// How many rows of a table came, went and changed, and in which columns.
struct RowCounts {
  let added: Int
  let removed: Int
  let changed: Int
  private var columns: [ColumnChanges] = []
  private var table: TableDescription?

  init(added: Int, removed: Int, changed: Int) {
    (self.added, self.removed, self.changed) = (added, removed, changed)
  }
}

extension RowCounts {
  init(_ changes: [RowChange]) {
    added = changes.count { $0.before == nil }
    removed = changes.count { $0.after == nil }
    changed = changes.count - added - removed
    (columns, table) = (ColumnChanges.of(changes), changes.first?.table)
  }

  init(_ step: TableStep) {
    self.init(added: step.added, removed: step.removed, changed: step.changed)
  }

  /// `1 added, 0 removed, 2 changed (title 2, duration 1)`.
  var words: String {
    let counts =
      "\(Count.grouped(added)) added, \(Count.grouped(removed)) removed, \(Count.grouped(changed)) changed"
    guard let table, !columns.isEmpty else { return counts }
    let named = columns.map { "\(table.columns[$0.column].name) \(Count.grouped($0.rows))" }
    return "\(counts) (\(named.joined(separator: ", ")))"
  }

  /// The changes that three rows or more have in common: `category: 'Bath' → 'Lamps' in 519 rows`.
  func common(_ values: inout ValueExcerpts) -> [String] {
    guard let table else { return [] }
    var lines: [String] = []
    for change in columns where change.most >= 3 {
      let words = values.change(
        from: StoredValue(change.before), to: StoredValue(change.after))
      lines.append(
        "\(table.columns[change.column].name): \(words) in \(Count.of(change.most, "row"))")
    }
    return lines
  }

  var json: JSONObject { ["added": added, "removed": removed, "changed": changed] }

  /// With the columns: in how many rows each changed, and the change that most of them have.
  var jsonWithColumns: JSONObject {
    json + [
      "columns": columns.compactMap { change -> JSONObject? in
        guard let table else { return nil }
        return [
          "column": table.columns[change.column].name, "rows": change.rows,
          "before": change.before.literal, "after": change.after.literal, "most": change.most,
        ]
      }
    ]
  }
}
