import CatalogModel
package import Projections

/// The kind of a damaged log, for a new log in which events have other numbers.
///
/// A kind that its log describes depends on the numbers of the events that do so.
package struct SalvagedKind: Sendable {
  /// As the old log describes it.
  package let kind: any CatalogKind
  private let descriptions: Descriptions?

  /// The events that describe a kind, with their old sequences.
  struct Descriptions: Sendable {
    /// Those that can be read, and others, which a database has.
    private let kept: [DescribingEvent]
    private let lost: [DescribingEvent]
    /// Events that cannot be written, whatever is known of them.
    private let unusable: Set<UInt64>
    fileprivate let maker: any KindDescriptions
    /// Those that the new log gets, ascending.
    fileprivate private(set) var events: [DescribingEvent] = []
    /// The sequences of those of them that the log lost.
    fileprivate private(set) var made: Set<UInt64> = []
    /// Others: of some of them the database does not have all, and some follow on these with other names.
    fileprivate private(set) var partial: [UInt64] = []

    init(
      _ kept: [DescribingEvent], lost: [DescribingEvent], by maker: any KindDescriptions,
      without unusable: Set<UInt64> = []
    ) {
      (self.kept, self.lost, self.maker, self.unusable) = (kept, lost, maker, unusable)
      let known = Set(kept.map(\.sequence))
      let others = lost.filter { !known.contains($0.sequence) }
      for event in (kept + others).sorted(by: { $0.sequence < $1.sequence }) {
        let isLost = !known.contains(event.sequence)
        // One that follows on such an event says how names changed since then, and not how they did before.
        let isGuess = isLost || !partial.isEmpty
        guard !unusable.contains(event.sequence),
          !isGuess || maker.isWhole(event, after: events.last)
        else {
          partial.append(event.sequence)
          continue
        }
        if isLost { made.insert(event.sequence) }
        events.append(event)
      }
    }

    fileprivate func without(_ sequence: UInt64) -> Descriptions {
      Descriptions(kept, lost: lost, by: maker, without: unusable.union([sequence]))
    }
  }

  init(_ kind: any CatalogKind) {
    (self.kind, descriptions) = (kind, nil)
  }

  /// - Throws: `CatalogError` with `unknownKind`.
  init(named name: String, _ descriptions: Descriptions) throws {
    guard !descriptions.events.isEmpty else {
      throw CatalogError(
        .unknownKind,
        "the events that describe the kind \"\(JSONExcerpt.printable(name))\" are lost, and the database does not have all of "
          + "what they said; restore that part of the log from a copy")
    }
    kind = try descriptions.maker.kind(named: name, describedBy: descriptions.events)
    self.descriptions = descriptions
  }

  /// The kind without an event that describes it, and without those that follow on it with other names.
  ///
  /// - Throws: `CatalogError` with `unknownKind` if no event is left.
  func without(_ sequence: UInt64) throws -> SalvagedKind {
    guard let descriptions else { return self }
    return try SalvagedKind(named: kind.name, descriptions.without(sequence))
  }

  /// Events that describe the kind and cannot be written, because one of them is lost and the database has only a part of it.
  var leftOut: [CatalogSalvage.UnsalvagedEvent] {
    descriptions?.partial.map {
      CatalogSalvage.UnsalvagedEvent(
        sequence: $0,
        reason:
          "\(descriptions?.maker.eventType ?? ""): which names changed is lost with an event; later events with new "
          + "names are left out")
    } ?? []
  }

  /// The places of the events that describe the kind, as in the old log.
  var places: [UInt64: UInt64] {
    let events = descriptions?.events ?? []
    return Dictionary(uniqueKeysWithValues: events.map { ($0.sequence, $0.sequence) })
  }

  /// Events that describe the kind and are not in the new log.
  var omitted: Set<UInt64> { Set(descriptions?.partial ?? []) }

  /// The first event that describes the kind; nil if its log does not.
  var first: UInt64? { descriptions?.events.first?.sequence }

  /// The kind of a log that describes it in other places.
  ///
  /// - Parameter places: new sequences by old ones.
  /// - Throws: `CatalogError` with `unknownKind`.
  func kind(at places: [UInt64: UInt64]) throws -> any CatalogKind {
    guard let descriptions else { return kind }
    let events = descriptions.events.map { $0.moved(to: places[$0.sequence] ?? $0.sequence) }
    return try descriptions.maker.kind(named: kind.name, describedBy: events)
  }

  /// An event that the old log lost, to be written again.
  struct LostEvent {
    /// In the old log.
    let sequence: UInt64
    let type: String
    let version: Int64
    let data: JSONValue
  }

  /// The lost events that describe the kind; ascending.
  var lostEvents: [LostEvent] {
    guard let descriptions else { return [] }
    return descriptions.events.filter { descriptions.made.contains($0.sequence) }.map {
      LostEvent(
        sequence: $0.sequence, type: descriptions.maker.eventType,
        version: descriptions.maker.eventVersion, data: $0.data)
    }
  }
}

extension DescribingEvent {
  /// The name of the kind that the event describes; nil if it has none.
  var kindName: String? {
    guard case .string(let name)? = data["description"]?["kind"] else { return nil }
    return name
  }
}
