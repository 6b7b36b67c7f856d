package import Projections

/// Rows whose versions are kept, batch by batch.
package protocol HistoryRows: AnyObject {
  associatedtype Rows: RowStore

  /// The present rows, which a projector changes.
  var rows: Rows { get }

  /// Notes that the rows are changed by the events of a batch.
  func beginBatch(first sequence: UInt64)

  /// Notes that the rows are changed by an event.
  func willApply(_ sequence: UInt64)

  /// Ends a batch, and keeps what it did.
  func endBatch(_ batch: HistoryBatch, conflicts: [ProjectionConflict]) throws
}

extension HistoryBuilder: HistoryRows {
  package func beginBatch(first sequence: UInt64) { rows.beginBatch(first: sequence) }
  package func willApply(_ sequence: UInt64) { rows.willApply(sequence) }
}

extension HistoryRowStore: HistoryRows {
  package var rows: HistoryRowStore { self }
}
