public import Support

/// Why a projector or a row store cannot go on.
public struct ProjectionError: RecoverableError, Sendable {
  public enum Code: String, Sendable {
    /// The event contradicts the rows that earlier events made, and changes nothing.
    case contradiction
    /// The log is of another kind of catalog, or of a layout that this program does not know.
    case foreign
    /// A row store holds something that its table cannot hold: it was changed by hand.
    case drifted
    /// A projector gave a row, or values to look for, that a table cannot have: of another type, NULL where there
    /// is none, too few or too many. A defect of the kind: it stops the replay.
    case invalidRow
    /// A projector gave a row that has the same as another one in what is unique. A defect of the kind, which stops
    /// the replay; where the rows were there before, somebody may have changed them.
    case duplicate
    /// A table has the most rows that it can have, or a row is longer than SQLite can store.
    case limit
  }

  public let code: Code
  public let explanation: ErrorMessage
  public var message: String { explanation.description }
  /// The event that could not be carried out; filled in by the replay.
  public package(set) var sequence: UInt64?
  public package(set) var type: String?

  package init(_ code: Code, _ explanation: ErrorMessage) {
    self.code = code
    self.explanation = explanation
  }

  /// For a projector that finds that an event contradicts the rows, before it changes the first of them.
  ///
  /// - Parameter message: what contradicts what, as a sentence without its first capital and full stop.
  public init(contradiction message: String) {
    self.init(.contradiction, ErrorMessage(message))
  }

  package init(_ conflict: ProjectionConflict) {
    self.init(.contradiction, ErrorMessage(conflict.message))
    sequence = conflict.sequence
    type = conflict.type
  }

  /// The same error with more to say.
  package func adding(_ more: ErrorMessage) -> ProjectionError {
    var error = ProjectionError(code, explanation + more)
    error.sequence = sequence
    error.type = type
    return error
  }

  public var description: String {
    guard let sequence else { return message }
    return "event \(sequence) (\(type ?? "?")): \(message)"
  }
}
