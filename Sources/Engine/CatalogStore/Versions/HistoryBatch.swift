package import CatalogModel
package import EventLog
import Projections

/// A batch of the log, as a history keeps it.
package struct HistoryBatch: Hashable, Sendable {
  package var firstSequence: UInt64
  package var head: LogHead
  /// The latest time of its events.
  package var at: Timestamp
  /// The operation and the source of its first event.
  package var operation: EntityID
  package var source: String
  /// The first of events one after another that say the same of themselves.
  package var events: [HistoryEvent]

  package init(
    firstSequence: UInt64, head: LogHead, at: Timestamp, operation: EntityID, source: String,
    events: [EventEnvelope]
  ) {
    self.events = events.map { event in
      HistoryEvent(
        first: event.sequence, type: event.type, at: event.at == at ? nil : event.at,
        operation: event.operation == operation ? nil : event.operation,
        source: event.by == source ? nil : event.by)
    }
    self.firstSequence = firstSequence
    self.head = head
    self.at = at
    self.operation = operation
    self.source = source
  }

  package var lastSequence: UInt64 { head.sequence }

  /// As a row of `history_batch`.
  var row: [Value] {
    [
      .sequence(head.sequence), .sequence(firstSequence),
      .blob(head.chain.bytes), .time(at), .id(operation), .text(source),
    ]
  }
}

/// An event, and all after it up to the next, as far as its batch does not say the same.
package struct HistoryEvent: Hashable, Sendable {
  package var first: UInt64
  package var type: String
  package var at: Timestamp?
  package var operation: EntityID?
  package var source: String?

  /// As a row of `history_event`.
  var row: [Value] {
    [
      .sequence(first), .text(type), at.map { .time($0) } ?? .null,
      operation.map { .id($0) } ?? .null, .text(source),
    ]
  }
}

/// The rows of each table after a batch, as numbers.
struct HistorySums {
  private let digesters: [RowDigester]
  private(set) var sums: [RowSum]

  /// - Parameter sums: of each table in a history that goes on; nil if it begins.
  init(_ tables: [TableDescription], _ sums: [RowSum]? = nil) {
    digesters = tables.map(RowDigester.init)
    self.sums = sums ?? tables.map { _ in RowSum() }
  }

  mutating func add(_ cells: [PackedCell], _ table: Int) {
    sums[table].add(digesters[table].digest(cells))
  }

  mutating func subtract(_ cells: [PackedCell], _ table: Int) {
    sums[table].subtract(digesters[table].digest(cells))
  }

  mutating func add(_ row: [Value], _ table: Int) {
    sums[table].add(digesters[table].digest(row))
  }

  mutating func subtract(_ row: [Value], _ table: Int) {
    sums[table].subtract(digesters[table].digest(row))
  }

  /// A row of `history_step`.
  func row(_ step: TableStep, _ last: UInt64) -> [Value] {
    [
      .integer(Int64(step.table)), .sequence(last), .integer(Int64(step.rows)),
      .integer(Int64(step.added)), .integer(Int64(step.removed)), .integer(Int64(step.changed)),
      .blob(sums[step.table].digest.bytes),
    ]
  }
}
