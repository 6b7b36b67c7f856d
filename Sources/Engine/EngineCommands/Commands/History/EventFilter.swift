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

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only events of this moment or later: of a day, from its beginning on.", valueName: "when"),
    transform: Moment.typed)
  var since: Moment?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only events of this moment or before: of a day, to its end.", valueName: "when"),
    transform: Moment.typed)
  var until: Moment?

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
    if since == .live || until == .live {
      throw ValidationError("--since and --until choose events of the log: name head, not live")
    }
  }

  /// The bounds that the moments of `--since` and `--until` mean.
  ///
  /// - Parameter log: called if a moment is not a time.
  func bounds(in log: () throws -> CatalogLog) throws -> EventBounds {
    var bounds = EventBounds()
    switch since {
    case .time(let time): bounds.earliest = time
    case .span(let span): bounds.earliest = span.first
    case .sequence(let sequence)? where try isEvent(sequence, in: log()):
      bounds.after = max(sequence, 1) - 1
      bounds.hasFirst = true
    case nil: break
    case let moment?:
      if case .operation = moment { bounds.hasFirst = true }
      bounds.after = try MomentRange(since: moment).beginning(in: log())
    }
    switch until {
    case .time(let time): bounds.latest = time
    case .span(let span): bounds.latest = span.last
    case .sequence(let sequence)? where try isEvent(sequence, in: log()): bounds.last = sequence
    case nil: break
    case let moment?: bounds.last = try moment.found(in: log()).sequence ?? .max
    }
    if since != nil, until != nil, bounds.isEmpty {
      throw ValidationError(
        "--since is after --until, so that no event is between them: exchange them")
    }
    return bounds
  }

  /// Whether a number is that of an event, or 0; if not, its digits may begin the id of an operation.
  private func isEvent(_ sequence: UInt64, in log: CatalogLog) throws -> Bool {
    try sequence <= log.head()?.sequence ?? 0
  }

  /// - Parameter json: the event's line.
  func matches(_ event: EventEnvelope, _ json: String) -> Bool {
    if let op, !op.isName(of: event.operation) { return false }
    if let by, event.by != by { return false }
    if let grep, !json.contains(grep) { return false }
    return true
  }
}

/// The times and numbers of events between two moments.
struct EventBounds {
  var earliest: Timestamp?
  var latest: Timestamp?
  var after: UInt64 = 0
  var last = UInt64.max
  /// Whether the event after `after` was named, or its operation: then it is one of them.
  var hasFirst = false

  /// Leaves out events of other times.
  mutating func narrow(to times: ClosedRange<Timestamp>) {
    earliest = max(earliest ?? times.lowerBound, times.lowerBound)
    latest = min(latest ?? times.upperBound, times.upperBound)
  }

  /// Whether its end is before its beginning.
  var isEmpty: Bool {
    if let earliest, let latest, earliest > latest { return true }
    return hasFirst ? after >= last : after > last
  }

  func contains(_ event: EventEnvelope) -> Bool {
    if let earliest, event.at < earliest { return false }
    if let latest, event.at > latest { return false }
    return event.sequence > after && event.sequence <= last
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
