import CatalogStore
import Projections

/// Counts in which columns rows of a table changed, and which change most of them have.
struct ColumnTally {
  private struct Pair: Hashable {
    let before, after: StoredValue
  }

  private let table: TableDescription
  /// How many rows have each change of a column, and the place of the first of them.
  private var pairs: [[Pair: (count: Int, first: Int)]]
  private var patterns: [PatternTally]

  init(_ table: TableDescription) {
    self.table = table
    pairs = table.columns.map { _ in [:] }
    patterns = table.columns.map { _ in PatternTally() }
  }

  /// Adds a changed row, unless it came or went. Columns that say when a row was written do not count.
  mutating func add(_ change: RowChange) {
    guard let before = change.before, let after = change.after else { return }
    for column in table.columns.indices where before[column] != after[column] {
      add(column, from: StoredValue(before[column]), to: StoredValue(after[column]))
    }
  }

  /// Adds the rows of two states, which have the same key.
  mutating func add(from before: [StoredValue], to after: [StoredValue]) {
    for column in table.columns.indices where before[column] != after[column] {
      add(column, from: before[column], to: after[column])
    }
  }

  private mutating func add(_ column: Int, from before: StoredValue, to after: StoredValue) {
    guard !table.columns[column].isChangeStamp else { return }
    let first = pairs[column].count
    pairs[column][Pair(before: before, after: after), default: (0, first)].count += 1
    patterns[column].add(from: before, to: after)
  }

  /// The columns, those in which most rows differ first. Of changes that are equally frequent, the first one counts.
  var changes: [ColumnChanges] {
    table.columns.indices.compactMap { column -> (place: Int, changes: ColumnChanges)? in
      let frequent = pairs[column].sorted {
        ($1.value.count, $0.value.first) < ($0.value.count, $1.value.first)
      }.prefix(3)
      guard !frequent.isEmpty else { return nil }
      return (
        column,
        ColumnChanges(
          column: table.columns[column].name,
          rows: pairs[column].values.reduce(0) { $0 + $1.count },
          frequent: frequent.map {
            ColumnChanges.Other(before: $0.key.before, after: $0.key.after, rows: $0.value.count)
          }, patterns[column])
      )
    }.sorted { ($1.changes.rows, $0.place) < ($0.changes.rows, $1.place) }.map(\.changes)
  }
}
