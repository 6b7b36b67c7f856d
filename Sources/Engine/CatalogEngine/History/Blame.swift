package import CatalogModel
package import Projections
import Recoveries

/// Which event made each column of a row what it is.
package struct Blame: Sendable {
  package struct Column: Sendable {
    package let name: String
    package let value: Value
    package let event: EventEnvelope
    /// What it was before; nil if the row was new.
    package let before: Value?
  }

  package struct Row: Sendable {
    package let table: TableDescription
    package let key: [Value]
    /// Empty for a row that is gone.
    package let columns: [Column]
    /// The event that took the row away; nil while it is there.
    package let removed: EventEnvelope?
  }

  /// The row that was asked for.
  package let row: Row
  /// Rows of join tables that belong to the row, in the order of the kind's relations and of the values, with what
  /// the values are called: the tags of an item.
  package let related: [(relation: TableRelation, name: String, row: Row)]

  /// Replays a log and watches one row, and the rows that belong to it.
  ///
  /// - Parameters:
  ///   - key: values of the table's key, in key order.
  ///   - last: as far as the log is replayed; nil for all of it.
  /// - Throws: `CatalogError` with `notFound` if no event ever wrote the row.
  package init(
    _ table: TableDescription, key: [Value], in log: CatalogLog, through last: UInt64? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let relations = log.kind.relations.filter { $0.table === table }
    let store = BlamingRowStore(MemoryRowStore(schema: log.kind.schema)) { other, otherKey in
      other === table
        ? otherKey == key
        : otherKey.starts(with: key) && relations.contains { $0.join === other }
    }
    _ = try ProjectionRebuild(log, through: last, progress: progress)
      .fold(into: store, for: .row(table, key)) { store.event = $0 }
    guard let life = store.lives[RowAddress(table: table.ordinal, key: key)] else {
      throw CatalogError(
        .notFound,
        "no event ever wrote a row of \(table.name) with this key")
    }
    row = life.row(of: table, key: key)
    var related: [(relation: TableRelation, name: String, row: Row)] = []
    for relation in relations {
      let lives = store.lives.filter { $0.key.table == relation.join.ordinal }
        .map { (key: $0.key.key, value: Array($0.key.key.dropFirst(key.count)), life: $0.value) }
        .sorted { $0.value.isBefore($1.value) }
      for (key, value, life) in lives {
        var name = value.map { "\($0)" }.joined(separator: ", ")
        if case .text(let text)? = try store.row(in: relation.values, key: value)?[relation.label] {
          name = text
        }
        related.append((relation, name, life.row(of: relation.join, key: key)))
      }
    }
    self.related = related
  }
}

extension [Value] {
  fileprivate func isBefore(_ other: [Value]) -> Bool {
    lexicographicallyPrecedes(other) { left, right in
      switch (left, right) {
      case (.integer(let left), .integer(let right)): left < right
      case (.id(let left), .id(let right)): left < right
      case (.text(let left), .text(let right)):
        left.utf8.lexicographicallyPrecedes(right.utf8)
      default: false
      }
    }
  }
}

/// A row store that keeps, for each watched row, which event made each of its columns what it is.
private final class BlamingRowStore: RowStore {
  struct Life {
    var row: [Value]?
    var events: [EventEnvelope] = []
    var before: [Value?] = []
    var removed: EventEnvelope?

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

  var event: EventEnvelope?
  private(set) var lives: [RowAddress: Life] = [:]
  private let store: MemoryRowStore
  private let isWatched: (TableDescription, [Value]) -> Bool

  init(_ store: MemoryRowStore, isWatched: @escaping (TableDescription, [Value]) -> Bool) {
    self.store = store
    self.isWatched = isWatched
  }

  func holds(_ table: TableDescription) -> Bool { store.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    // A row that does not fit its table goes no further.
    try store.put(row, in: table)
    let key = table.key(of: row)
    if let event, isWatched(table, key) {
      let address = RowAddress(table: table.ordinal, key: key)
      if var life = lives[address], let old = life.row {
        for index in row.indices where old[index] != row[index] {
          life.events[index] = event
          life.before[index] = old[index]
        }
        life.row = row
        lives[address] = life
      } else {
        lives[address] = Life(
          row: row, events: row.map { _ in event }, before: row.map { _ in nil })
      }
    }
  }

  func remove(key: [Value], from table: TableDescription) throws {
    try store.remove(key: key, from: table)
    if let event, isWatched(table, key) {
      let address = RowAddress(table: table.ordinal, key: key)
      if lives[address]?.row != nil {
        lives[address]?.row = nil
        lives[address]?.removed = event
      }
    }
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try store.rows(by: index, equal: values)
  }

  func rows(in table: TableDescription) -> [[Value]] { store.rows(in: table) }

  func greatestKey(in table: TableDescription) -> Int64? {
    store.greatestKey(in: table)
  }
}
