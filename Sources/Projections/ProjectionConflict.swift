package import CatalogModel

/// An event that a projector could not carry out, because it contradicts what earlier events made or
/// holds what no document may hold. It changed no row.
///
/// A conflict follows from the log alone, so that every replay finds the same ones.
package struct ProjectionConflict: Hashable, Sendable, CustomStringConvertible {
  package let sequence: UInt64
  package let type: String
  /// What contradicts what, as a sentence without its first capital and full stop.
  package let message: String

  package init(sequence: UInt64, type: String, message: String) {
    self.sequence = sequence
    self.type = type
    self.message = message
  }

  package init(_ record: EventRecord, _ message: String) {
    self.init(sequence: record.sequence, type: record.event.type, message: message)
  }

  package var description: String { "event \(sequence) (\(type)): \(message)" }
}
