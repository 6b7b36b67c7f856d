/// Why a projector or a row store cannot go on.
public struct ProjectionError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The event contradicts the rows that earlier events made. A projector reports it as a
    /// `ProjectionConflict` and never throws it.
    case contradiction
    /// The log is of another kind of catalog, or of a layout that this program does not know.
    case foreign
    /// A row store holds something that its table cannot hold: it was changed by hand.
    case drifted
    /// A table outgrew what the store in memory can hold.
    case limit
  }

  public let code: Code
  public let message: String
  /// The event that could not be carried out; filled in by the replay.
  public package(set) var sequence: UInt64?
  public package(set) var type: String?

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ conflict: ProjectionConflict) {
    self.init(.contradiction, conflict.message)
    sequence = conflict.sequence
    type = conflict.type
  }

  /// The same error with more to say.
  package func adding(_ text: String) -> ProjectionError {
    var error = ProjectionError(code, message + text)
    error.sequence = sequence
    error.type = type
    return error
  }

  public var description: String {
    guard let sequence else { return message }
    return "event \(sequence) (\(type ?? "?")): \(message)"
  }
}
