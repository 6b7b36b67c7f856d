import ArgumentParser
package import CatalogModel
import EngineCommands
import SoundLibrary

/// Which events of a sound library's log are wanted, by what they name.
package struct LibraryEventFilter: OwnEventFilter {
  @Option(
    name: .long, help: Self.help("Only events that name this item.", valueName: "id"),
    completion: LibraryCompletion.items)
  var item: EntityID?

  @Option(
    name: .long, help: Self.help("Only events that name this pack.", valueName: "id"),
    completion: LibraryCompletion.packs)
  var pack: EntityID?

  @Option(
    name: .long,
    help: Self.help("Only events that name this tag value, spelled exactly.", valueName: "name"),
    completion: LibraryCompletion.tagsOfNamedDimension)
  var tag: String?

  package init() {}

  /// In the catalog of another kind, in which no event has them, the options are not shown.
  private static func help(_ abstract: String, valueName: String) -> ArgumentHelp {
    let isOfOther = KindAtHand.current.map { !($0.kind is SoundLibraryKind) } ?? false
    return ArgumentHelp(
      "\(abstract)", valueName: valueName, visibility: isOfOther ? .hidden : .default)
  }

  package func matches(_ event: EventEnvelope, _ json: String) throws -> Bool {
    for id in [item, pack].compactMap({ $0 }) where !json.contains(id.description) { return false }
    guard let tag else { return true }
    var decoder = SoundEventDecoder()
    let record = try decoder.decode(line: Array(json.utf8), expecting: event.sequence)
    return record.event.names(tag: tag)
  }
}

extension SoundEvent {
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
