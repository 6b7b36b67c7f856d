import CatalogModel
import Projections
import Support

/// Packs, their members and what their manifests say of all of them.
extension SoundLibraryProjector {
  func packUpserted(
    _ event: PackUpserted, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    var pack = PackRow(
      id: event.id, kind: event.kind, title: event.title, description: event.description,
      artworkURL: event.artworkURL, version: event.version, manifestURL: event.manifestURL,
      createdAt: record.at)
    if let old = try store.row(of: PackRow.table, key: event.id) {
      guard old.kind == event.kind else {
        throw ProjectionError(
          .contradiction, "pack \(event.id) cannot become \(event.kind.rawValue)")
      }
      // A manifest may have raised it before the seed did.
      pack.version = max(event.version, old.version)
      pack.createdAt = old.createdAt
    } else {
      try store.put(
        PackStateRow(packID: event.id, updatedAt: record.at), in: PackStateRow.table)
      try store.put(
        PackSource(packID: event.id, sourceID: try sourceID(record.by, store)),
        in: PackSource.table)
    }
    try store.put(pack, in: PackRow.table)
  }

  func packItemsSet(_ event: PackItemsSet, _ store: some RowStore) throws {
    let kind = try pack(event.pack, store).kind.itemKind
    var named: Set<EntityID> = []
    for id in event.items {
      try item(id, of: kind, store)
      guard named.insert(id).inserted else {
        throw ProjectionError(.contradiction, "item \(id) is named twice")
      }
    }
    let tags = try packTags(of: event.pack, store)
    var gone = Set(try members(of: event.pack, store).map(\.itemID))
    for (order, id) in event.items.enumerated() {
      if gone.remove(id) == nil, !tags.isEmpty {
        try give(tags, by: Self.source(ofPack: event.pack), to: id, store)
      }
      // An import puts as many as there are items: no property is read for a cell.
      try store.put(
        [.id(event.pack), .id(id), .integer(Int64(order))], in: PackMember.table.description)
    }
    for item in gone {
      try store.remove(of: PackMember.table, key: event.pack, item)
      if !tags.isEmpty { try give([], by: Self.source(ofPack: event.pack), to: item, store) }
    }
  }

  func manifestApplied(_ event: ManifestApplied, _ store: some RowStore) throws {
    var pack = try pack(event.pack, store)
    let named = try values(event.tags, of: pack.kind.itemKind, store)
    if pack.version < event.version {
      pack.version = event.version
      try store.put(pack, in: PackRow.table)
    }
    try store.put(
      AppliedManifest(
        packID: event.pack, version: event.version, sha256: event.sha256,
        totalBytes: event.totalBytes, assets: event.assets),
      in: AppliedManifest.table)

    let old = try packTags(of: event.pack, store)
    let new = named.tags
    try makeSystem(named.own, store)
    guard old != new else { return }
    for tag in old.subtracting(new) {
      try store.remove(of: PackTag.table, key: event.pack, tag.dimension, tag.value)
    }
    for tag in new.subtracting(old) {
      try store.put(PackTag(packID: event.pack, tag: tag), in: PackTag.table)
    }
    for member in try members(of: event.pack, store) {
      try give(new, by: Self.source(ofPack: event.pack), to: member.itemID, store)
    }
  }

  /// The source of tags that a manifest gives to its whole pack.
  static func source(ofPack pack: EntityID) -> String { "pack:\(pack)" }

  private func pack(_ id: EntityID, _ store: some RowStore) throws -> PackRow {
    guard let pack = try store.row(of: PackRow.table, key: id) else {
      throw ProjectionError(.contradiction, "there is no pack \(id)")
    }
    return pack
  }

  private func members(of pack: EntityID, _ store: some RowStore) throws -> [PackMember] {
    try store.rows(of: PackMember.table, where: \.packID, is: pack)
  }

  private func packTags(of pack: EntityID, _ store: some RowStore) throws -> Set<ItemTag> {
    Set(try store.rows(of: PackTag.table, by: PackTag.byPack, equal: pack).map(\.tag))
  }
}
