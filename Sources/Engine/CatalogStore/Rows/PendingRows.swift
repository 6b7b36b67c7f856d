import Projections

/// Rows of one table that were changed and are not written yet.
///
/// A batch of events changes rows all over a table. Written in the order of their keys, each page of the table is
/// read and changed once; written as they come, it is most often not in the cache any more.
struct PendingRows {
  struct Change {
    /// The row as SQLite has it; nil if it has none, and of tables whose columns are all in the key.
    let stored: [Value]?
    /// The row as it is now; nil if it was removed.
    var row: [Value]?
  }

  private let table: TableDescription
  private(set) var changes: [RowKey: Change] = [:]
  /// The keys of changed rows by what they have in the columns of an index; nil before the first search.
  private var keys: [[RowKey: Set<RowKey>]?]

  init(_ table: TableDescription) {
    self.table = table
    keys = Array(repeating: nil, count: table.indexes.count)
  }

  var count: Int { changes.count }

  /// The row with a key, or that there is none; nil if it was not changed.
  func row(_ key: RowKey) -> [Value]?? { changes[key].map(\.row) }

  /// - Parameter stored: the row that SQLite has; looked at where the row was not changed before.
  mutating func set(_ row: [Value]?, _ key: RowKey, stored: [Value]?) {
    let old = changes[key]
    for place in keys.indices where keys[place] != nil {
      if let before = old?.row.map({ indexed($0, place) }) { keys[place]?[before]?.remove(key) }
      if let after = row.map({ indexed($0, place) }) {
        keys[place]?[after, default: []].insert(key)
      }
    }
    changes[key] = Change(stored: old == nil ? stored : old?.stored, row: row)
  }

  /// What a search by an index finds, when SQLite has found these rows.
  mutating func rows(_ stored: [[Value]], by index: Int, equal values: RowKey) -> [[Value]] {
    guard !changes.isEmpty else { return stored }
    if keys[index] == nil {
      var found: [RowKey: Set<RowKey>] = [:]
      for (key, change) in changes {
        if let row = change.row { found[indexed(row, index), default: []].insert(key) }
      }
      keys[index] = found
    }
    var rows = stored.filter { changes[RowKey(table.key(of: $0))] == nil }
    let changed = keys[index]?[values] ?? []
    if changed.isEmpty { return rows }
    rows += changed.compactMap { changes[$0]?.row }
    return rows.sorted { RowKey(table.key(of: $0)) < RowKey(table.key(of: $1)) }
  }

  /// Hands over the changes in the order of their keys, and forgets them.
  mutating func take(_ body: (RowKey, Change) throws -> Void) rethrows {
    let taken = changes
    changes = [:]
    keys = Array(repeating: nil, count: table.indexes.count)
    let places = Array(taken.indices)
    let order = Self.order(places.map { taken.keys[$0] })
    for place in order { try body(taken.keys[places[place]], taken.values[places[place]]) }
  }

  /// The places of keys in the order of the keys: to move keys about while they are sorted costs more than to
  /// compare them.
  private static func order(_ keys: [RowKey]) -> [Int] {
    var order = keys.indices.map { place in
      (first: keys[place].start, second: keys[place].secondStart, place: place)
    }
    keys.withUnsafeBufferPointer { keys in
      order.sort { left, right in
        if left.first != right.first { return left.first < right.first }
        // What begins alike may still be longer.
        if left.second != right.second, keys[left.place].hasSameFirst(keys[right.place]) {
          return left.second < right.second
        }
        return keys[left.place] < keys[right.place]
      }
    }
    return order.map(\.place)
  }

  private func indexed(_ row: [Value], _ index: Int) -> RowKey {
    RowKey(table.indexes[index].columns.map { row[$0] })
  }
}
