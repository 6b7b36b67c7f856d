import CatalogModel

/// How many events have a type, or came from a source.
package struct EventCount: Hashable, Sendable {
  /// The type or the source.
  package let name: String
  package let events: Int

  /// Most events first.
  static func ordered(_ counts: [String: Int]) -> [EventCount] {
    counts.map { EventCount(name: $0.key, events: $0.value) }
      .sorted { ($1.events, $0.name) < ($0.events, $1.name) }
  }
}

/// Counts events by type and by source.
struct EventTally {
  /// The first event, whose operation a batch has.
  private(set) var origin: EventEnvelope?
  private(set) var types: [String: Int] = [:]
  private(set) var sources: [String: Int] = [:]

  mutating func add(_ event: EventEnvelope) {
    if origin == nil { origin = event }
    types[event.type, default: 0] += 1
    sources[event.by, default: 0] += 1
  }

  mutating func add(_ other: EventTally) {
    types.merge(other.types, uniquingKeysWith: +)
    sources.merge(other.sources, uniquingKeysWith: +)
  }
}
