/// Rows that can be searched by columns that no index has.
package protocol SearchedRows: RowStore {
  /// Visits the rows that have some values in some columns, in any order, until `visit` answers false.
  func visitRows(
    of table: TableDescription, where columns: [Int], are values: [Value],
    _ visit: ([Value]) throws -> Bool
  ) throws
}

/// Changes over rows that stay as they are: the changed rows are in memory, and all others are read below.
///
/// What would become of the rows if events were applied is tried with it, without a transaction and without a write.
package final class OverlaidRowStore<Base: SearchedRows>: RowStore {
  private let base: Base
  private let changed: MemoryRowStore
  /// The keys, of each table, of rows that the base does not know as they are.
  private var covered: [Set<[Value]>]

  package init(_ base: Base, _ schema: Schema) {
    self.base = base
    changed = MemoryRowStore(schema: schema)
    covered = Array(repeating: [], count: schema.tables.count)
  }

  // MARK: Changing

  package func put(_ row: [Value], in table: TableDescription) throws {
    if row.count == table.columns.count {
      let key = table.key(of: row)
      for unique in table.uniques where try isTaken(unique, by: row, key, table) {
        throw table.duplicate(of: row, in: unique)
      }
    }
    try changed.put(row, in: table)
    covered[table.ordinal].insert(table.key(of: row))
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    try changed.remove(key: key, from: table)
    covered[table.ordinal].insert(key)
  }

  /// Whether a row below that was not changed has the same values.
  private func isTaken(
    _ columns: [Int], by row: [Value], _ key: [Value], _ table: TableDescription
  ) throws -> Bool {
    let values = columns.map { row[$0] }
    guard !values.contains(.null) else { return false }
    var isTaken = false
    try base.visitRows(of: table, where: columns, are: values) { other in
      let otherKey = table.key(of: other)
      isTaken = otherKey != key && !covered[table.ordinal].contains(otherKey)
      return !isTaken
    }
    return isTaken
  }

  // MARK: Reading

  package func holds(_ table: TableDescription) -> Bool { base.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    covered[table.ordinal].contains(key)
      ? try changed.row(in: table, key: key) : try base.row(in: table, key: key)
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    merged(
      try base.rows(by: index, equal: values), try changed.rows(by: index, equal: values),
      index.table)
  }

  package func rows(in table: TableDescription) throws -> [[Value]] {
    merged(try base.rows(in: table), changed.rows(in: table), table)
  }

  package func greatestKey(in table: TableDescription) throws -> Int64? {
    guard let below = try base.greatestKey(in: table) else { return changed.greatestKey(in: table) }
    guard covered[table.ordinal].contains([.integer(below)]) else {
      return changed.greatestKey(in: table).map { max($0, below) } ?? below
    }
    guard case .integer(let greatest)? = try rows(in: table).last.map({ table.key(of: $0)[0] })
    else { return nil }
    return greatest
  }

  /// In key order.
  private func merged(
    _ below: [[Value]], _ changed: [[Value]], _ table: TableDescription
  ) -> [[Value]] {
    let covered = covered[table.ordinal]
    let rest = covered.isEmpty ? below : below.filter { !covered.contains(table.key(of: $0)) }
    guard !changed.isEmpty else { return rest }
    guard !rest.isEmpty else { return changed }
    return (rest + changed).sorted { table.key(of: $0).isBefore(table.key(of: $1)) }
  }
}

extension [Value] {
  /// The order of keys.
  package func isBefore(_ other: [Value]) -> Bool {
    lexicographicallyPrecedes(other) { left, right in
      switch (left, right) {
      case (.integer(let left), .integer(let right)): left < right
      case (.id(let left), .id(let right)): left < right
      case (.time(let left), .time(let right)): left < right
      case (.text(let left), .text(let right)):
        left.utf8.lexicographicallyPrecedes(right.utf8)
      default: false
      }
    }
  }
}
