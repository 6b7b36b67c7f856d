import CatalogModel
import Projections
import Support

/// Packs, their members and what their manifests say of all of them.
extension SoundLibraryProjector {
  func packUpserted(
    _ event: PackUpserted, _ record: EventRecord, _ store: some RowStore
  ) throws {
    var version = event.version
    var createdAt = record.at
    if let old = try store.row(in: Tables.pack, key: [.id(event.id)]) {
      guard old[1] == .text(event.kind.rawValue) else {
        throw ProjectionError(
          .contradiction, "pack \(event.id) cannot become \(event.kind.rawValue)")
      }
      // A manifest may have raised it before the seed did.
      if case .integer(let known) = old[5] { version = max(version, known) }
      if case .time(let time) = old[7] { createdAt = time }
    } else {
      try store.put(
        [
          .id(event.id), PackState.notDownloaded.value, .null, .null, .null, .null,
          .time(record.at),
        ], in: Tables.packState)
      try store.put(
        [.id(event.id), .integer(try sourceID(record.by, store))], in: Tables.packSource)
    }
    try store.put(
      [
        .id(event.id), .text(event.kind.rawValue), .text(event.title), .text(event.description),
        .text(event.artworkURL), .integer(version), .text(event.manifestURL), .time(createdAt),
      ], in: Tables.pack)
  }

  func packItemsSet(_ event: PackItemsSet, _ store: some RowStore) throws {
    let kind = try kind(ofPack: event.pack, store)
    var named: Set<EntityID> = []
    for id in event.items {
      try item(id, of: kind, store)
      guard named.insert(id).inserted else {
        throw ProjectionError(.contradiction, "item \(id) is named twice")
      }
    }
    let tags = try packTags(of: event.pack, store)
    var gone: Set<EntityID> = []
    for row in try store.rows(by: Tables.packItemsByPack, equal: [.id(event.pack)]) {
      if case .id(let item) = row[1] { gone.insert(item) }
    }
    for (order, id) in event.items.enumerated() {
      if gone.remove(id) == nil, !tags.isEmpty {
        try give(tags, by: Self.source(ofPack: event.pack), to: id, store)
      }
      try store.put(
        [.id(event.pack), .id(id), .integer(Int64(order))], in: Tables.packItem)
    }
    for item in gone {
      try store.remove(key: [.id(event.pack), .id(item)], from: Tables.packItem)
      if !tags.isEmpty { try give([], by: Self.source(ofPack: event.pack), to: item, store) }
    }
  }

  func manifestApplied(_ event: ManifestApplied, _ store: some RowStore) throws {
    let kind = try kind(ofPack: event.pack, store)
    guard var pack = try store.row(in: Tables.pack, key: [.id(event.pack)]) else { return }
    let named = try values(event.tags, of: kind, store)
    if case .integer(let version) = pack[5], version < event.version {
      pack[5] = .integer(event.version)
      try store.put(pack, in: Tables.pack)
    }
    try store.put(
      [
        .id(event.pack), .integer(event.version), .text(event.sha256), .integer(event.totalBytes),
        .integer(event.assets),
      ], in: Tables.manifest)

    let old = try packTags(of: event.pack, store)
    let new = named.tags
    try makeSystem(named.own, store)
    guard old != new else { return }
    for tag in old.subtracting(new) {
      try store.remove(key: packTagKey(event.pack, tag), from: Tables.packTag)
    }
    for tag in new.subtracting(old) {
      try store.put(packTagKey(event.pack, tag), in: Tables.packTag)
    }
    for row in try store.rows(by: Tables.packItemsByPack, equal: [.id(event.pack)]) {
      guard case .id(let item) = row[1] else { continue }
      try give(new, by: Self.source(ofPack: event.pack), to: item, store)
    }
  }

  /// The source of tags that a manifest gives to its whole pack.
  static func source(ofPack pack: EntityID) -> String { "pack:\(pack)" }

  func kind(ofPack pack: EntityID, _ store: some RowStore) throws -> Kind {
    guard case .text(let name)? = try store.row(in: Tables.pack, key: [.id(pack)])?[1],
      let kind = Kind(rawValue: name)
    else { throw ProjectionError(.contradiction, "there is no pack \(pack)") }
    return kind
  }

  private func packTags(of pack: EntityID, _ store: some RowStore) throws -> Set<ItemTag> {
    try tags(by: Tables.packTagsByPack, equal: [.id(pack)], store)
  }

  private func packTagKey(_ pack: EntityID, _ tag: ItemTag) -> [Value] {
    [.id(pack), .text(tag.dimension.table), .integer(tag.value)]
  }
}
