import CatalogEngine
import CatalogModel
import Projections

/// The rows of a library, as far as seeds can have them.
///
/// Each seed has its own entries, so that a later revision of it finds them. The tags are those that an item has, from any source.
struct SeedExport {
  struct Seed {
    let id: String
    let revision: Int64
    fileprivate(set) var music: [(item: LibraryItem, playlist: PlaylistReference)] = []
    fileprivate(set) var packs: [(pack: PackRow, items: [LibraryItem])] = []

    var itemCount: Int { packs.reduce(0) { $0 + $1.items.count } }
  }

  /// In the order of their ids. The first one names all values.
  private(set) var seeds: [Seed] = []
  private(set) var omitted: [OmittedRows] = []
  /// The names of the values of each dimension, in the order in which they are shown.
  private let vocabularies: [[String]]
  private let tags: [EntityID: TagSet]

  var valueCount: Int { vocabularies.reduce(0) { $0 + $1.count } }

  init(_ rows: ProvedRows) throws {
    let values = try TagDimension.all.map { dimension in
      try rows.rows(of: DimensionValue.table(of: dimension)).sorted {
        ($0.sortOrder ?? .max, $0.id) < ($1.sortOrder ?? .max, $1.id)
      }
    }
    vocabularies = values.map { $0.map(\.name) }
    tags = try Self.tags(values, rows)
    let items = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: LibraryItem.table).map { ($0.id, $0) })
    let names = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: NamedSource.table).map { ($0.id, $0.name) })
    var bySeed: [String: Seed] = [:]
    for seed in try rows.rows(of: AppliedSeed.table) {
      bySeed[seed.seedID] = Seed(id: seed.seedID, revision: seed.revision)
    }

    /// Changes the seed that brought a row. What another source brought is of a seed of this name.
    func change(seedOf source: Int64?, _ body: (inout Seed) -> Void) {
      let name = source.flatMap { names[$0] } ?? ""
      let id = name.hasPrefix("seed:") ? String(name.dropFirst("seed:".count)) : Self.otherSeed
      body(&bySeed[id, default: Seed(id: id, revision: 1)])
    }
    let playlists = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: PlaylistReference.table).map { ($0.itemID, $0) })
    var exported: Set<EntityID> = []
    for numbered in try rows.rows(of: NumberedItem.table) {
      guard let item = items[numbered.itemID], let playlist = playlists[item.id] else { continue }
      exported.insert(item.id)
      change(seedOf: numbered.sourceID) { $0.music.append((item, playlist)) }
    }
    for pack in try rows.rows(of: PackRow.table) {
      let members = try rows.members(ofPack: pack.id).compactMap { items[$0] }
      exported.formUnion(members.map(\.id))
      change(seedOf: try rows.row(of: PackSource.table, key: pack.id)?.sourceID) {
        $0.packs.append((pack, members))
      }
    }
    if bySeed.isEmpty { change(seedOf: nil) { _ in } }
    seeds = bySeed.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    omitted = try Self.omitted(
      rows, others: items.keys.count { !exported.contains($0) })
  }

  /// The seed of what no seed brought.
  private static let otherSeed = "export"

  /// The tags that items have.
  private static func tags(
    _ values: [[DimensionValue]], _ rows: ProvedRows
  ) throws -> [EntityID: TagSet] {
    var tags: [EntityID: TagSet] = [:]
    for dimension in TagDimension.all {
      let names = Dictionary(
        uniqueKeysWithValues: values[dimension.ordinal].map { ($0.id, $0.name) })
      var namesOfItems: [EntityID: [String]] = [:]
      for shown in try rows.rows(of: ShownTag.table(of: dimension)) {
        guard let name = names[shown.value] else { continue }
        namesOfItems[shown.itemID, default: []].append(name)
      }
      for (item, names) in namesOfItems { tags[item, default: TagSet()][dimension] = names }
    }
    return tags
  }

  /// Counts what seeds do not say.
  ///
  /// - Parameter others: how many items are neither music with a playlist nor in a pack.
  private static func omitted(_ rows: ProvedRows, others: Int) throws -> [OmittedRows] {
    let states = try rows.rows(of: PackStateRow.table)
    let hidden = try rows.rows(of: LibraryItem.table).count { $0.kind == .music && !$0.isVisible }
    return [
      OmittedRows("library_item", others, "which are in no pack"),
      OmittedRows("library_item", hidden, "music that is hidden, which seeds show"),
      OmittedRows(
        "music_track_cache", try rows.rows(of: CachedTrack.table).count,
        "which a refresh of the playlists reads again"),
      OmittedRows(
        "pack_state", states.count { $0.state != .notDownloaded }, "the downloads of this machine"),
      OmittedRows(
        "local_asset", try rows.rows(of: LocalAsset.table).count, "the files of this machine"),
      OmittedRows(
        "projection_suppression", try rows.rows(of: Suppression.table).count,
        "tags that a person took from items: the items are without them, but a later revision can bring them back"
      ),
      OmittedRows(
        "projection_alias", try rows.rows(of: ValueAlias.table).count, "other names of tag values"),
      OmittedRows(
        "projection_manifest", try rows.rows(of: AppliedManifest.table).count,
        "which a download applies again"),
    ]
  }
}

extension SeedExport {
  func json(of seed: Seed) -> JSONValue {
    .object { document in
      document.add("format", 1 as Int64)
      document.add("seedId", seed.id)
      document.add("revision", seed.revision)
      if seed.id == seeds.first?.id {
        document.add("dimensions") { dimensions in
          for dimension in TagDimension.all where !vocabularies[dimension.ordinal].isEmpty {
            dimensions.add(dimension.key, vocabularies[dimension.ordinal])
          }
        }
      }
      if !seed.music.isEmpty {
        document.add("music", seed.music) { item, playlist in
          .object {
            add(item, to: &$0)
            $0.add("appleMusicPlaylistId", playlist.playlistID)
            $0.add("useSnapshot", playlist.usesSnapshots)
          }
        }
      }
      if !seed.packs.isEmpty { document.add("packs", seed.packs) { json(of: $0, $1) } }
    }
  }

  private func json(of pack: PackRow, _ items: [LibraryItem]) -> JSONValue {
    .object {
      $0.add("id", pack.id.description)
      $0.add("kind", pack.kind.rawValue)
      $0.add("title", pack.title)
      $0.add("description", pack.description)
      $0.add("artworkUrl", pack.artworkURL)
      $0.add("version", pack.version)
      $0.add("manifestUrl", pack.manifestURL)
      $0.add("items", items) { item in .object { add(item, to: &$0) } }
    }
  }

  private func add(_ item: LibraryItem, to object: inout DocumentObject) {
    object.add("id", item.id.description)
    object.add("title", item.title)
    object.add("subtitle", item.subtitle)
    object.add("duration", item.duration)
    object.add("artworkUrl", item.artworkURL)
    // Music is always visible.
    if !item.isVisible, item.kind != .music { object.add("isVisible", false) }
    guard let tags = tags[item.id] else { return }
    object.add("tags") { lists in
      for dimension in TagDimension.all where !tags[dimension].isEmpty {
        lists.add(dimension.tagKey, tags[dimension])
      }
    }
  }
}
