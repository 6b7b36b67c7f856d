package import EventLog
package import Projections

/// What one event did to the rows.
package struct RowChanges: Sendable {
  package struct Change: Sendable {
    package let table: TableDescription
    package let key: [Value]
    /// In column order; nil where there was no row.
    package let before: [Value]?
    /// Nil where there is none any more.
    package let after: [Value]?
  }

  /// In the order in which the event first touched the rows; rows that are as before are left out.
  package let changes: [Change]

  /// Replays a log up to an event and watches what that one does.
  package init(
    of sequence: UInt64, in log: EventLogReader, progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let store = RecordingRowStore(MemoryRowStore(schema: SoundLibrarySchema.schema))
    _ = try ProjectionRebuild(log, through: sequence, progress: progress).fold(into: store) {
      store.isRecording = $0.sequence == sequence
    }
    changes = store.touched.compactMap { address, table in
      let before = store.before[address] ?? nil
      let after = store.after[address] ?? nil
      return before == after
        ? nil : Change(table: table, key: address.key, before: before, after: after)
    }
  }
}

/// A row store that keeps the rows that are touched while it is told to, as they were and as they are.
private final class RecordingRowStore: RowStore {
  var isRecording = false
  private(set) var touched: [(RowAddress, TableDescription)] = []
  private(set) var before: [RowAddress: [Value]?] = [:]
  private(set) var after: [RowAddress: [Value]?] = [:]
  private let store: MemoryRowStore

  init(_ store: MemoryRowStore) {
    self.store = store
  }

  func row(in table: TableDescription, key: [Value]) -> [Value]? {
    store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    if isRecording { note(table, table.key(of: row), row) }
    try store.put(row, in: table)
  }

  func remove(key: [Value], from table: TableDescription) {
    if isRecording { note(table, key, nil) }
    store.remove(key: key, from: table)
  }

  func rows(by index: IndexReference, equal values: [Value]) -> [[Value]] {
    store.rows(by: index, equal: values)
  }

  func greatestKey(in table: TableDescription) -> Int64? {
    store.greatestKey(in: table)
  }

  private func note(_ table: TableDescription, _ key: [Value], _ row: [Value]?) {
    let address = RowAddress(table: table.ordinal, key: key)
    if before[address] == nil {
      before[address] = .some(store.row(in: table, key: key))
      touched.append((address, table))
    }
    after[address] = .some(row)
  }
}
