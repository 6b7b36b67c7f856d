public import CatalogEngine
import CatalogStore
import Foundation
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

  /// The most frequent changes of each column, and whether they are the first ones:
  /// `category: 'Bath' → 'Lamps' in 519 of 600 rows, 'Lamps' → 'Bath' in 81; no earlier event changed this column`.
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
      if let pattern = change.pattern {
        return ["\(change.column): \(pattern.words(of: change.rows, &values))", first]
          .compactMap(\.self).joined(separator: "; ")
      }
      guard change.most >= fewest, rare || change.isCommon(change.most) else {
        return first.map { "\(change.column): \($0)" }
      }
      var words = "\(change.column): \(values.change(from: change.before, to: change.after)) in "
      words +=
        change.most == change.rows
        ? Count.of(change.most, "row")
        : "\(Count.grouped(change.most)) of \(Count.of(change.rows, "row"))"
      for other in change.others where other.rows >= fewest && change.isCommon(other.rows) {
        words +=
          ", \(values.change(from: other.before, to: other.after)) in \(Count.grouped(other.rows))"
      }
      return words + (first.map { "; \($0)" } ?? "")
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
          "pattern": change.pattern?.json, "isFirstChange": change.isFirstChange,
        ]
      }
    ]
  }
}

extension ColumnPattern {
  /// `divided by 100 in 198 of 204 rows, as 1299 → 12.99`
  fileprivate func words(of all: Int, _ values: inout ValueExcerpts) -> String {
    let what =
      switch kind {
      case .factor(let factor) where abs(factor) < 1: "divided by \(Self.number(1 / factor))"
      case .factor(let factor): "multiplied by \(Self.number(factor))"
      case .addend(let addend): "\(Self.number(abs(addend))) \(addend < 0 ? "less" : "more")"
      case .value(let value): "different values became \(values.text(StoredValue(value)))"
      case .letterCase: "other capitals"
      case .space: "other white space"
      }
    let rows =
      rows == all ? Count.of(rows, "row") : "\(Count.grouped(rows)) of \(Count.of(all, "row"))"
    return "\(what) in \(rows), as \(values.change(from: before, to: after))"
  }

  fileprivate var json: JSONObject {
    let (name, value): (String, String?) =
      switch kind {
      case .factor(let factor): ("factor", Self.number(factor))
      case .addend(let addend): ("addend", Self.number(addend))
      case .value(let value): ("value", StoredValue(value).description)
      case .letterCase: ("letterCase", nil)
      case .space: ("space", nil)
      }
    return [
      "kind": name, "value": value, "rows": rows, "before": before.description,
      "after": after.description,
    ]
  }

  /// With nine digits: `100`, `0.01`, `1.19`. A factor of a third is written so far, and a whole number with all of its digits.
  private static func number(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    let text = String(format: "%.9g", number)
    return text.contains("e") ? "\(number)" : text
  }
}

extension ColumnChanges {
  /// Whether a change of so many rows says something about all of them.
  fileprivate func isCommon(_ count: Int) -> Bool {
    count * 20 >= rows && (count > 1 || rows == 1)
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
