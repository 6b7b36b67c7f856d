public import CatalogModel
public import Projections

/// The names of the events in the log.
public typealias EventType = EventName<SoundEvent>

/// The frequent events come first: they are looked for first.
extension SoundEvent: DescribedEvent, ReversibleEvent {
  public static let vocabulary = EventVocabulary {
    EventDescription(
      "item.tags.set", ItemTagsSet.payload, subject: "item", SoundEvent.itemTagsSet
    ) {
      if case .itemTagsSet(let tags) = $0 { tags } else { nil }
    }
    EventDescription(
      "item.upserted", ItemUpserted.payload, subject: "id", SoundEvent.itemUpserted
    ) {
      if case .itemUpserted(let item) = $0 { item } else { nil }
    }
    EventDescription("catalog.created", CatalogCreated.payload, SoundEvent.catalogCreated) {
      if case .catalogCreated(let catalog) = $0 { catalog } else { nil }
    }
    EventDescription("seed.imported", SeedImported.payload, SoundEvent.seedImported) {
      if case .seedImported(let seed) = $0 { seed } else { nil }
    }
    EventDescription(
      "dimension.value.added", DimensionValueAdded.payload, SoundEvent.dimensionValueAdded
    ) {
      if case .dimensionValueAdded(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.ordered", DimensionValueOrdered.payload, SoundEvent.dimensionValueOrdered
    ) {
      if case .dimensionValueOrdered(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.renamed", DimensionValueRenamed.payload, SoundEvent.dimensionValueRenamed
    ) {
      if case .dimensionValueRenamed(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.merged", DimensionValueMerged.payload, SoundEvent.dimensionValueMerged
    ) {
      if case .dimensionValueMerged(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "dimension.value.aliased", DimensionValueAliased.payload, SoundEvent.dimensionValueAliased
    ) {
      if case .dimensionValueAliased(let value) = $0 { value } else { nil }
    }
    EventDescription(
      "item.visibility.changed", ItemVisibilityChanged.payload, subject: "id",
      SoundEvent.itemVisibilityChanged
    ) {
      if case .itemVisibilityChanged(let item) = $0 { item } else { nil }
    }
    EventDescription(
      "item.tag.suppressed", ItemTagSuppression.payload, subject: "item",
      SoundEvent.itemTagSuppressed
    ) {
      if case .itemTagSuppressed(let tag) = $0 { tag } else { nil }
    }
    EventDescription(
      "item.tag.unsuppressed", ItemTagSuppression.payload, subject: "item",
      SoundEvent.itemTagUnsuppressed
    ) {
      if case .itemTagUnsuppressed(let tag) = $0 { tag } else { nil }
    }
    EventDescription(
      "playlist.linked", PlaylistLinked.payload, subject: "item", SoundEvent.playlistLinked
    ) {
      if case .playlistLinked(let playlist) = $0 { playlist } else { nil }
    }
    EventDescription(
      "playlist.metadata.refreshed", PlaylistMetadataRefreshed.payload, subject: "item",
      SoundEvent.playlistMetadataRefreshed
    ) {
      if case .playlistMetadataRefreshed(let playlist) = $0 { playlist } else { nil }
    }
    // Not about its item alone: a track is described once, whatever playlists have it.
    EventDescription(
      "playlist.tracks.snapshotted", PlaylistTracksSnapshotted.payload,
      SoundEvent.playlistTracksSnapshotted
    ) {
      if case .playlistTracksSnapshotted(let playlist) = $0 { playlist } else { nil }
    }
    EventDescription("pack.upserted", PackUpserted.payload, SoundEvent.packUpserted) {
      if case .packUpserted(let pack) = $0 { pack } else { nil }
    }
    EventDescription("pack.items.set", PackItemsSet.payload, SoundEvent.packItemsSet) {
      if case .packItemsSet(let items) = $0 { items } else { nil }
    }
    EventDescription(
      "manifest.applied", version: 2, ManifestApplied.payload, SoundEvent.manifestApplied
    ) {
      if case .manifestApplied(let manifest) = $0 { manifest } else { nil }
    }
    EventDescription(
      "pack.download.started", PackDownloadStarted.payload, SoundEvent.packDownloadStarted
    ) {
      if case .packDownloadStarted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.progressed", PackDownloadProgressed.payload,
      SoundEvent.packDownloadProgressed
    ) {
      if case .packDownloadProgressed(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.completed", PackDownloadCompleted.payload, SoundEvent.packDownloadCompleted
    ) {
      if case .packDownloadCompleted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.failed", PackDownloadFailed.payload, SoundEvent.packDownloadFailed
    ) {
      if case .packDownloadFailed(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.interrupted", PackDownloadInterrupted.payload,
      SoundEvent.packDownloadInterrupted
    ) {
      if case .packDownloadInterrupted(let download) = $0 { download } else { nil }
    }
    EventDescription(
      "pack.download.cancelled", PackReference.payload, SoundEvent.packDownloadCancelled
    ) {
      if case .packDownloadCancelled(let pack) = $0 { pack } else { nil }
    }
    EventDescription("pack.deleted", PackReference.payload, SoundEvent.packDeleted) {
      if case .packDeleted(let pack) = $0 { pack } else { nil }
    }
    EventDescription<SoundEvent>.operationReverted
    EventDescription<SoundEvent>.rowsRestored
  }

  /// Lifts events of earlier releases.
  static let upcasters: Upcasters = {
    var upcasters = Upcasters()
    upcasters.register("manifest.applied" as EventType, from: 1) { data in
      // What has another form is refused as any payload that does not fit.
      guard case .object(let members) = data else { return data }
      return .object(
        members + ["listed", "changes"].map { JSONValue.Member(key: $0, value: .null) })
    }
    return upcasters
  }()

  public var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }

  /// `type` of the envelope.
  public var type: String { EventType(of: self).rawValue }

  /// `v` of the envelope.
  public var version: Int64 { EventType(of: self).version }
}
