public import CatalogEngine

extension CatalogOptions {
  /// Writes what a change came to.
  ///
  /// - Parameters:
  ///   - unchanged: a line for a change that appended nothing.
  ///   - changed: a line for one that did.
  /// - Throws: what ends the command with status 1 if the events are in the log and the database lacks them.
  public func write(_ change: ChangeReport, unchanged: String, changed: String) throws {
    switch format {
    case .text:
      Console.current.write(change.outcome == .unchanged ? unchanged : changed)
      if let failure = change.failure {
        Console.current.error("the database does not have it yet: \(failure)")
      }
    case .json: try Console.current.write(json: ChangeJSON(change))
    }
    if change.outcome == .appended { throw Exit(status: .error) }
  }
}

private struct ChangeJSON: Encodable {
  let outcome: String
  let events: Int
  let sequence: UInt64

  init(_ change: ChangeReport) {
    outcome = change.outcome.rawValue
    events = change.events
    sequence = change.sequence
  }
}
