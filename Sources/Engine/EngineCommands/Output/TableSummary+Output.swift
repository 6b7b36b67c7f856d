public import CatalogEngine
import CatalogStore
import Projections

extension TableSummary {
  /// `1 added, 0 removed, 2 changed (title 2, duration 1)`.
  package var words: String {
    words(of: [(added, "added"), (removed, "removed"), (changed, "changed")])
  }

  /// The counts that are not 0: `2 changed (title 2, duration 1)`.
  var wordsWithoutZeros: String {
    words(of: [(added, "added"), (removed, "removed"), (changed, "changed")].filter { $0.0 > 0 })
  }

  private func words(of counts: [(Int, String)]) -> String {
    let counts = counts.map { "\(Count.grouped($0)) \($1)" }.joined(separator: ", ")
    guard !columns.isEmpty else { return counts }
    let named = columns.map { "\($0.column) \(Count.grouped($0.rows))" }
    return "\(counts) (\(named.joined(separator: ", ")))"
  }

  /// The most frequent change of each column, and whether it is the first one:
  /// `category: 'Bath' → 'Lamps' in 519 rows; no earlier event changed this column`.
  ///
  /// - Parameters:
  ///   - fewest: changes that fewer rows have in common are left out: 2 if the rows are listed, too.
  ///   - rare: whether a change counts that one row of several has, or less than 5 % of them. Of six hundred stocks that changed,
  ///     the most frequent change says nothing.
  package func lines(
    _ values: inout ValueExcerpts, from fewest: Int = 1, rare: Bool = false
  ) -> [String] {
    columns.compactMap { change in
      let isFirst = change.isFirstChange == true
      let first = isFirst ? "no earlier event changed this column" : nil
      let isCommon = change.most * 20 >= change.rows && (change.most > 1 || change.rows == 1)
      guard change.most >= fewest, rare || isCommon else {
        return first.map { "\(change.column): \($0)" }
      }
      let words = values.change(from: change.before, to: change.after)
      return
        "\(change.column): \(words) in \(Count.of(change.most, "row"))\(first.map { "; \($0)" } ?? "")"
    }
  }

  package var json: JSONObject { ["added": added, "removed": removed, "changed": changed] }

  /// With the columns: in how many rows each changed, and the change that most of them have.
  var jsonWithColumns: JSONObject {
    json + [
      "columns": columns.map { change -> JSONObject in
        [
          "column": change.column, "rows": change.rows, "before": change.before.description,
          "after": change.after.description, "most": change.most,
          "isFirstChange": change.isFirstChange,
        ]
      }
    ]
  }
}

extension OperationSummary {
  /// The tables, each with its counts and columns.
  public var json: [JSONObject] {
    tables.map { ["table": $0.name] + $0.jsonWithColumns }
  }
}

extension Console {
  /// Writes what events did to the rows: for each table a line with counts, and a line for each change that many rows have.
  func write(
    _ summary: OperationSummary, _ values: inout ValueExcerpts, rare: Bool = false
  ) {
    for table in summary.tables {
      write("\(table.name): \(table.words)", as: .heading)
      for line in table.lines(&values, rare: rare) { write("  \(line)") }
    }
  }
}
