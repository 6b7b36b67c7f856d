package import CatalogModel
package import EventLog
package import Projections

/// A plan to undo operations: the events, their effect on the rows, and the rows that stay as they are.
package struct RevertDraft<Event: Sendable>: Sendable {
  package let operations: [RevertedOperation]
  /// Empty if nothing is to be done.
  package let events: [Event]
  /// Each row as it is and as it will be, with the rows that follow from others; in the order of the tables.
  package let changes: [RowChange]
  /// Rows that the operations changed and that stay as they are, in the order of the tables.
  package let conflicts: [RevertConflict]
  /// The end of the log for which this was planned.
  package let head: LogHead
  /// Finds a row as it was last; nil if there never was one.
  let row: @Sendable (TableDescription, [Value]) throws -> [Value]?
}

/// A row that an operation changed and that a revert leaves as it is.
package struct RevertConflict: Sendable {
  /// Why a row stays.
  package enum Reason: Hashable, Sendable {
    /// Later events changed it, or another row of its list.
    case changedLater
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
  package let reason: Reason
  /// The event that is not taken back.
  package let reverted: EventEnvelope?
  /// The later event that changed the row; nil if none did.
  package let later: EventEnvelope?
}
