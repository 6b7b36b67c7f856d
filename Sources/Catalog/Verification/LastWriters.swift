package import CatalogModel
import EventLog
import Projections

/// An event as findings name it.
package struct EventReference: Hashable, Sendable {
  package let sequence: UInt64
  package let at: Timestamp
  package let type: String
  package let by: String
  package let operation: EntityID

  init(_ record: EventRecord) {
    sequence = record.sequence
    at = record.at
    type = record.event.type
    by = record.by
    operation = record.operation
  }
}

/// A row by its table and key.
struct RowAddress: Hashable {
  let table: Int
  let key: [Value]
}

/// Finds the event that last wrote, or removed, each of some rows, by one replay of the log.
struct LastWriters {
  static func find(
    _ rows: Set<RowAddress>, in reader: EventLogReader, through last: UInt64
  ) throws -> [RowAddress: EventReference] {
    if rows.isEmpty { return [:] }
    let store = WatchingRowStore(MemoryRowStore(schema: SoundLibrarySchema.schema), watched: rows)
    _ = try ProjectionRebuild(reader, through: last).fold(into: store) { store.event = $0 }
    return store.writers
  }
}

/// A row store that notes which event touched which watched row.
private final class WatchingRowStore: RowStore {
  var event: EventRecord?
  private(set) var writers: [RowAddress: EventReference] = [:]
  private let store: MemoryRowStore
  private let watched: Set<RowAddress>

  init(_ store: MemoryRowStore, watched: Set<RowAddress>) {
    self.store = store
    self.watched = watched
  }

  func row(in table: TableDescription, key: [Value]) -> [Value]? {
    store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    note(RowAddress(table: table.ordinal, key: table.key(of: row)))
    try store.put(row, in: table)
  }

  func remove(key: [Value], from table: TableDescription) {
    note(RowAddress(table: table.ordinal, key: key))
    store.remove(key: key, from: table)
  }

  func rows(by index: IndexReference, equal values: [Value]) -> [[Value]] {
    store.rows(by: index, equal: values)
  }

  func greatestKey(in table: TableDescription) -> Int64? {
    store.greatestKey(in: table)
  }

  private func note(_ address: RowAddress) {
    guard watched.contains(address), let event else { return }
    writers[address] = EventReference(event)
  }
}
