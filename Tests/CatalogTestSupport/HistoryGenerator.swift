package import CatalogModel

/// Makes random histories of a sound library: every event follows from those before it.
///
/// The same seed makes the same history. Failures print the seed, so that they can be seen again.
package struct HistoryGenerator {
  package private(set) var random: SplitMix
  private var sequence: UInt64 = 0
  private var time: Int64 = 1_767_225_600_000
  private var values: [[(id: Int64, name: String)]] = TagDimension.all.map { _ in [] }
  private var items: [(id: EntityID, kind: ItemKind)] = []
  private var packs: [(id: EntityID, kind: PackKind)] = []
  private var home: [EntityID: EntityID] = [:]

  package init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  /// Batches of events, `catalog.created` first.
  package mutating func batches(_ count: Int) -> [[EventRecord]] {
    var batches = [
      [
        record(
          .catalogCreated(CatalogCreated(kind: "sound-library", layout: 1, logID: id())), by: "cli",
          id())
      ]
    ]
    for _ in 1..<max(2, count) {
      let operation = id()
      let by = "seed:\(random.pick(["starter", "other", "third"]))"
      time += Int64(random.below(10_000)) - 500
      let events = (0..<1 + random.below(12)).map { _ in event(by: by) }
      batches.append(events.map { record($0, by: by, operation) })
    }
    return batches
  }

  private mutating func record(
    _ event: CatalogEvent, by: String, _ operation: EntityID
  ) -> EventRecord {
    sequence += 1
    return EventRecord(
      sequence: sequence, at: Timestamp(milliseconds: time), operation: operation, by: by,
      event: event)
  }

  private mutating func event(by: String) -> CatalogEvent {
    for _ in 0..<20 {
      if let event = attempt(by: by) { return event }
    }
    return newItem()
  }

  private mutating func attempt(by: String) -> CatalogEvent? {
    switch random.below(12) {
    case 0:
      return .seedImported(
        SeedImported(
          seed: String(by.dropFirst(5)), revision: Int64(1 + random.below(9)),
          sha256: String(repeating: "0f", count: 32),
          counts: SeedImported.Counts(values: 1, music: 2, packs: 3, packItems: 4)))
    case 1, 2: return newValue()
    case 3: return movedValue()
    case 4, 5: return newItem()
    case 6: return changedItem()
    case 7:
      guard let item = items.randomElement(using: &random) else { return nil }
      return .itemVisibilityChanged(
        ItemVisibilityChanged(id: item.id, isVisible: random.below(2) == 0))
    case 8, 9: return taggedItem(by: by)
    case 10: return random.below(2) == 0 ? playlist() : pack()
    default: return members()
    }
  }

  private mutating func newValue() -> CatalogEvent {
    let dimension = random.pick(TagDimension.all)
    let id = Int64(values[dimension.ordinal].count + 1)
    let name = "\(text()) \(id)"
    values[dimension.ordinal].append((id, name))
    return .dimensionValueAdded(
      DimensionValueAdded(
        dimension: dimension, id: id, name: name,
        sortOrder: random.below(3) == 0 ? nil : Int64(random.below(40)),
        isSystem: random.below(4) > 0))
  }

  private mutating func movedValue() -> CatalogEvent? {
    let dimension = random.pick(TagDimension.all)
    guard let value = values[dimension.ordinal].randomElement(using: &random) else { return nil }
    return .dimensionValueOrdered(
      DimensionValueOrdered(
        dimension: dimension, id: value.id, name: value.name,
        sortOrder: random.below(5) == 0 ? nil : Int64(random.below(40))))
  }

  private mutating func newItem() -> CatalogEvent {
    let item = (id: id(), kind: random.pick(ItemKind.allCases))
    items.append(item)
    return upserted(item)
  }

  private mutating func changedItem() -> CatalogEvent? {
    items.randomElement(using: &random).map { upserted($0) }
  }

  private mutating func upserted(_ item: (id: EntityID, kind: ItemKind)) -> CatalogEvent {
    .itemUpserted(
      ItemUpserted(
        id: item.id, kind: item.kind, title: text(),
        subtitle: random.below(2) == 0 ? nil : text(),
        duration: random.below(2) == 0 ? nil : Double(random.below(100_000)) / 7,
        artworkURL: random.below(3) == 0 ? "https://example.com/\(random.below(99))" : nil))
  }

  private mutating func taggedItem(by: String) -> CatalogEvent? {
    guard let item = items.randomElement(using: &random) else { return nil }
    var tags = TagSet()
    for dimension in TagDimension.all(of: item.kind) where random.below(3) > 0 {
      tags[dimension] = values[dimension.ordinal].shuffled(using: &random)
        .prefix(random.below(5)).map(\.name)
    }
    return .itemTagsSet(ItemTagsSet(item: item.id, source: by, tags: tags))
  }

  private mutating func playlist() -> CatalogEvent? {
    guard let item = items.filter({ $0.kind == .music }).randomElement(using: &random) else {
      return nil
    }
    let name = "pl.\(random.next())"
    return .playlistLinked(
      PlaylistLinked(item: item.id, playlistID: name, useSnapshot: random.below(2) == 0))
  }

  private mutating func pack() -> CatalogEvent {
    let isNew = packs.isEmpty || random.below(3) == 0
    let pack = isNew ? (id: id(), kind: random.pick(PackKind.allCases)) : random.pick(packs)
    if isNew { packs.append(pack) }
    return .packUpserted(
      PackUpserted(
        id: pack.id, kind: pack.kind, title: text(),
        description: random.below(2) == 0 ? nil : text(), artworkURL: nil,
        version: Int64(1 + random.below(9)), manifestURL: "https://example.com/manifest.json"))
  }

  private mutating func members() -> CatalogEvent? {
    guard let pack = packs.randomElement(using: &random) else { return nil }
    let free = items.filter {
      $0.kind == pack.kind.itemKind && (home[$0.id] == nil || home[$0.id] == pack.id)
    }
    let chosen = free.shuffled(using: &random).prefix(random.below(8)).map(\.id)
    for (item, other) in home where other == pack.id { home[item] = nil }
    for item in chosen { home[item] = pack.id }
    return .packItemsSet(PackItemsSet(pack: pack.id, items: Array(chosen)))
  }

  private mutating func id() -> EntityID {
    EntityID(high: random.next(), low: random.next())
  }

  /// Text that breaks what compares or quotes carelessly.
  private mutating func text() -> String {
    random.pick([
      "Forest", "Hero’s Journey", "O'Brien \"the\" \\ Tab\there", "Überwald", "林", "Straße",
      "e\u{301}".precomposed, "🐉", "Robert'); DROP TABLE library_item;--", "a", "A", "ﬁ", "\u{1}",
    ]) + (random.below(2) == 0 ? "" : " \(random.below(50))")
  }
}

extension String {
  /// The two scalars of this generator that are not NFC as written.
  fileprivate var precomposed: String { self == "é" ? "\u{E9}" : self }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  package mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
