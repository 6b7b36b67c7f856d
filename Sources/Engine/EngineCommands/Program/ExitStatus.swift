/// The exit status of a command.
public enum ExitStatus: Int32, Sendable {
  case done = 0
  case error = 1
  /// It found what it looked for: differences, drift, what would be appended.
  case findings = 2
  /// The log is damaged, or lacks events.
  case damaged = 3
  /// The arguments were wrong.
  case usage = 64
  case interrupted = 130
}

/// Thrown by a command that ended as it should with a status other than 0. Nothing is printed for it.
///
/// ```swift
/// if !findings.isEmpty { throw Exit(status: .findings) }
/// ```
public struct Exit: Error {
  public let status: ExitStatus

  public init(status: ExitStatus) {
    self.status = status
  }
}
