import Projections

/// The rows at the head of a log, in memory, which no caller changes and which are found by any columns.
final class FoldedRows: SearchedRows {
  private let base: MemoryRowStore
  private var found: [RowSearch: [[Value]: [[Value]]]] = [:]

  init(_ base: MemoryRowStore) { self.base = base }

  func holds(_ table: TableDescription) -> Bool { base.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try base.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    preconditionFailure("folded rows are not changed")
  }

  func remove(key: [Value], from table: TableDescription) throws {
    preconditionFailure("folded rows are not changed")
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try base.rows(by: index, equal: values)
  }

  func rows(in table: TableDescription) throws -> [[Value]] { base.rows(in: table) }

  func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try base.value(column, in: table, key: key)
  }

  func value(_ column: Int, by index: IndexReference, equal values: [Value]) throws -> Value? {
    try base.value(column, by: index, equal: values)
  }

  func greatestKey(in table: TableDescription) throws -> Int64? { base.greatestKey(in: table) }

  /// The rows that have some values in some columns. A search that no index serves reads the table once.
  func rows(
    of table: TableDescription, where columns: [Int], are values: [Value]
  ) throws -> [[Value]] {
    if columns.isEmpty { return base.rows(in: table) }
    if columns == table.key { return try base.row(in: table, key: values).map { [$0] } ?? [] }
    if let ordinal = table.indexes.firstIndex(where: {
      $0.columns == columns && $0.condition == nil
    }) {
      return try base.rows(by: IndexReference(table: table, ordinal: ordinal), equal: values)
    }
    let search = RowSearch(table: table.ordinal, places: columns)
    if let rows = found[search] { return rows[values] ?? [] }
    let rows = Dictionary(grouping: base.rows(in: table)) { row in columns.map { row[$0] } }
    found[search] = rows
    return rows[values] ?? []
  }

  func visitRows(
    of table: TableDescription, where columns: [Int], are values: [Value],
    _ visit: ([Value]) throws -> Bool
  ) throws {
    for row in try rows(of: table, where: columns, are: values) {
      guard try visit(row) else { return }
    }
  }
}

/// Columns by which rows are looked for.
struct RowSearch: Hashable {
  let table: Int
  let places: [Int]
}
