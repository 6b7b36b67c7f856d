package import CatalogModel
import Projections

extension PayloadReader {
  /// Reads the payload of a type in its newest version, in any spelling.
  package mutating func event(_ type: EventType) throws(Problem) -> CatalogEvent {
    switch type {
    case .catalogCreated:
      .catalogCreated(try CatalogCreated(reading: &self))
    case .seedImported:
      .seedImported(
        SeedImported(
          seed: try string("seed"), revision: try int64("revision"),
          sha256: try string("sha256"), counts: try counts("counts")))
    case .dimensionValueAdded:
      .dimensionValueAdded(
        DimensionValueAdded(
          dimension: try dimension("dimension"), id: try int64("id"), name: try string("name"),
          sortOrder: try optionalInt64("sortOrder"), isSystem: try bool("isSystem")))
    case .dimensionValueOrdered:
      .dimensionValueOrdered(
        DimensionValueOrdered(
          dimension: try dimension("dimension"), id: try int64("id"), name: try string("name"),
          sortOrder: try optionalInt64("sortOrder")))
    case .dimensionValueRenamed:
      .dimensionValueRenamed(
        DimensionValueRenamed(
          dimension: try dimension("dimension"), id: try int64("id"), name: try string("name"),
          newName: try string("newName")))
    case .dimensionValueMerged:
      .dimensionValueMerged(
        DimensionValueMerged(
          dimension: try dimension("dimension"), id: try int64("id"), name: try string("name"),
          into: try int64("into"), intoName: try string("intoName")))
    case .dimensionValueAliased:
      .dimensionValueAliased(
        DimensionValueAliased(
          dimension: try dimension("dimension"), id: try int64("id"), name: try string("name"),
          alias: try string("alias")))
    case .itemUpserted:
      .itemUpserted(
        ItemUpserted(
          id: try id("id"), kind: try choice("kind", of: Kind.self),
          title: try string("title"), subtitle: try optionalString("subtitle"),
          duration: try optionalDouble("duration"), artworkURL: try optionalString("artworkUrl")))
    case .itemVisibilityChanged:
      .itemVisibilityChanged(
        ItemVisibilityChanged(id: try id("id"), isVisible: try bool("isVisible")))
    case .itemTagsSet:
      .itemTagsSet(
        ItemTagsSet(
          item: try id("item"), source: try string("source"), tags: try tags("tags")))
    case .itemTagSuppressed: .itemTagSuppressed(try suppression())
    case .itemTagUnsuppressed: .itemTagUnsuppressed(try suppression())
    case .playlistLinked:
      .playlistLinked(
        PlaylistLinked(
          item: try id("item"), playlistID: try string("playlistId"),
          useSnapshot: try bool("useSnapshot")))
    case .playlistMetadataRefreshed: .playlistMetadataRefreshed(try metadataRefreshed())
    case .playlistTracksSnapshotted: .playlistTracksSnapshotted(try tracksSnapshotted())
    case .packUpserted:
      .packUpserted(
        PackUpserted(
          id: try id("id"), kind: try choice("kind", of: PackKind.self),
          title: try string("title"), description: try optionalString("description"),
          artworkURL: try optionalString("artworkUrl"), version: try int64("version"),
          manifestURL: try string("manifestUrl")))
    case .packItemsSet:
      .packItemsSet(PackItemsSet(pack: try id("pack"), items: try ids("items")))
    case .manifestApplied:
      .manifestApplied(
        ManifestApplied(
          pack: try id("pack"), version: try int64("version"), sha256: try string("sha256"),
          totalBytes: try int64("totalBytes"), assets: try int64("assets"),
          tags: try tags("tags")))
    case .packDownloadStarted:
      .packDownloadStarted(
        PackDownloadStarted(
          pack: try id("pack"), version: try int64("version"),
          bytesTotal: try int64("bytesTotal"), bytesDownloaded: try int64("bytesDownloaded")))
    case .packDownloadProgressed:
      .packDownloadProgressed(
        PackDownloadProgressed(
          pack: try id("pack"), bytesDownloaded: try int64("bytesDownloaded")))
    case .packDownloadCompleted:
      .packDownloadCompleted(
        PackDownloadCompleted(
          pack: try id("pack"), version: try int64("version"),
          bytesTotal: try int64("bytesTotal"), assets: try assets("assets")))
    case .packDownloadFailed:
      .packDownloadFailed(
        PackDownloadFailed(
          pack: try id("pack"), error: try string("error"), isResumable: try bool("resumable")))
    case .packDownloadInterrupted:
      .packDownloadInterrupted(
        PackDownloadInterrupted(pack: try id("pack"), error: try string("error")))
    case .packDownloadCancelled:
      .packDownloadCancelled(PackReference(pack: try id("pack")))
    case .packDeleted: .packDeleted(PackReference(pack: try id("pack")))
    case .operationReverted:
      .reversal(.operation(try RevertedOperation.payload.read(&self)))
    case .rowsRestored: .reversal(.rows(try RestoredRows.payload.read(&self)))
    }
  }

  private mutating func assets(
    _ key: String
  ) throws(Problem) -> [PackDownloadCompleted.Asset] {
    var assets: [PackDownloadCompleted.Asset] = []
    for (value, path) in try elements(key) {
      var reader = try PayloadReader(value, path: path)
      assets.append(
        PackDownloadCompleted.Asset(
          asset: try reader.id("asset"), item: try reader.id("item"),
          url: try reader.string("url"), path: try reader.string("path"),
          etag: try reader.optionalString("etag"), sha256: try reader.string("sha256"),
          bytes: try reader.int64("bytes"), codec: try reader.string("codec"),
          sampleRate: try reader.optionalInt64("sampleRate"),
          channels: try reader.optionalInt64("channels"), isLoopable: try reader.bool("loopable")))
      try reader.finish()
    }
    return assets
  }

  private mutating func suppression() throws(Problem) -> ItemTagSuppression {
    ItemTagSuppression(
      item: try id("item"), dimension: try dimension("dimension"), name: try string("name"))
  }

  private mutating func counts(_ key: String) throws(Problem) -> SeedImported.Counts {
    var reader = try PayloadReader(try take(key), path: "$.data.\(key)")
    let counts = SeedImported.Counts(
      values: try reader.int64("values"), music: try reader.int64("music"),
      packs: try reader.int64("packs"), packItems: try reader.int64("packItems"))
    try reader.finish()
    return counts
  }

  /// Names in any order, repeated ones counted once: a set is a set however it is written.
  private mutating func tags(_ key: String) throws(Problem) -> TagSet {
    var reader = try PayloadReader(try take(key), path: "$.data.\(key)")
    var tags = TagSet()
    for dimension in TagDimension.all {
      if let names = try reader.stringsIfPresent(dimension.key) { tags[dimension] = names }
    }
    try reader.finish()
    return tags
  }
}
