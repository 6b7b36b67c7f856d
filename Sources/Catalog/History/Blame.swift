package import CatalogModel
package import EventLog
package import Projections

/// Which event made each column of a row what it is.
package struct Blame: Sendable {
  package struct Column: Sendable {
    package let name: String
    package let value: Value
    package let event: EventReference
    /// What it was before; nil where the row was new.
    package let before: Value?
  }

  package struct Row: Sendable {
    package let table: TableDescription
    package let key: [Value]
    /// Empty for a row that is gone.
    package let columns: [Column]
    /// The event that took the row away; nil while it is there.
    package let removed: EventReference?
  }

  /// The row that was asked for.
  package let row: Row
  /// The tags of an item: its rows in the join tables, in the order of dimensions and values, with the
  /// names of the values.
  package let tags: [(dimension: TagDimension, name: String, row: Row)]

  /// Replays a log and watches one row, and for an item its tags.
  ///
  /// - Parameters:
  ///   - key: values of the table's key, in key order.
  ///   - last: as far as the log is replayed; nil for all of it.
  /// - Throws: `CatalogError` with `notFound` where no event ever wrote the row.
  package init(
    _ table: TableDescription, key: [Value], in log: EventLogReader, through last: UInt64? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let isItem = table.ordinal == SoundLibrarySchema.libraryItem.ordinal
    let joins = isItem ? TagDimension.all.map { SoundLibrarySchema.join(of: $0) } : []
    let store = BlamingRowStore(MemoryRowStore(schema: SoundLibrarySchema.schema)) {
      other, otherKey in
      other.ordinal == table.ordinal
        ? otherKey == key : otherKey[0] == key[0] && joins.contains { $0.ordinal == other.ordinal }
    }
    var item: EntityID?
    if isItem, case .id(let id)? = key.first { item = id }
    _ = try ProjectionRebuild(log, through: last, progress: progress).fold(into: store, about: item)
    {
      store.event = $0
    }
    guard let life = store.lives[RowAddress(table: table.ordinal, key: key)] else {
      throw CatalogError(
        .notFound,
        "no event ever wrote a row of \(table.name) with this key")
    }
    row = life.row(of: table, key: key)
    var tags: [(dimension: TagDimension, name: String, row: Row)] = []
    for (dimension, join) in zip(TagDimension.all, joins) {
      let lives = store.lives.filter { $0.key.table == join.ordinal }
        .sorted { $0.key.key[1].isBefore($1.key.key[1]) }
      for (address, life) in lives {
        var name = "\(address.key[1])"
        if case .text(let text)? = store.row(
          in: SoundLibrarySchema.values(of: dimension), key: [address.key[1]])?[1]
        {
          name = text
        }
        tags.append((dimension, name, life.row(of: join, key: address.key)))
      }
    }
    self.tags = tags
  }
}

extension Value {
  fileprivate func isBefore(_ other: Value) -> Bool {
    guard case .integer(let left) = self, case .integer(let right) = other else { return false }
    return left < right
  }
}

/// A row store that keeps, for each watched row, which event made each of its columns what it is.
private final class BlamingRowStore: RowStore {
  struct Life {
    var row: [Value]?
    var events: [EventReference] = []
    var before: [Value?] = []
    var removed: EventReference?

    func row(of table: TableDescription, key: [Value]) -> Blame.Row {
      var columns: [Blame.Column] = []
      if let row {
        for (index, column) in table.columns.enumerated() {
          columns.append(
            Blame.Column(
              name: column.name, value: row[index], event: events[index], before: before[index]))
        }
      }
      return Blame.Row(table: table, key: key, columns: columns, removed: removed)
    }
  }

  var event: EventRecord?
  private(set) var lives: [RowAddress: Life] = [:]
  private let store: MemoryRowStore
  private let isWatched: (TableDescription, [Value]) -> Bool

  init(_ store: MemoryRowStore, isWatched: @escaping (TableDescription, [Value]) -> Bool) {
    self.store = store
    self.isWatched = isWatched
  }

  func row(in table: TableDescription, key: [Value]) -> [Value]? {
    store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    let key = table.key(of: row)
    if let event, isWatched(table, key) {
      let address = RowAddress(table: table.ordinal, key: key)
      let reference = EventReference(event)
      if var life = lives[address], let old = life.row {
        for index in row.indices where old[index] != row[index] {
          life.events[index] = reference
          life.before[index] = old[index]
        }
        life.row = row
        lives[address] = life
      } else {
        lives[address] = Life(
          row: row, events: row.map { _ in reference }, before: row.map { _ in nil })
      }
    }
    try store.put(row, in: table)
  }

  func remove(key: [Value], from table: TableDescription) {
    if let event, isWatched(table, key) {
      let address = RowAddress(table: table.ordinal, key: key)
      if lives[address]?.row != nil {
        lives[address]?.row = nil
        lives[address]?.removed = EventReference(event)
      }
    }
    store.remove(key: key, from: table)
  }

  func rows(by index: IndexReference, equal values: [Value]) -> [[Value]] {
    store.rows(by: index, equal: values)
  }

  func greatestKey(in table: TableDescription) -> Int64? {
    store.greatestKey(in: table)
  }
}
