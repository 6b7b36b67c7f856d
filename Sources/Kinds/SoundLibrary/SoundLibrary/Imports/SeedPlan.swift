import CatalogModel
import CatalogStore
import Projections

/// Finds the events that turn what the catalog says into what a seed document says.
///
/// Reads the projection's rows and finds only what changes, `seed.imported` first: no event if nothing does. The same
/// document and the same rows give the same events.
struct SeedPlan {
  private let seed: LoadedSeed
  private let rows: ProvedRows
  private let retiresMissing: Bool
  private let comparesKnown: Bool
  private let comparesOlder: Bool
  /// Whether the catalog has exactly this document, as far as its record says.
  private(set) var isKnown = false
  private(set) var events: [SoundEvent] = []

  private typealias Tables = SoundLibrarySchema

  /// The tables that a plan looks at.
  static let tables: [TableDescription] =
    [
      AppliedSeed.table.description, Tables.source, Tables.libraryItem, Tables.item, Tables.tagging,
      PlaylistReference.table.description, PackRow.table.description, PackSource.table.description,
      PackMember.table.description, Tables.alias, Tables.value, Tables.reverted.description,
    ] + TagDimension.all.map { Tables.values(of: $0) }

  private let source: String
  private var sourceID: Int64?
  private var vocabulary: VocabularyPlan
  private var conflicts = DocumentConflicts()
  /// Items that the document may not change; what else is said of them is no further conflict.
  private var refusedItems: Set<EntityID> = []
  /// Packs that the document may not change.
  private var refusedPacks: Set<EntityID> = []

  /// - Parameters:
  ///   - rows: the projection at the log's head.
  ///   - comparesKnown: whether a document is compared that the catalog has already: a revert may have taken some of it.
  ///   - comparesOlder: whether a document is compared that is older than the one of the catalog. What it says of things that
  ///     are another document's now is left out.
  init(
    _ seed: LoadedSeed, rows: ProvedRows, retiresMissing: Bool, comparesKnown: Bool = false,
    comparesOlder: Bool = false
  ) {
    self.comparesKnown = comparesKnown
    self.comparesOlder = comparesOlder
    self.seed = seed
    self.rows = rows
    self.retiresMissing = retiresMissing
    vocabulary = VocabularyPlan(rows)
    source = seed.source
  }

  /// - Parameter progress: called with items compared so far.
  /// - Throws: `DocumentError` with all conflicts with the catalog.
  mutating func run(progress: (Int) -> Void) throws {
    let document = seed.document
    sourceID = try rows.sourceID(named: source)
    let known = try rows.row(of: AppliedSeed.table, key: document.seedID)
    // Earlier releases took revisions that no later one can follow: any revision follows such a one.
    if let known, known.revision <= NumberRules.greatest {
      guard document.revision >= known.revision || comparesOlder else {
        throw DocumentError(
          code: .conflict, file: seed.name, path: "$.revision", value: String(document.revision),
          message:
            "is older than revision \(known.revision) of seed \"\(document.seedID)\", which was already imported",
          advice: "revisions must increase: \(NumberRules.adviceToGrow(beyond: known.revision))")
      }
      if document.revision == known.revision {
        // The same bytes: nothing to compare. Other bytes may still say the same.
        isKnown = known.sha256 == seed.hash
        if isKnown, !retiresMissing, !comparesKnown { return }
      } else {
        start()
      }
    } else {
      start()
    }

    for dimension in TagDimension.all { try planVocabulary(dimension) }
    var compared = 0
    func count() {
      compared += 1
      if compared % 1_000 == 0 { progress(compared) }
    }
    for music in document.music {
      try planItem(music.item, kind: .music)
      guard !isLeftOut(music.item) else { continue }
      try planPlaylist(music)
      try planTags(music.item)
      count()
    }
    let home = Dictionary(
      document.packs.flatMap { pack in pack.items.map { ($0.id, pack.id) } },
      uniquingKeysWith: { first, _ in first })
    let listed = Set(document.packs.map(\.id))
    for pack in document.packs {
      if comparesOlder { try refuseMembers(of: pack, listed: listed) }
      try planPack(pack)
      for item in pack.items where !isLeftOut(item, of: pack) {
        try planItem(item, kind: pack.kind.itemKind)
        guard !isLeftOut(item) else { continue }
        try planTags(item)
        count()
      }
    }
    // Members only when all items are there: an item may move from one pack of this seed to another.
    for pack in document.packs where !isLeftOut(pack) {
      try planMembers(pack, home: home, listed: listed)
    }
    if !comparesOlder { try conflicts.check() }
    if retiresMissing { try retire(keeping: home) }
  }

  /// Adds `seed.imported` before the first change.
  private mutating func start() {
    guard events.isEmpty else { return }
    let document = seed.document
    events.append(
      .seedImported(
        SeedImported(
          seed: document.seedID, revision: document.revision, sha256: seed.hash,
          counts: SeedImported.Counts(
            values: Int64(document.vocabularies.reduce(0) { $0 + $1.count }),
            music: Int64(document.music.count), packs: Int64(document.packs.count),
            packItems: Int64(document.packs.reduce(0) { $0 + $1.items.count })))))
  }

  private mutating func change(_ event: SoundEvent) {
    start()
    events.append(event)
  }

  /// Whether nothing of an item is compared. A document that may be taken names all its conflicts instead.
  private func isLeftOut(_ item: SeedDocument.Item, of pack: SeedDocument.Pack? = nil) -> Bool {
    comparesOlder && refusedItems.contains(item.id) || pack.map(isLeftOut) ?? false
  }

  private func isLeftOut(_ pack: SeedDocument.Pack) -> Bool {
    comparesOlder && refusedPacks.contains(pack.id)
  }

  // MARK: Vocabularies

  private mutating func planVocabulary(_ dimension: TagDimension) throws {
    let names = seed.document.vocabularies[dimension.ordinal]
    let listed = Set(names)
    var placed: Set<Int64> = []
    for (order, name) in names.enumerated() {
      let order = Int64(order)
      guard let value = try vocabulary.value(meaning: name, in: dimension) else {
        change(.dimensionValueAdded(try vocabulary.add(name, to: dimension, sortOrder: order)))
        continue
      }
      // One name places a value: its own, else the first of its former names that is listed. What was
      // merged or aliased places only a value without a place: two names must not move it to and fro.
      let counts =
        switch value.origin {
        case .name: true
        case .formerName: !listed.contains(value.name) && !placed.contains(value.id)
        case .alias:
          value.sortOrder == nil && !listed.contains(value.name) && !placed.contains(value.id)
        }
      if counts { placed.insert(value.id) }
      if counts, value.sortOrder != order {
        change(
          .dimensionValueOrdered(
            DimensionValueOrdered(
              dimension: dimension, id: value.id, name: value.name, sortOrder: order)))
      }
    }
  }

  /// The value that a name means, which is added where it is new.
  private mutating func value(
    _ name: String, of dimension: TagDimension
  ) throws -> VocabularyPlan.Value {
    if let value = try vocabulary.value(meaning: name, in: dimension) { return value }
    let added = try vocabulary.add(name, to: dimension, sortOrder: nil)
    change(.dimensionValueAdded(added))
    return VocabularyPlan.Value(id: added.id, name: name, sortOrder: nil, origin: .name)
  }

  // MARK: Items

  private mutating func planItem(_ item: SeedDocument.Item, kind: Kind) throws {
    let row = try rows.row(in: Tables.libraryItem, key: [.id(item.id)])
    if let row, let conflict = try conflict(of: item, kind: kind, with: row) {
      conflicts.note(conflict)
      refusedItems.insert(item.id)
      return
    }
    let wanted: [Value] = [
      .text(item.title), .text(item.subtitle), .real(item.duration), .text(item.artworkURL),
    ]
    if row.map({ Array($0[LibraryItemColumn.content]) }) != wanted {
      change(
        .itemUpserted(
          ItemUpserted(
            id: item.id, kind: kind, title: item.title, subtitle: item.subtitle,
            duration: item.duration, artworkURL: item.artworkURL)))
    }
    let isVisible = row.map { $0[LibraryItemColumn.isVisible] == .flag(true) } ?? true
    if isVisible != item.isVisible {
      change(
        .itemVisibilityChanged(ItemVisibilityChanged(id: item.id, isVisible: item.isVisible)))
    }
  }

  private func conflict(
    of item: SeedDocument.Item, kind: Kind, with row: [Value]
  ) throws -> DocumentError? {
    guard row[LibraryItemColumn.kind] == .text(kind.rawValue) else {
      return refusal(
        item.place, "id", item.id.description,
        "an item of another kind already has this id", "give the new item an id of its own")
    }
    let owner = try rows.value(
      ItemColumn.sourceID, by: NumberedItem.byItem, equal: [.id(item.id)])
    guard let sourceID, owner == .integer(sourceID) else {
      return refusal(
        item.place, "id", item.id.description, "this item came from another source",
        "only the seed that brought an item may change it")
    }
    return nil
  }

  private mutating func planTags(_ item: SeedDocument.Item) throws {
    var wanted: Set<ItemTag> = []
    var tags = item.tags
    for dimension in TagDimension.all {
      let values = try item.tags[dimension].map { try value($0, of: dimension) }
      for value in values { wanted.insert(ItemTag(dimension: dimension, value: value.id)) }
      // Events call values by their names, whatever the document calls them.
      if values.contains(where: { $0.origin != .name }) { tags[dimension] = values.map(\.name) }
    }
    if try wanted != rows.tags(of: item.id, from: sourceID) {
      change(.itemTagsSet(ItemTagsSet(item: item.id, source: source, tags: tags)))
    }
  }

  private mutating func planPlaylist(_ music: SeedDocument.Music) throws {
    let holders = try rows.rows(
      of: PlaylistReference.table, where: \.playlistID, is: music.playlistID)
    guard holders.allSatisfy({ $0.itemID == music.item.id }) else {
      conflicts.note(
        refusal(
          music.item.place, "appleMusicPlaylistId", music.playlistID,
          "another music entry already has this playlist",
          "give that one another playlist in an earlier revision"))
      return
    }
    let known = try rows.row(of: PlaylistReference.table, key: music.item.id)
    if known?.playlistID != music.playlistID || known?.usesSnapshots != music.useSnapshot {
      change(
        .playlistLinked(
          PlaylistLinked(
            item: music.item.id, playlistID: music.playlistID, useSnapshot: music.useSnapshot)))
    }
  }

  // MARK: Packs

  private mutating func planPack(_ pack: SeedDocument.Pack) throws {
    let known = try rows.row(of: PackRow.table, key: pack.id)
    if let known {
      guard known.kind == pack.kind else {
        conflicts.note(
          refusal(
            pack.place, "kind", pack.kind.rawValue, "this pack already has another kind",
            "give the new pack an id of its own"))
        refusedPacks.insert(pack.id)
        return
      }
      guard try isOwn(pack: pack.id) else {
        conflicts.note(
          refusal(
            pack.place, "id", pack.id.description, "this pack came from another source",
            "only the seed that brought a pack may change it"))
        refusedPacks.insert(pack.id)
        return
      }
    }
    var wanted = known
    wanted?.title = pack.title
    wanted?.description = pack.description
    wanted?.artworkURL = pack.artworkURL
    wanted?.version = max(pack.version, known?.version ?? pack.version)
    wanted?.manifestURL = pack.manifestURL
    if known == nil || wanted != known {
      change(
        .packUpserted(
          PackUpserted(
            id: pack.id, kind: pack.kind, title: pack.title, description: pack.description,
            artworkURL: pack.artworkURL, version: pack.version, manifestURL: pack.manifestURL)))
    }
  }

  private mutating func planMembers(
    _ pack: SeedDocument.Pack, home: [EntityID: EntityID], listed: Set<EntityID>
  ) throws {
    for item in pack.items where !refusedItems.contains(item.id) {
      for other in try packs(of: item.id) where other != pack.id && !listed.contains(other) {
        conflicts.note(
          refusal(
            item.place, "id", item.id.description, "this item is already in pack \(other)",
            "remove it from that pack in the same document"))
      }
    }
    let known = try rows.members(ofPack: pack.id)
    // Members that the document lacks stay, behind those that it lists, unless they have moved.
    var wanted =
      pack.items.filter { !isLeftOut($0) }.map(\.id) + known.filter { home[$0] == nil }
    if comparesOlder {
      // A member that is another document's now stays beside the one before it.
      for (place, member) in known.enumerated() where refusedItems.contains(member) {
        let before = known[..<place].last { wanted.contains($0) }
        wanted.insert(member, at: before.flatMap(wanted.firstIndex).map { $0 + 1 } ?? 0)
      }
    }
    if wanted != known {
      change(.packItemsSet(PackItemsSet(pack: pack.id, items: wanted)))
    }
  }

  /// Refuses items that are in a pack of another source, which the document does not list.
  private mutating func refuseMembers(of pack: SeedDocument.Pack, listed: Set<EntityID>) throws {
    for item in pack.items {
      for other in try packs(of: item.id) where other != pack.id && !listed.contains(other) {
        if try !isOwn(pack: other) { refusedItems.insert(item.id) }
      }
    }
  }

  private func packs(of item: EntityID) throws -> [EntityID] {
    try rows.rows(of: PackMember.table, by: PackMember.byItem, equal: item).map(\.packID)
  }

  /// Whether this seed brought the pack.
  private func isOwn(pack: EntityID) throws -> Bool {
    let owner = try rows.row(of: PackSource.table, key: pack)?.sourceID
    return owner != nil && owner == sourceID
  }

  /// Hides the pack items of this seed that the document lacks. Music is always shown.
  private mutating func retire(keeping home: [EntityID: EntityID]) throws {
    guard let sourceID else { return }
    for own in try rows.rows(of: NumberedItem.table, where: \.sourceID, is: sourceID)
    where home[own.itemID] == nil {
      guard let item = try rows.row(of: LibraryItem.table, key: own.itemID),
        item.kind != .music, item.isVisible
      else { continue }
      change(.itemVisibilityChanged(ItemVisibilityChanged(id: item.id, isVisible: false)))
    }
  }

  private func refusal(
    _ place: DocumentPlace, _ key: String, _ value: String, _ message: String, _ advice: String
  ) -> DocumentError {
    DocumentError(
      code: .conflict, file: seed.name, path: "\(place).\(key)", value: value, message: message,
      advice: advice)
  }
}
