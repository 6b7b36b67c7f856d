package import Projections

/// A column in which rows differ between two states: in how many, and the change that most of them have.
package struct ColumnChanges: Sendable {
  /// The place of the column in its table.
  package let column: Int
  package let rows: Int
  /// The most frequent pair of values, and how many rows have it.
  package let before: Value
  package let after: Value
  package let most: Int

  /// The columns of changed rows, those in which most rows differ first. Rows that came or went are left out, and so are columns
  /// that say when a row was written.
  ///
  /// - Parameter changes: of rows of one table.
  package static func of(_ changes: [RowChange]) -> [ColumnChanges] {
    guard let table = changes.first?.table else { return [] }
    return table.columns.indices.compactMap { column -> ColumnChanges? in
      guard !table.columns[column].isChangeStamp else { return nil }
      var pairs: [Pair: Int] = [:]
      var order: [Pair] = []
      var rows = 0
      for change in changes {
        guard let before = change.before?[column], let after = change.after?[column],
          before != after
        else { continue }
        let pair = Pair(before: before, after: after)
        if pairs[pair] == nil { order.append(pair) }
        pairs[pair, default: 0] += 1
        rows += 1
      }
      guard let first = order.first else { return nil }
      // The first of those that are equally frequent.
      let most = order.reduce(first) { pairs[$1, default: 0] > pairs[$0, default: 0] ? $1 : $0 }
      return ColumnChanges(
        column: column, rows: rows, before: most.before, after: most.after,
        most: pairs[most, default: 0])
    }.sorted { ($1.rows, $0.column) < ($0.rows, $1.column) }
  }

  private struct Pair: Hashable {
    let before, after: Value
  }
}
