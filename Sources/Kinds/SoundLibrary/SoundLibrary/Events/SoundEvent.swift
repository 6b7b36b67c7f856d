public import CatalogModel
public import Projections

/// What can happen to a catalog: one case an event type, in its newest version.
///
/// `docs/EVENTS.md` says what each one means. Payloads of older versions are brought up to these by
/// upcasters before anything else sees them.
///
/// The largest payloads are indirect, for every event has the room of the largest one that is not: with all of
/// them inside, to copy events from place to place was a tenth of decoding them.
public enum SoundEvent: Hashable, Sendable {
  case catalogCreated(CatalogCreated)
  case seedImported(SeedImported)
  case dimensionValueAdded(DimensionValueAdded)
  case dimensionValueOrdered(DimensionValueOrdered)
  case dimensionValueRenamed(DimensionValueRenamed)
  case dimensionValueMerged(DimensionValueMerged)
  case dimensionValueAliased(DimensionValueAliased)
  case itemUpserted(ItemUpserted)
  case itemVisibilityChanged(ItemVisibilityChanged)
  case itemTagsSet(ItemTagsSet)
  case itemTagSuppressed(ItemTagSuppression)
  case itemTagUnsuppressed(ItemTagSuppression)
  case playlistLinked(PlaylistLinked)
  indirect case playlistMetadataRefreshed(PlaylistMetadataRefreshed)
  case playlistTracksSnapshotted(PlaylistTracksSnapshotted)
  indirect case packUpserted(PackUpserted)
  case packItemsSet(PackItemsSet)
  case manifestApplied(ManifestApplied)
  case packDownloadStarted(PackDownloadStarted)
  case packDownloadProgressed(PackDownloadProgressed)
  case packDownloadCompleted(PackDownloadCompleted)
  case packDownloadFailed(PackDownloadFailed)
  case packDownloadInterrupted(PackDownloadInterrupted)
  case packDownloadCancelled(PackReference)
  case packDeleted(PackReference)
  /// An operation is taken back.
  indirect case reversal(Reversal)
}
