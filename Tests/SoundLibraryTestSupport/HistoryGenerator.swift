import CatalogModel
package import CatalogTestSupport
package import SoundLibrary

/// Makes random histories of a sound library: every event follows from those before it.
///
/// The same seed makes the same history. Failures print the seed, so that they can be seen again.
package struct HistoryGenerator {
  package private(set) var random: SplitMix
  private var sequence: UInt64 = 0
  private var time: Int64 = 1_767_225_600_000
  private var values: [[(id: Int64, name: String)]] = TagDimension.all.map { _ in [] }
  /// What was said of items, so that suppressions meet tags more often than by chance.
  private var said: [ItemTagSuppression] = []
  private var aliases: [[(name: String, id: Int64)]] = TagDimension.all.map { _ in [] }
  private var valueCount: Int64 = 0
  private var items: [(id: EntityID, kind: Kind)] = []
  private var playlists = GeneratedPlaylists()
  private var packs: [(id: EntityID, kind: PackKind)] = []
  private var home: [EntityID: EntityID] = [:]
  private var downloading: Set<EntityID> = []
  private var assets: [EntityID: [EntityID: EntityID]] = [:]

  package init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  /// Batches of events, `catalog.created` first.
  package mutating func batches(_ count: Int) -> [[SoundEventRecord]] {
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
      let count = 1 + random.below(12)
      batches.append((0..<count).map { _ in record(event(by: by), by: by, operation) })
    }
    return batches
  }

  private mutating func record(
    _ event: SoundEvent, by: String, _ operation: EntityID
  ) -> SoundEventRecord {
    sequence += 1
    return SoundEventRecord(
      sequence: sequence, at: Timestamp(milliseconds: time), operation: operation, by: by,
      event: event)
  }

  private mutating func event(by: String) -> SoundEvent {
    for _ in 0..<20 {
      if let event = attempt(by: by) { return event }
    }
    return newItem()
  }

  private mutating func attempt(by: String) -> SoundEvent? {
    switch random.below(22) {
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
    case 11: return renamedValue()
    case 12: return random.below(2) == 0 ? mergedValue() : aliasedValue()
    case 13, 14: return suppression()
    case 15: return manifest()
    case 16, 17: return download()
    case 18: return playlists.refreshed(&random)
    case 19, 20: return playlists.snapshotted(&random, sequence: sequence + 1)
    default: return members()
    }
  }

  private mutating func newValue() -> SoundEvent {
    let dimension = random.pick(TagDimension.all)
    valueCount += 1
    let id = valueCount
    let name = "\(text()) \(id)"
    values[dimension.ordinal].append((id, name))
    return .dimensionValueAdded(
      DimensionValueAdded(
        dimension: dimension, id: id, name: name,
        sortOrder: random.below(3) == 0 ? nil : Int64(random.below(40)),
        isSystem: random.below(4) > 0))
  }

  private mutating func movedValue() -> SoundEvent? {
    let dimension = random.pick(TagDimension.all)
    guard let value = values[dimension.ordinal].randomElement(using: &random) else { return nil }
    return .dimensionValueOrdered(
      DimensionValueOrdered(
        dimension: dimension, id: value.id, name: value.name,
        sortOrder: random.below(5) == 0 ? nil : Int64(random.below(40))))
  }

  private mutating func renamedValue() -> SoundEvent? {
    let dimension = random.pick(TagDimension.all)
    let ordinal = dimension.ordinal
    guard !values[ordinal].isEmpty else { return nil }
    let index = random.below(values[ordinal].count)
    let (id, name) = values[ordinal][index]
    // Sometimes back to a name that it had before.
    let former = aliases[ordinal].filter { $0.id == id }.map(\.name)
    valueCount += 1
    let newName =
      former.isEmpty || random.below(2) == 0 ? "\(text()) \(valueCount)" : random.pick(former)
    values[ordinal][index].name = newName
    aliases[ordinal].removeAll { $0.name == newName }
    aliases[ordinal].append((name, id))
    return .dimensionValueRenamed(
      DimensionValueRenamed(dimension: dimension, id: id, name: name, newName: newName))
  }

  private mutating func mergedValue() -> SoundEvent? {
    let dimension = random.pick(TagDimension.all)
    let ordinal = dimension.ordinal
    guard values[ordinal].count > 4 else { return nil }
    let lost = values[ordinal].remove(at: random.below(values[ordinal].count))
    let into = random.pick(values[ordinal])
    for index in aliases[ordinal].indices where aliases[ordinal][index].id == lost.id {
      aliases[ordinal][index].id = into.id
    }
    aliases[ordinal].append((lost.name, into.id))
    return .dimensionValueMerged(
      DimensionValueMerged(
        dimension: dimension, id: lost.id, name: lost.name, into: into.id, intoName: into.name))
  }

  private mutating func aliasedValue() -> SoundEvent? {
    let dimension = random.pick(TagDimension.all)
    let ordinal = dimension.ordinal
    guard let value = values[ordinal].randomElement(using: &random) else { return nil }
    valueCount += 1
    // Sometimes one that leads elsewhere until now.
    let alias =
      aliases[ordinal].isEmpty || random.below(2) == 0
      ? "\(text()) \(valueCount)" : random.pick(aliases[ordinal]).name
    aliases[ordinal].removeAll { $0.name == alias }
    aliases[ordinal].append((alias, value.id))
    return .dimensionValueAliased(
      DimensionValueAliased(dimension: dimension, id: value.id, name: value.name, alias: alias))
  }

  private mutating func suppression() -> SoundEvent? {
    guard let item = items.randomElement(using: &random) else { return nil }
    let dimension = random.pick(TagDimension.all(of: item.kind))
    guard let name = names(of: dimension).randomElement(using: &random) else { return nil }
    var event = ItemTagSuppression(item: item.id, dimension: dimension, name: name)
    // A name that was taken over by another value since means that one, or is no name any more.
    if random.below(3) > 0, let told = said.randomElement(using: &random),
      names(of: told.dimension).contains(told.name)
    {
      event = told
    }
    return random.below(3) == 0 ? .itemTagUnsuppressed(event) : .itemTagSuppressed(event)
  }

  /// The names of values and their aliases.
  private func names(of dimension: TagDimension) -> [String] {
    values[dimension.ordinal].map(\.name) + aliases[dimension.ordinal].map(\.name)
  }

  private mutating func newItem() -> SoundEvent {
    let item = (id: id(), kind: random.pick(Kind.allCases))
    items.append(item)
    return upserted(item)
  }

  private mutating func changedItem() -> SoundEvent? {
    items.randomElement(using: &random).map { upserted($0) }
  }

  private mutating func upserted(_ item: (id: EntityID, kind: Kind)) -> SoundEvent {
    .itemUpserted(
      ItemUpserted(
        id: item.id, kind: item.kind, title: text(),
        subtitle: random.below(2) == 0 ? nil : text(),
        duration: random.below(2) == 0 ? nil : Double(random.below(100_000)) / 7,
        artworkURL: random.below(3) == 0 ? "https://example.com/\(random.below(99))" : nil))
  }

  private mutating func taggedItem(by: String) -> SoundEvent? {
    guard let item = items.randomElement(using: &random) else { return nil }
    var tags = TagSet()
    for dimension in TagDimension.all(of: item.kind) where random.below(3) > 0 {
      tags[dimension] = Array(
        names(of: dimension).shuffled(using: &random).prefix(random.below(5)))
    }
    tags.forEachValue { dimension, name in
      said.append(ItemTagSuppression(item: item.id, dimension: dimension, name: name))
    }
    let source = random.below(4) == 0 ? "person" : by
    return .itemTagsSet(ItemTagsSet(item: item.id, source: source, tags: tags))
  }

  private mutating func playlist() -> SoundEvent? {
    items.filter { $0.kind == .music }.randomElement(using: &random)
      .map { playlists.linked(to: $0.id, &random) }
  }

  private mutating func pack() -> SoundEvent {
    let isNew = packs.isEmpty || random.below(3) == 0
    let pack = isNew ? (id: id(), kind: random.pick(PackKind.allCases)) : random.pick(packs)
    if isNew { packs.append(pack) }
    return .packUpserted(
      PackUpserted(
        id: pack.id, kind: pack.kind, title: text(),
        description: random.below(2) == 0 ? nil : text(), artworkURL: nil,
        version: Int64(1 + random.below(9)), manifestURL: "https://example.com/manifest.json"))
  }

  private mutating func manifest() -> SoundEvent? {
    guard let pack = packs.randomElement(using: &random) else { return nil }
    var tags = TagSet()
    for dimension in TagDimension.all(of: pack.kind.itemKind) where random.below(3) == 0 {
      tags[dimension] = Array(names(of: dimension).shuffled(using: &random).prefix(2))
    }
    return .manifestApplied(
      ManifestApplied(
        pack: pack.id, version: Int64(1 + random.below(12)),
        sha256: String(repeating: "ab", count: 32), totalBytes: 7, assets: 1, tags: tags,
        listed: [ManifestApplied.Asset(asset: pack.id, item: pack.id, content: "ab")],
        changes: ManifestApplied.Changes(came: [pack.id], went: [], changed: [])))
  }

  private mutating func download() -> SoundEvent? {
    guard let pack = packs.randomElement(using: &random)?.id else { return nil }
    let bytes = Int64(random.below(1_000))
    guard downloading.contains(pack) else {
      if random.below(5) == 0 { return .packDeleted(PackReference(pack: pack)) }
      downloading.insert(pack)
      return .packDownloadStarted(
        PackDownloadStarted(
          pack: pack, version: Int64(1 + random.below(9)), bytesTotal: 1_000,
          bytesDownloaded: bytes))
    }
    switch random.below(8) {
    case 0, 1:
      return .packDownloadProgressed(PackDownloadProgressed(pack: pack, bytesDownloaded: bytes))
    case 2:
      downloading.remove(pack)
      return .packDownloadFailed(
        PackDownloadFailed(pack: pack, error: text(), isResumable: random.below(2) == 0))
    case 3:
      downloading.remove(pack)
      return .packDownloadInterrupted(PackDownloadInterrupted(pack: pack, error: text()))
    case 4:
      downloading.remove(pack)
      return .packDownloadCancelled(PackReference(pack: pack))
    case 5:
      downloading.remove(pack)
      return .packDeleted(PackReference(pack: pack))
    default: return completed(pack)
    }
  }

  private mutating func completed(_ pack: EntityID) -> SoundEvent {
    downloading.remove(pack)
    let items = home.filter { $0.value == pack }.map(\.key).sorted().filter { _ in
      random.below(4) > 0
    }
    return .packDownloadCompleted(
      PackDownloadCompleted(
        pack: pack, version: Int64(1 + random.below(9)), bytesTotal: 1_000,
        assets: items.map { item in
          // An item keeps its asset from version to version, or has a new one.
          let asset = random.below(3) > 0 ? assets[pack]?[item] ?? id() : id()
          assets[pack, default: [:]][item] = asset
          return PackDownloadCompleted.Asset(
            asset: asset, item: item, url: "https://example.com/\(random.below(9))",
            path: "AudioAssets/\(pack)/\(asset).wav", etag: random.below(2) == 0 ? nil : "\"e\"",
            sha256: String(repeating: "cd", count: 32), bytes: Int64(random.below(99)),
            codec: "wav", sampleRate: random.below(2) == 0 ? nil : 48_000,
            channels: random.below(2) == 0 ? nil : 2, isLoopable: random.below(2) == 0)
        }))
  }

  private mutating func members() -> SoundEvent? {
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

  private mutating func text() -> String { random.text() }
}
