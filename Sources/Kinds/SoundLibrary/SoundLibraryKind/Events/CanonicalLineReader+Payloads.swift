import CatalogModel

extension CanonicalLineReader {
  /// The members of `data`, from behind its `{` to before its `}`.
  mutating func payload(_ type: EventType, shared: inout Shared) -> CatalogEvent? {
    switch type {
    case .itemUpserted: itemUpserted()
    case .itemTagsSet: itemTagsSet(&shared)
    case .catalogCreated: catalogCreated()
    case .seedImported: seedImported()
    case .dimensionValueAdded: dimensionValueAdded()
    case .dimensionValueOrdered: dimensionValueOrdered()
    case .itemVisibilityChanged: itemVisibilityChanged()
    case .playlistLinked: playlistLinked()
    case .packUpserted: packUpserted()
    case .packItemsSet: packItemsSet()
    // What people, refreshes and downloads do is rare: the slow path reads it.
    case .dimensionValueRenamed, .dimensionValueMerged, .dimensionValueAliased,
      .itemTagSuppressed, .itemTagUnsuppressed, .playlistMetadataRefreshed,
      .playlistTracksSnapshotted, .manifestApplied, .packDownloadStarted,
      .packDownloadProgressed, .packDownloadCompleted, .packDownloadFailed,
      .packDownloadInterrupted, .packDownloadCancelled, .packDeleted, .operationReverted,
      .rowsRestored:
      nil
    }
  }

  private mutating func catalogCreated() -> CatalogEvent? {
    guard skip("\"kind\":"), let kind = string(), skip(",\"layout\":"), let layout = int64(),
      skip(",\"logId\":"), let logID = id()
    else { return nil }
    return .catalogCreated(CatalogCreated(kind: kind, layout: layout, logID: logID))
  }

  private mutating func seedImported() -> CatalogEvent? {
    guard skip("\"seed\":"), let seed = string(), skip(",\"revision\":"), let revision = int64(),
      skip(",\"sha256\":"), let sha256 = string(), skip(",\"counts\":{\"values\":"),
      let values = int64(), skip(",\"music\":"), let music = int64(), skip(",\"packs\":"),
      let packs = int64(), skip(",\"packItems\":"), let packItems = int64(), skip("}")
    else { return nil }
    return .seedImported(
      SeedImported(
        seed: seed, revision: revision, sha256: sha256,
        counts: .init(values: values, music: music, packs: packs, packItems: packItems)))
  }

  private mutating func dimensionValueAdded() -> CatalogEvent? {
    guard let dimension = dimension(), skip(",\"id\":"), let id = int64(), skip(",\"name\":"),
      let name = string(), skip(",\"sortOrder\":"), let sortOrder = nullable({ $0.int64() }),
      skip(",\"isSystem\":"), let isSystem = bool()
    else { return nil }
    return .dimensionValueAdded(
      DimensionValueAdded(
        dimension: dimension, id: id, name: name, sortOrder: sortOrder, isSystem: isSystem))
  }

  private mutating func dimensionValueOrdered() -> CatalogEvent? {
    guard let dimension = dimension(), skip(",\"id\":"), let id = int64(), skip(",\"name\":"),
      let name = string(), skip(",\"sortOrder\":"), let sortOrder = nullable({ $0.int64() })
    else { return nil }
    return .dimensionValueOrdered(
      DimensionValueOrdered(dimension: dimension, id: id, name: name, sortOrder: sortOrder))
  }

  private mutating func itemUpserted() -> CatalogEvent? {
    guard skip("\"id\":"), let id = id(), skip(",\"kind\":"), let kind = itemKind(),
      skip(",\"title\":"), let title = string(), skip(",\"subtitle\":"),
      let subtitle = nullable({ $0.string() }), skip(",\"duration\":"),
      let duration = nullable({ $0.double() }), skip(",\"artworkUrl\":"),
      let artworkURL = nullable({ $0.string() })
    else { return nil }
    return .itemUpserted(
      ItemUpserted(
        id: id, kind: kind, title: title, subtitle: subtitle, duration: duration,
        artworkURL: artworkURL))
  }

  private mutating func itemVisibilityChanged() -> CatalogEvent? {
    guard skip("\"id\":"), let id = id(), skip(",\"isVisible\":"), let isVisible = bool() else {
      return nil
    }
    return .itemVisibilityChanged(ItemVisibilityChanged(id: id, isVisible: isVisible))
  }

  private mutating func itemTagsSet(_ shared: inout Shared) -> CatalogEvent? {
    guard skip("\"item\":"), let item = id(), skip(",\"source\":"),
      let source = string(cachedIn: &shared.source), skip(",\"tags\":{"), let tags = tags(&shared)
    else { return nil }
    return .itemTagsSet(ItemTagsSet(item: item, source: source, tags: tags))
  }

  private mutating func playlistLinked() -> CatalogEvent? {
    guard skip("\"item\":"), let item = id(), skip(",\"playlistId\":"), let playlist = string(),
      skip(",\"useSnapshot\":"), let useSnapshot = bool()
    else { return nil }
    return .playlistLinked(
      PlaylistLinked(item: item, playlistID: playlist, useSnapshot: useSnapshot))
  }

  private mutating func packUpserted() -> CatalogEvent? {
    guard skip("\"id\":"), let id = id(), skip(",\"kind\":"),
      let kind = string().flatMap({ PackKind(rawValue: $0) }), skip(",\"title\":"),
      let title = string(), skip(",\"description\":"),
      let description = nullable({ $0.string() }), skip(",\"artworkUrl\":"),
      let artworkURL = nullable({ $0.string() }), skip(",\"version\":"), let version = int64(),
      skip(",\"manifestUrl\":"), let manifestURL = string()
    else { return nil }
    return .packUpserted(
      PackUpserted(
        id: id, kind: kind, title: title, description: description, artworkURL: artworkURL,
        version: version, manifestURL: manifestURL))
  }

  private mutating func packItemsSet() -> CatalogEvent? {
    guard skip("\"pack\":"), let pack = id(), skip(",\"items\":[") else { return nil }
    var items: [EntityID] = []
    if !skip("]") {
      repeat {
        guard let item = id() else { return nil }
        items.append(item)
      } while skip(",")
      guard skip("]") else { return nil }
    }
    return .packItemsSet(PackItemsSet(pack: pack, items: items))
  }

  // MARK: Parts

  /// `.some(nil)` for `null`, nil for what is neither `null` nor a value.
  @inline(__always)
  private mutating func nullable<Value>(
    _ read: (inout CanonicalLineReader) -> Value?
  ) -> Value?? {
    if skip("null") { return .some(nil) }
    return read(&self).map { .some($0) }
  }

  private mutating func dimension() -> TagDimension? {
    guard skip("\"dimension\":"), let key = string() else { return nil }
    return TagDimension.named(key)
  }

  private mutating func itemKind() -> Kind? {
    if skip("\"music\"") { return .music }
    if skip("\"atmosphere\"") { return .atmosphere }
    return skip("\"sfx\"") ? .sfx : nil
  }

  /// From behind `{` to behind `}`: dimensions in their order, names in theirs, no empty list.
  private mutating func tags(_ shared: inout Shared) -> TagSet? {
    var tags = TagSet()
    let keys = TagDimension.keyBytes
    if skip("}") { return tags }
    var ordinal = 0
    repeat {
      guard skip("\""), let found = dimensionKey(keys, from: ordinal), skip("\":[") else {
        return nil
      }
      ordinal = found
      repeat {
        guard let name = name(&shared.names),
          tags.appendInOrder(name, of: TagDimension.all[ordinal])
        else {
          return nil
        }
      } while skip(",")
      guard skip("]") else { return nil }
      ordinal += 1
    } while skip(",")
    return skip("}") ? tags : nil
  }

  /// The first dimension from `ordinal` on whose key, up to its quote, stands here.
  @inline(__always)
  private mutating func dimensionKey(_ keys: [[UInt8]], from ordinal: Int) -> Int? {
    var ordinal = ordinal
    while ordinal < keys.count {
      let isHere = keys[ordinal].withUnsafeBufferPointer { skip($0) }
      if isHere { return ordinal }
      ordinal += 1
    }
    return nil
  }
}
