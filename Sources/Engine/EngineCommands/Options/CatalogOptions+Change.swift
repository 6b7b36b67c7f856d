public import CatalogEngine

extension CatalogOptions {
  /// Writes what a change came to.
  ///
  /// - Parameters:
  ///   - unchanged: a line for a change that appended nothing.
  ///   - changed: a line for one that did.
  /// - Throws: what ends the command with status 1 if the events are in the log and the database lacks them.
  public func write(_ change: ChangeReport, unchanged: String, changed: String) throws {
    let json: JSONObject = [
      "outcome": change.outcome.rawValue, "events": change.events, "sequence": change.sequence,
    ]
    try Console.current.write(format, json: json) { console in
      console.write(change.outcome == .unchanged ? unchanged : changed)
      if let failure = change.failure {
        console.error("the database does not have it yet: \(failure)")
      }
    }
    if change.outcome == .appended { throw Exit(status: .error) }
  }
}
