/// The result of an append.
package enum AppendOutcome: Hashable, Sendable {
  /// The batch is durable now.
  case appended(LogHead)
  /// A retry: the batch was appended before, and is durable.
  case already(LogHead)

  package var head: LogHead {
    switch self {
    case .appended(let head), .already(let head): head
    }
  }
}
