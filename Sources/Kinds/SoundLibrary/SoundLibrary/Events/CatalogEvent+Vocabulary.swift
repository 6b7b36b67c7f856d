package import CatalogModel
package import Projections

/// The names of the events in the log.
package typealias EventType = EventName<CatalogEvent>

/// The frequent events come first: they are looked for first.
extension CatalogEvent: DescribedEvent, ReversibleEvent {
  package static let vocabulary = EventVocabulary {
    EventDescription(
      "item.tags.set", ItemTagsSet.payload, subject: "item", CatalogEvent.itemTagsSet
    ) {
      if case .itemTagsSet(let tags) = $0 { tags } else { nil }
    }
    EventDescription(
      "item.upserted", ItemUpserted.payload, subject: "id", CatalogEvent.itemUpserted
    ) {
      if case .itemUpserted(let item) = $0 { item } else { nil }
    }
    EventDescription("catalog.created", CatalogCreated.payload, CatalogEvent.catalogCreated) {
      if case .catalogCreated(let catalog) = $0 { catalog } else { nil }
    }
    EventDescription("seed.imported", SeedImported.payload, CatalogEvent.seedImported) {
      if case .seedImported(let seed) = $0 { seed } else { nil }
    }
    EventDescription(
      "dimension.value.added", DimensionValueAdded.payload, CatalogEvent.dimensionValueAdded
    ) {
      if case .dimensionValueAdded(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.ordered", DimensionValueOrdered.payload, CatalogEvent.dimensionValueOrdered
    ) {
      if case .dimensionValueOrdered(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.renamed", DimensionValueRenamed.payload, CatalogEvent.dimensionValueRenamed
    ) {
      if case .dimensionValueRenamed(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.merged", DimensionValueMerged.payload, CatalogEvent.dimensionValueMerged
    ) {
      if case .dimensionValueMerged(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.aliased", DimensionValueAliased.payload, CatalogEvent.dimensionValueAliased
    ) {
      if case .dimensionValueAliased(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "item.visibility.changed", ItemVisibilityChanged.payload, subject: "id",
      CatalogEvent.itemVisibilityChanged
    ) {
      if case .itemVisibilityChanged(let item) = $0 { item } else { nil }
    }
    EventDescription(
      "item.tag.suppressed", ItemTagSuppression.payload, subject: "item",
      CatalogEvent.itemTagSuppressed
    ) {
      if case .itemTagSuppressed(let tag) = $0 { tag } else { nil }
    }
    EventDescription(
      "item.tag.unsuppressed", ItemTagSuppression.payload, subject: "item",
      CatalogEvent.itemTagUnsuppressed
    ) {
      if case .itemTagUnsuppressed(let tag) = $0 { tag } else { nil }
    }
    EventDescription(
      "playlist.linked", PlaylistLinked.payload, subject: "item", CatalogEvent.playlistLinked
    ) {
      if case .playlistLinked(let playlist) = $0 { playlist } else { nil }
    }
    EventDescription(
      "playlist.metadata.refreshed", PlaylistMetadataRefreshed.payload, subject: "item",
      CatalogEvent.playlistMetadataRefreshed
    ) {
      if case .playlistMetadataRefreshed(let playlist) = $0 { playlist } else { nil }
    }
    // Not about its item alone: a track is described once, whatever playlists have it.
    EventDescription(
      "playlist.tracks.snapshotted", PlaylistTracksSnapshotted.payload,
      CatalogEvent.playlistTracksSnapshotted
    ) {
      if case .playlistTracksSnapshotted(let playlist) = $0 { playlist } else { nil }
    }
    EventDescription("pack.upserted", PackUpserted.payload, CatalogEvent.packUpserted) {
      if case .packUpserted(let pack) = $0 { pack } else { nil }
    }
    EventDescription("pack.items.set", PackItemsSet.payload, CatalogEvent.packItemsSet) {
      if case .packItemsSet(let items) = $0 { items } else { nil }
    }
    EventDescription("manifest.applied", ManifestApplied.payload, CatalogEvent.manifestApplied) {
      if case .manifestApplied(let manifest) = $0 { manifest } else { nil }
    }
    EventDescription(
      "pack.download.started", PackDownloadStarted.payload, CatalogEvent.packDownloadStarted
    ) {
      if case .packDownloadStarted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.progressed", PackDownloadProgressed.payload,
      CatalogEvent.packDownloadProgressed
    ) {
      if case .packDownloadProgressed(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.completed", PackDownloadCompleted.payload, CatalogEvent.packDownloadCompleted
    ) {
      if case .packDownloadCompleted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.failed", PackDownloadFailed.payload, CatalogEvent.packDownloadFailed
    ) {
      if case .packDownloadFailed(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.interrupted", PackDownloadInterrupted.payload,
      CatalogEvent.packDownloadInterrupted
    ) {
      if case .packDownloadInterrupted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.cancelled", PackReference.payload, CatalogEvent.packDownloadCancelled
    ) {
      if case .packDownloadCancelled(let pack) = $0 { pack } else { nil }
    }
    EventDescription("pack.deleted", PackReference.payload, CatalogEvent.packDeleted) {
      if case .packDeleted(let pack) = $0 { pack } else { nil }
    }
    EventDescription<CatalogEvent>.operationReverted
    EventDescription<CatalogEvent>.rowsRestored
  }

  package var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }

  /// `type` of the envelope.
  package var type: String { EventType(of: self).rawValue }

  /// `v` of the envelope.
  package var version: Int64 { EventType(of: self).version }
}
