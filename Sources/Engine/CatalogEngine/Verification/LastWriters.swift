import CatalogModel
import Projections

/// A row by its table and key.
struct RowAddress: Hashable {
  let table: Int
  let key: [Value]
}

/// Finds the event that last wrote, or removed, each of some rows, by one replay of the log.
struct LastWriters {
  static func find(
    _ rows: Set<RowAddress>, in log: CatalogLog, through last: UInt64
  ) throws -> [RowAddress: EventEnvelope] {
    if rows.isEmpty { return [:] }
    let store = WatchingRowStore(MemoryRowStore(schema: log.kind.schema), watched: rows)
    _ = try ProjectionRebuild(log, through: last).fold(into: store) { store.event = $0 }
    return store.writers
  }
}

/// A row store that notes which event touched which watched row.
private final class WatchingRowStore: RowStore {
  var event: EventEnvelope?
  private(set) var writers: [RowAddress: EventEnvelope] = [:]
  private let store: MemoryRowStore
  private let watched: Set<RowAddress>

  init(_ store: MemoryRowStore, watched: Set<RowAddress>) {
    self.store = store
    self.watched = watched
  }

  func holds(_ table: TableDescription) -> Bool { store.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    note(RowAddress(table: table.ordinal, key: table.key(of: row)))
    try store.put(row, in: table)
  }

  func remove(key: [Value], from table: TableDescription) throws {
    note(RowAddress(table: table.ordinal, key: key))
    try store.remove(key: key, from: table)
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try store.rows(by: index, equal: values)
  }

  func rows(in table: TableDescription) -> [[Value]] { store.rows(in: table) }

  func greatestKey(in table: TableDescription) -> Int64? {
    store.greatestKey(in: table)
  }

  private func note(_ address: RowAddress) {
    guard watched.contains(address), let event else { return }
    writers[address] = event
  }
}
