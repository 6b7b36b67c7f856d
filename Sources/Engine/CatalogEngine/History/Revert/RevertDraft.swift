package import CatalogModel
package import EventLog
package import Projections
import Synchronization

/// A plan to undo operations: the events, their effect on the rows, and what stays as it is.
package struct RevertDraft<Event: Sendable>: Sendable {
  package let operations: [RevertedOperation]
  /// Empty if nothing is to be done.
  package let events: [Event]
  /// Each row as it is and as it will be, with the rows that follow from others; in the order of the tables.
  package let changes: [RowChange]
  /// The rows and cells that the operations changed and that stay as they are, in the order of the tables.
  package let conflicts: [RevertConflict]
  /// The later values that go, if the caller wants that.
  package let overwritten: [OverwrittenRow]
  /// How many rows the operations added that stay with what they have in the part's columns, by table; empty without such columns.
  package let added: [AddedRows]
  /// The end of the log for which this was planned.
  package let head: LogHead
  /// Finds a row as it was last; nil if there was none since the operations began.
  let row: @Sendable (TableDescription, [Value]) throws -> [Value]?
}

/// Rows of a table that operations added. A revert of columns leaves them as they are, since they had no earlier values.
package struct AddedRows: Sendable {
  package let table: TableDescription
  package var count: Int
}

/// A row, or cells of it, that an operation changed and that a revert leaves as they are.
package struct RevertConflict: Sendable {
  /// Why a row stays.
  package enum Reason: Hashable, Sendable {
    /// Later events changed it.
    case changedLater
    /// A later event removed it.
    case removedLater
    /// It belongs to a row that stays.
    case belongsTo(RowAddress)
    /// A row that stays refers to it.
    case neededBy(RowAddress)
    /// It refers to a row that is gone.
    case missing(RowAddress)
    /// Another row has what must be unique.
    case taken([String])
    /// The kind says that it cannot be undone, because of this.
    case impossible(String)
  }

  package let table: TableDescription
  package let key: [Value]
  /// The row, to be named by: as it is, or as it was if it is gone.
  package let row: [Value]
  /// The columns that stay; empty if the whole row does.
  package let columns: [Int]
  package let reason: Reason
  /// The other row of the reason, to be named by: as it is, or as it was last; nil if there is none.
  package let other: [Value]?
  /// The columns that the values of the other row's address are of; nil if they are its key.
  package let otherColumns: [Int]?
  /// The event that is not taken back.
  package let reverted: EventEnvelope?
  /// The later event that made the reason: it changed the row, or the cells, or the other row of the reason; nil if none did.
  package let later: EventEnvelope?
  /// The rows that people see in the place of a row of the program's own; empty if they see the row itself, or none.
  package let seen: [SeenRow]
  /// The row that people see in the place of the other row of the reason.
  package let seenOther: SeenRow?
  /// Whether the other row of the reason is not there.
  var isOtherGone = false
}

/// A row that people see.
package struct SeenRow: Sendable {
  let address: RowAddress
  /// The row as it is, or as it was last; nil if no such row was since the operations began.
  let row: [Value]?
}

extension RevertDraft {
  /// The conflicts as people know the rows: in the place of a row of the program's own are those that it is seen as, each row
  /// once, and the rows of what they see come first.
  package func seenConflicts(in schema: Schema) -> [RevertConflict] {
    var known: Set<RowAddress> = []
    for conflict in conflicts where conflict.seen.isEmpty {
      known.insert(RowAddress(conflict.table, key: conflict.key))
    }
    return conflicts.flatMap { conflict -> [RevertConflict] in
      if conflict.seen.isEmpty { return [conflict.seenByOther] }
      return conflict.seen.filter { known.insert($0.address).inserted }.map {
        conflict.seen(as: $0, in: schema).seenByOther
      }
    }
  }
}

extension RevertConflict {
  fileprivate func seen(as seen: SeenRow, in schema: Schema) -> RevertConflict {
    let table = schema.tables[seen.address.table]
    var row = seen.row ?? table.columns.map { _ in Value.null }
    for (place, value) in zip(table.key, seen.address.key) { row[place] = value }
    var conflict = RevertConflict(
      table: table, key: seen.address.key, row: row, columns: [], reason: reason, other: other,
      otherColumns: otherColumns, reverted: reverted, later: later, seen: [], seenOther: seenOther)
    conflict.isOtherGone = isOtherGone
    return conflict
  }

  fileprivate var seenByOther: RevertConflict {
    guard let seenOther else { return self }
    let reason: Reason =
      switch reason {
      case .belongsTo: .belongsTo(seenOther.address)
      case .neededBy: .neededBy(seenOther.address)
      case .missing: .missing(seenOther.address)
      case .changedLater, .removedLater, .taken, .impossible: reason
      }
    // Another row of the kind's own that is seen as the row itself is that row, which a later event changed.
    let isItself = seenOther.address == RowAddress(table, key: key) && later != nil
    var conflict = RevertConflict(
      table: table, key: key, row: row, columns: columns, reason: isItself ? .changedLater : reason,
      other: isItself ? nil : seenOther.row, otherColumns: nil, reverted: reverted, later: later,
      seen: seen, seenOther: nil)
    conflict.isOtherGone = isOtherGone
    return conflict
  }
}

/// A row of which a revert takes later values.
package struct OverwrittenRow: Sendable {
  package let table: TableDescription
  package let key: [Value]
  /// The row now; nil if a later event removed it.
  package let present: [Value]?
  /// The row as it will be; nil if it goes.
  package let target: [Value]?
  /// The columns with later values; empty if the row as a whole comes or goes, and if the values are in no column of it.
  package let columns: [Int]
}

/// Rows that are asked for after a plan was made.
///
/// `@unchecked`: the plan, which had the rows, ended, and the lock lets one thread at a time read them.
final class PlannedRows: @unchecked Sendable {
  private let lock = Mutex(())
  private let past: RevertPast

  init(_ past: RevertPast) { self.past = past }

  func row(_ table: TableDescription, _ key: [Value]) throws -> [Value]? {
    try lock.withLock { _ in try past.lastRow(table, key) }
  }
}
