package import CatalogStore
public import Projections

/// A column in which rows differ between two states: in how many, and the change that most of them have.
public struct ColumnChanges: Hashable, Sendable {
  /// The column's name.
  public let column: String
  /// How many rows have another value in the column.
  public let rows: Int
  package let before: StoredValue
  package let after: StoredValue
  /// How many rows have the most frequent change.
  public let most: Int
  /// The next most frequent changes, at most two.
  package let others: [Other]
  /// The pattern of nearly all changes, if most rows have different ones; nil if nothing.
  public let pattern: ColumnPattern?
  /// Whether no earlier batch changed the column in any row that the table had; nil if the history was not asked.
  public internal(set) var isFirstChange: Bool?

  /// A change that several rows have.
  package struct Other: Hashable, Sendable {
    package let before: StoredValue
    package let after: StoredValue
    package let rows: Int

    package init(before: StoredValue, after: StoredValue, rows: Int) {
      (self.before, self.after, self.rows) = (before, after, rows)
    }
  }

  /// - Parameters:
  ///   - frequent: the most frequent changes, the first one with most rows; not empty.
  ///   - tally: of all changes.
  package init(column: String, rows: Int, frequent: [Other], _ tally: PatternTally) {
    precondition(!frequent.isEmpty, "a column without changes")
    (self.column, self.rows) = (column, rows)
    (before, after, most) = (frequent[0].before, frequent[0].after, frequent[0].rows)
    others = Array(frequent.dropFirst().prefix(2))
    pattern = tally.pattern(beyond: most)
  }

  /// The most frequent change: the value before and after it, as SQLite stores them.
  public var change: (before: Value, after: Value) { (before.plainValue, after.plainValue) }
}

extension StoredValue {
  var plainValue: Value {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .malformed(let bytes), .blob(let bytes): .blob(bytes)
    }
  }
}
