package import CatalogModel
import Projections

extension CanonicalWriter {
  mutating func payload(_ event: CatalogEvent) {
    switch event {
    case .catalogCreated(let data): payload(data)
    case .seedImported(let data): payload(data)
    case .dimensionValueAdded(let data): payload(data)
    case .dimensionValueOrdered(let data): payload(data)
    case .dimensionValueRenamed(let data): payload(data)
    case .dimensionValueMerged(let data): payload(data)
    case .dimensionValueAliased(let data): payload(data)
    case .itemUpserted(let data): payload(data)
    case .itemVisibilityChanged(let data): payload(data)
    case .itemTagsSet(let data): payload(data)
    case .itemTagSuppressed(let data), .itemTagUnsuppressed(let data): payload(data)
    case .playlistLinked(let data): payload(data)
    case .playlistMetadataRefreshed(let data): payload(data)
    case .playlistTracksSnapshotted(let data): payload(data)
    case .packUpserted(let data): payload(data)
    case .packItemsSet(let data): payload(data)
    case .manifestApplied(let data): payload(data)
    case .packDownloadStarted(let data): payload(data)
    case .packDownloadProgressed(let data): payload(data)
    case .packDownloadCompleted(let data): payload(data)
    case .packDownloadFailed(let data): payload(data)
    case .packDownloadInterrupted(let data): payload(data)
    case .packDownloadCancelled(let data), .packDeleted(let data): payload(data)
    case .reversal(let reversal): payload { reversal.write(to: &$0) }
    }
  }

  private mutating func payload(_ data: CatalogCreated) {
    raw("{\"kind\":")
    string(data.kind)
    raw(",\"layout\":")
    integer(data.layout)
    raw(",\"logId\":")
    id(data.logID)
    raw("}")
  }

  private mutating func payload(_ data: SeedImported) {
    raw("{\"seed\":")
    string(data.seed)
    raw(",\"revision\":")
    integer(data.revision)
    raw(",\"sha256\":")
    string(data.sha256)
    raw(",\"counts\":{\"values\":")
    integer(data.counts.values)
    raw(",\"music\":")
    integer(data.counts.music)
    raw(",\"packs\":")
    integer(data.counts.packs)
    raw(",\"packItems\":")
    integer(data.counts.packItems)
    raw("}}")
  }

  /// The members that events of a value begin with.
  private mutating func value(_ dimension: TagDimension, _ id: Int64, _ name: String) {
    raw("{\"dimension\":")
    string(dimension.key)
    raw(",\"id\":")
    integer(id)
    raw(",\"name\":")
    string(name)
  }

  private mutating func payload(_ data: DimensionValueAdded) {
    value(data.dimension, data.id, data.name)
    raw(",\"sortOrder\":")
    integer(data.sortOrder)
    raw(",\"isSystem\":")
    bool(data.isSystem)
    raw("}")
  }

  private mutating func payload(_ data: DimensionValueOrdered) {
    value(data.dimension, data.id, data.name)
    raw(",\"sortOrder\":")
    integer(data.sortOrder)
    raw("}")
  }

  private mutating func payload(_ data: DimensionValueRenamed) {
    value(data.dimension, data.id, data.name)
    raw(",\"newName\":")
    string(data.newName)
    raw("}")
  }

  private mutating func payload(_ data: DimensionValueMerged) {
    value(data.dimension, data.id, data.name)
    raw(",\"into\":")
    integer(data.into)
    raw(",\"intoName\":")
    string(data.intoName)
    raw("}")
  }

  private mutating func payload(_ data: DimensionValueAliased) {
    value(data.dimension, data.id, data.name)
    raw(",\"alias\":")
    string(data.alias)
    raw("}")
  }

  private mutating func payload(_ data: ItemUpserted) {
    raw("{\"id\":")
    id(data.id)
    raw(",\"kind\":")
    string(data.kind.rawValue)
    raw(",\"title\":")
    string(data.title)
    raw(",\"subtitle\":")
    string(data.subtitle)
    raw(",\"duration\":")
    double(data.duration)
    raw(",\"artworkUrl\":")
    string(data.artworkURL)
    raw("}")
  }

  private mutating func payload(_ data: ItemVisibilityChanged) {
    raw("{\"id\":")
    id(data.id)
    raw(",\"isVisible\":")
    bool(data.isVisible)
    raw("}")
  }

  private mutating func payload(_ data: ItemTagsSet) {
    raw("{\"item\":")
    id(data.item)
    raw(",\"source\":")
    string(data.source)
    raw(",\"tags\":")
    tags(data.tags)
    raw("}")
  }

  private mutating func payload(_ data: ItemTagSuppression) {
    raw("{\"item\":")
    id(data.item)
    raw(",\"dimension\":")
    string(data.dimension.key)
    raw(",\"name\":")
    string(data.name)
    raw("}")
  }

  private mutating func payload(_ data: PackUpserted) {
    raw("{\"id\":")
    id(data.id)
    raw(",\"kind\":")
    string(data.kind.rawValue)
    raw(",\"title\":")
    string(data.title)
    raw(",\"description\":")
    string(data.description)
    raw(",\"artworkUrl\":")
    string(data.artworkURL)
    raw(",\"version\":")
    integer(data.version)
    raw(",\"manifestUrl\":")
    string(data.manifestURL)
    raw("}")
  }

  private mutating func payload(_ data: PackItemsSet) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"items\":[")
    for (index, item) in data.items.enumerated() {
      if index > 0 { raw(",") }
      id(item)
    }
    raw("]}")
  }
}

extension PayloadWriter {
  package mutating func event(_ event: CatalogEvent) {
    whole { $0.payload(event) }
  }
}
