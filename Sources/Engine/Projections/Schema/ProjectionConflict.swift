/// An event that a projector could not carry out, because it contradicts what earlier events made or
/// holds what no document may hold. It changed no row.
///
/// A conflict follows from the log alone, so that every replay finds the same ones.
public struct ProjectionConflict: Hashable, Sendable, CustomStringConvertible {
  public let sequence: UInt64
  public let type: String
  /// What contradicts what, as a sentence without its first capital and full stop.
  public let message: String

  public init(sequence: UInt64, type: String, message: String) {
    self.sequence = sequence
    self.type = type
    self.message = message
  }

  public var description: String { "event \(sequence) (\(type)): \(message)" }
}
