package import ArgumentParser
import CatalogEngine
package import CatalogModel
import EventLog

/// Which events of a log are wanted, by what every event says.
package struct EventFilter: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only events of this operation: its id, or the first four characters or more.",
      valueName: "id"),
    transform: EventFilter.operation)
  var op: OperationName?

  @Option(
    name: .long,
    help: ArgumentHelp("Only events by this source: seed:starter, person, …", valueName: "source"))
  var by: String?

  @Option(name: .long, help: ArgumentHelp("Only events at this time or later.", valueName: "time"))
  var since: String?

  @Option(name: .long, help: ArgumentHelp("Only events at this time or before.", valueName: "time"))
  var until: String?

  @Option(
    name: .long, help: ArgumentHelp("Only events with this text in their JSON.", valueName: "text"))
  var grep: String?

  package init() {}

  private static func operation(_ text: String) throws -> OperationName {
    guard let name = OperationName(id: text) else {
      throw ValidationError(
        "an operation is named by its id, or by its first four characters or more")
    }
    return name
  }

  package func validate() throws {
    for (name, text) in [("since", since), ("until", until)] {
      if let text, Timestamp.typed(text) == nil {
        throw ValidationError(
          "--\(name) takes an ISO 8601 time such as 2026-01-31T12:00:00Z, not \"\(text)\"")
      }
    }
  }

  /// - Parameter json: the event's line.
  func matches(_ event: EventEnvelope, _ json: String) -> Bool {
    if let op, !op.isName(of: event.operation) { return false }
    if let by, event.by != by { return false }
    if let since, let time = Timestamp.typed(since), event.at < time { return false }
    if let until, let time = Timestamp.typed(until), event.at > time { return false }
    if let grep, !json.contains(grep) { return false }
    return true
  }
}

/// Which events of a log are wanted, by what events of one kind of catalog say.
package protocol OwnEventFilter: ParsableArguments {
  /// - Parameter json: the event's line.
  func matches(_ event: EventEnvelope, _ json: String) throws -> Bool
}

/// The filter of a kind that has none.
package struct NoOwnEventFilter: OwnEventFilter {
  package init() {}

  package func matches(_ event: EventEnvelope, _ json: String) -> Bool { true }
}

/// Events of one type.
package struct EventTypeFilter: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("Only events of this type.", valueName: "type"),
    completion: CatalogCompletion.eventTypes)
  var type: String?

  package init() {}

  /// Makes sure that the kind of a log has such events. Of an unknown kind nobody can tell.
  func require(in log: any LogStore) throws {
    guard type != nil, let kind = try KnownKinds.current.knownKind(of: log, besides: nil) else {
      return
    }
    try require(among: KnownKinds.eventTypes(of: kind))
  }

  /// Makes sure that some kind has such events.
  func requireKnown() throws {
    try require(among: KnownKinds.current.eventTypes)
  }

  private func require(among types: [String]) throws {
    guard let type, !types.contains(type) else { return }
    throw ValidationError(
      "there are no events of type \"\(type)\"; types: " + types.joined(separator: ", "))
  }
}
