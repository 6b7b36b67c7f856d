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
  /// Whether no earlier batch changed the column in any row that the table had; nil if the history was not asked.
  public internal(set) var isFirstChange: Bool?

  package init(
    column: String, rows: Int, before: StoredValue, after: StoredValue, most: Int
  ) {
    (self.column, self.rows, self.most) = (column, rows, most)
    (self.before, self.after) = (before, after)
  }

  /// The most frequent change: the value before and after it, as SQLite stores them.
  public var change: (before: Value, after: Value) { (before.plainValue, after.plainValue) }
}

extension StoredValue {
  fileprivate var plainValue: Value {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .malformed(let bytes), .blob(let bytes): .blob(bytes)
    }
  }
}
