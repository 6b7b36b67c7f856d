import ArgumentParser
import CatalogModel

/// Which events of a log are wanted.
struct EventFilter: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("Only events of this type.", valueName: "type"),
    completion: .list(EventType.allCases.map(\.rawValue)))
  var type: String?

  @Option(
    name: .long, help: ArgumentHelp("Only events that name this item.", valueName: "id"),
    completion: CatalogCompletion.items)
  var item: EntityID?

  @Option(
    name: .long, help: ArgumentHelp("Only events that name this pack.", valueName: "id"),
    completion: CatalogCompletion.packs)
  var pack: EntityID?

  @Option(
    name: .long,
    help: ArgumentHelp("Only events that name this tag value, as it is spelt.", valueName: "name"),
    completion: CatalogCompletion.tagsOfNamedDimension)
  var tag: String?

  @Option(name: .long, help: ArgumentHelp("Only events of this operation.", valueName: "id"))
  var op: EntityID?

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

  init() {}

  func validate() throws {
    if let type, EventType(rawValue: type) == nil {
      throw ValidationError(
        "there are no events of type \"\(type)\"; types: "
          + EventType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    for (name, text) in [("since", since), ("until", until)] {
      if let text, Timestamp(text) == nil {
        throw ValidationError(
          "--\(name) takes an ISO 8601 time such as 2026-01-31T12:00:00Z, not \"\(text)\"")
      }
    }
  }

  /// Whether every event is wanted.
  var isEmpty: Bool {
    type == nil && item == nil && pack == nil && tag == nil && op == nil && by == nil
      && since == nil
      && until == nil && grep == nil
  }

  /// - Parameter json: the event's line.
  func matches(_ record: EventRecord, _ json: String) -> Bool {
    if let type, record.event.type != type { return false }
    if let op, record.operation != op { return false }
    if let by, record.by != by { return false }
    if let since, let time = Timestamp(since), record.at < time { return false }
    if let until, let time = Timestamp(until), record.at > time { return false }
    for id in [item, pack].compactMap({ $0 }) where !json.contains(id.description) { return false }
    if let grep, !json.contains(grep) { return false }
    if let tag, !record.event.names(tag: tag) { return false }
    return true
  }
}

extension CatalogEvent {
  /// Whether the event speaks of a tag value by this name.
  fileprivate func names(tag name: String) -> Bool {
    func isIn(_ tags: TagSet) -> Bool {
      TagDimension.all.contains { tags[$0].contains(name) }
    }
    return switch self {
    case .dimensionValueAdded(let event): event.name == name
    case .dimensionValueOrdered(let event): event.name == name
    case .dimensionValueRenamed(let event): event.name == name || event.newName == name
    case .dimensionValueMerged(let event): event.name == name || event.intoName == name
    case .dimensionValueAliased(let event): event.name == name || event.alias == name
    case .itemTagsSet(let event): isIn(event.tags)
    case .itemTagSuppressed(let event), .itemTagUnsuppressed(let event): event.name == name
    case .manifestApplied(let event): isIn(event.tags)
    default: false
    }
  }
}
