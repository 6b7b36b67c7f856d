/// The effect of one call of a row store, or of several, on one row.
public struct RowChange: Sendable {
  public let table: TableDescription
  /// In key order.
  public let key: [Value]
  /// In column order; nil if there was no row.
  public let before: [Value]?
  /// Nil if the row was removed.
  public let after: [Value]?

  package init(_ table: TableDescription, key: [Value], before: [Value]?, after: [Value]?) {
    self.table = table
    self.key = key
    self.before = before
    self.after = after
  }

  package var address: RowAddress { RowAddress(table, key: key) }
}

/// A row store that reports what it did to the rows that a caller watches.
package final class ObservedRowStore<Base: RowStore>: RowStore {
  private let base: Base
  private let isWatched: (TableDescription, [Value]) -> Bool
  private let onChange: (RowChange) -> Void

  /// - Parameters:
  ///   - isWatched: whether changes of the row with this key are reported. Only these rows are read before they change.
  ///   - onChange: called after each change that the base accepted, also if the row is as it was before.
  package init(
    _ base: Base, isWatched: @escaping (TableDescription, [Value]) -> Bool = { _, _ in true },
    onChange: @escaping (RowChange) -> Void
  ) {
    self.base = base
    self.isWatched = isWatched
    self.onChange = onChange
  }

  package func put(_ row: [Value], in table: TableDescription) throws {
    // The base refuses a row of another length, which may have no key.
    guard row.count == table.columns.count, case let key = table.key(of: row),
      isWatched(table, key)
    else { return try base.put(row, in: table) }
    let before = try base.row(in: table, key: key)
    try base.put(row, in: table)
    onChange(RowChange(table, key: key, before: before, after: row))
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    guard isWatched(table, key) else { return try base.remove(key: key, from: table) }
    let before = try base.row(in: table, key: key)
    try base.remove(key: key, from: table)
    onChange(RowChange(table, key: key, before: before, after: nil))
  }

  // MARK: Reading

  package func holds(_ table: TableDescription) -> Bool { base.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try base.row(in: table, key: key)
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try base.rows(by: index, equal: values)
  }

  package func rows(in table: TableDescription) throws -> [[Value]] { try base.rows(in: table) }

  package func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try base.value(column, in: table, key: key)
  }

  package func value(
    _ column: Int, by index: IndexReference, equal values: [Value]
  ) throws -> Value? {
    try base.value(column, by: index, equal: values)
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    try base.greatestKey(in: table)
  }
}
