import CatalogModel
package import Projections

/// What one event did to the rows.
package struct RowChanges: Sendable {
  /// In the order in which the event first touched the rows; rows that are as before are left out.
  package let changes: [RowChange]

  /// Replays a log up to an event and watches what that one does.
  package init(
    of sequence: UInt64, in log: CatalogLog, progress: @escaping ProgressObserver = { _ in }
  ) throws {
    var isWatching = false
    var touched = TouchedRows()
    let store = ObservedRowStore(
      MemoryRowStore(schema: log.kind.schema), isWatched: { _, _ in isWatching },
      onChange: { touched.add($0) })
    _ = try ProjectionRebuild(log, through: sequence, progress: progress).fold(into: store) {
      isWatching = $0.sequence == sequence
    }
    changes = touched.changes
  }
}

/// Changes of rows, put together: each row as it was before the first change and as it is after the last.
struct TouchedRows {
  private var places: [RowAddress: Int] = [:]
  private var rows: [RowChange] = []

  var count: Int { rows.count }

  /// In the order in which the rows were first touched; rows that are as before are left out.
  var changes: [RowChange] { rows.filter { $0.before != $0.after } }

  mutating func add(_ change: RowChange) {
    let address = change.address
    guard let place = places[address] else {
      places[address] = rows.count
      rows.append(change)
      return
    }
    rows[place] = RowChange(
      change.table, key: change.key, before: rows[place].before, after: change.after)
  }
}
