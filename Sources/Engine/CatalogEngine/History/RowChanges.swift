import CatalogModel
package import Projections

/// What one event did to the rows.
package struct RowChanges: Sendable {
  package struct Change: Sendable {
    package let table: TableDescription
    package let key: [Value]
    /// In column order; nil if there was no row.
    package let before: [Value]?
    /// Nil if there is none any more.
    package let after: [Value]?
  }

  /// In the order in which the event first touched the rows; rows that are as before are left out.
  package let changes: [Change]

  /// Replays a log up to an event and watches what that one does.
  package init(
    of sequence: UInt64, in log: CatalogLog, progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let store = RecordingRowStore(MemoryRowStore(schema: log.kind.schema))
    _ = try ProjectionRebuild(log, through: sequence, progress: progress).fold(into: store) {
      store.isRecording = $0.sequence == sequence
    }
    changes = store.changes
  }
}

/// A row store that keeps the rows that are touched while it is told to, as they were and as they are.
final class RecordingRowStore<Base: RowStore>: RowStore {
  var isRecording = false
  private var touched: [(RowAddress, TableDescription)] = []
  private var before: [RowAddress: [Value]?] = [:]
  private var after: [RowAddress: [Value]?] = [:]
  private let store: Base

  init(_ store: Base) {
    self.store = store
  }

  /// In the order in which the rows were first touched; rows that are as before are left out.
  var changes: [RowChanges.Change] {
    touched.compactMap { address, table in
      let before = before[address] ?? nil
      let after = after[address] ?? nil
      return before == after
        ? nil : RowChanges.Change(table: table, key: address.key, before: before, after: after)
    }
  }

  func holds(_ table: TableDescription) -> Bool { store.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try store.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    if isRecording {
      try table.require(row)
      try note(table, table.key(of: row), row)
    }
    try store.put(row, in: table)
  }

  func remove(key: [Value], from table: TableDescription) throws {
    if isRecording { try note(table, key, nil) }
    try store.remove(key: key, from: table)
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try store.rows(by: index, equal: values)
  }

  func rows(in table: TableDescription) throws -> [[Value]] { try store.rows(in: table) }

  func greatestKey(in table: TableDescription) throws -> Int64? {
    try store.greatestKey(in: table)
  }

  private func note(_ table: TableDescription, _ key: [Value], _ row: [Value]?) throws {
    let address = RowAddress(table: table.ordinal, key: key)
    if before[address] == nil {
      before[address] = .some(try store.row(in: table, key: key))
      touched.append((address, table))
    }
    after[address] = .some(row)
  }
}
