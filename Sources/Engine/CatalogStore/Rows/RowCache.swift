import Projections

/// Rows of one table as they were read or written last, so that SQLite is not asked for them again.
///
/// Lives inside one database access, in which nobody else changes rows. Of tables whose columns are all in the key it
/// remembers whether they are empty, and no rows: to look for one costs as much as to write it.
struct RowCache {
  /// Rows that are remembered; more of them, and all are forgotten.
  private static let limit = 4_096

  private let table: TableDescription
  private var rows: [RowKey: [Value]?] = [:]
  /// What a search by an index found, one row or none; by the index's place.
  private var found: [[RowKey: [Value]?]]
  /// Whether there is any row; nil before the first look.
  var isEmpty: Bool?
  /// How often SQLite was searched before somebody looked.
  var searches = 0
  /// The greatest key, or none; nil before the first look.
  var greatestKey: Int64??

  init(_ table: TableDescription) {
    self.table = table
    found = Array(repeating: [:], count: table.indexes.count)
  }

  /// The row with a key, or that there is none; nil if that is not known.
  func row(_ key: RowKey) -> [Value]?? { rows[key] }

  mutating func remember(_ row: [Value]?, _ key: RowKey) {
    if table.hasBlobs, let row, row.isLong {
      rows[key] = nil
      return
    }
    if rows.count >= Self.limit { rows.removeAll(keepingCapacity: true) }
    rows.updateValue(row, forKey: key)
  }

  /// The only row that a search finds, or that there is none; nil if that is not known.
  func row(by index: Int, _ values: RowKey) -> [Value]?? { found[index][values] }

  /// Remembers what a search found.
  mutating func remember(_ rows: [[Value]], by index: Int, _ values: RowKey) {
    guard table.hasValues else { return }
    if table.isKeyPrefix(table.indexes[index]) {
      // There may be more of them one day: the rows are remembered, not that there are no others.
      for row in rows.prefix(8) { remember(row, RowKey(table.key(of: row))) }
    } else if rows.count <= 1, !table.hasBlobs || rows.allSatisfy({ !$0.isLong }) {
      if found[index].count >= Self.limit { found[index].removeAll(keepingCapacity: true) }
      found[index].updateValue(rows.first, forKey: values)
    }
  }

  /// Notes that a row was written over another one, or over none.
  mutating func put(_ row: [Value], _ key: RowKey, over old: [Value]?) {
    isEmpty = false
    guard table.hasValues else { return }
    remember(row, key)
    if let old { forget(old) }
    forget(row)
    if case .integer(let number) = row[table.key[0]], case .some(let greatest) = greatestKey {
      greatestKey = .some(max(greatest ?? number, number))
    }
  }

  /// Notes that a row was removed; nil if it is not known what it was.
  mutating func remove(_ old: [Value]?, _ key: RowKey) {
    guard table.hasValues else { return }
    remember(nil, key)
    if let old { forget(old) }
    greatestKey = nil
  }

  /// Forgets what searches by indexes found that a row is part of.
  private mutating func forget(_ row: [Value]) {
    for (place, index) in table.indexes.enumerated() where !found[place].isEmpty {
      found[place][RowKey(index.columns.map { row[$0] })] = nil
    }
  }
}

extension [Value] {
  private static let longBlob = 4_096

  /// How many bytes the row's blobs have.
  var blobLength: Int {
    reduce(0) { if case .blob(let bytes) = $1 { $0 + bytes.count } else { $0 } }
  }

  /// Whether thousands of such rows are too much to remember.
  var isLong: Bool { blobLength > Self.longBlob }
}

extension TableDescription {
  /// Whether a search by an index is one by the first columns of the key.
  func isKeyPrefix(_ index: IndexDescription) -> Bool {
    key.starts(with: index.columns)
  }
}
