import CatalogModel

extension SoundLibraryProjector {
  /// What of an event can touch the row of one item and its rows in the join tables; nil if nothing can.
  ///
  /// Projecting only this, of every event, makes these rows as projecting everything does, and leaves out or
  /// changes others.
  static func part(of event: SoundEvent, about item: EntityID) -> SoundEvent? {
    switch event {
    case .itemUpserted(let data): data.id == item ? event : nil
    case .itemVisibilityChanged(let data): data.id == item ? event : nil
    case .itemTagsSet(let data): data.item == item ? event : nil
    case .itemTagSuppressed(let data), .itemTagUnsuppressed(let data):
      data.item == item ? event : nil
    // Tags of a pack are given to its members.
    case .packItemsSet(let data):
      .packItemsSet(PackItemsSet(pack: data.pack, items: data.items.filter { $0 == item }))
    case .packUpserted, .manifestApplied, .reversal: event
    case .catalogCreated, .dimensionValueAdded, .dimensionValueOrdered, .dimensionValueRenamed,
      .dimensionValueMerged, .dimensionValueAliased:
      event
    case .seedImported, .playlistLinked, .playlistMetadataRefreshed, .playlistTracksSnapshotted,
      .packDownloadStarted, .packDownloadProgressed,
      .packDownloadCompleted, .packDownloadFailed, .packDownloadInterrupted,
      .packDownloadCancelled, .packDeleted:
      nil
    }
  }
}
