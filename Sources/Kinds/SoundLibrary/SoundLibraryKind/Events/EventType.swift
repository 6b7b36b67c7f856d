import CatalogModel
import Projections

/// The types of events and their newest versions: the one table that encoder, decoder, schemas and
/// documentation share.
package enum EventType: String, EventTypeName {
  case catalogCreated = "catalog.created"
  case seedImported = "seed.imported"
  case dimensionValueAdded = "dimension.value.added"
  case dimensionValueOrdered = "dimension.value.ordered"
  case dimensionValueRenamed = "dimension.value.renamed"
  case dimensionValueMerged = "dimension.value.merged"
  case dimensionValueAliased = "dimension.value.aliased"
  case itemUpserted = "item.upserted"
  case itemVisibilityChanged = "item.visibility.changed"
  case itemTagsSet = "item.tags.set"
  case itemTagSuppressed = "item.tag.suppressed"
  case itemTagUnsuppressed = "item.tag.unsuppressed"
  case playlistLinked = "playlist.linked"
  case playlistMetadataRefreshed = "playlist.metadata.refreshed"
  case playlistTracksSnapshotted = "playlist.tracks.snapshotted"
  case packUpserted = "pack.upserted"
  case packItemsSet = "pack.items.set"
  case manifestApplied = "manifest.applied"
  case packDownloadStarted = "pack.download.started"
  case packDownloadProgressed = "pack.download.progressed"
  case packDownloadCompleted = "pack.download.completed"
  case packDownloadFailed = "pack.download.failed"
  case packDownloadInterrupted = "pack.download.interrupted"
  case packDownloadCancelled = "pack.download.cancelled"
  case packDeleted = "pack.deleted"
  case operationReverted = "operation.reverted"
  case rowsRestored = "rows.restored"

  /// The version that is written. Older ones are read through upcasters.
  package var version: Int64 {
    switch self {
    case .catalogCreated, .seedImported, .dimensionValueAdded, .dimensionValueOrdered,
      .dimensionValueRenamed, .dimensionValueMerged, .dimensionValueAliased, .itemUpserted,
      .itemVisibilityChanged, .itemTagsSet, .itemTagSuppressed, .itemTagUnsuppressed,
      .playlistLinked, .playlistMetadataRefreshed, .playlistTracksSnapshotted, .packUpserted,
      .packItemsSet, .manifestApplied, .packDownloadStarted,
      .packDownloadProgressed, .packDownloadCompleted, .packDownloadFailed,
      .packDownloadInterrupted, .packDownloadCancelled, .packDeleted, .operationReverted,
      .rowsRestored:
      1
    }
  }
}

extension EventType {
  /// What stands between `at` and `op` in a canonical line of each type; the most frequent types first,
  /// for a reader tries them in order.
  static let canonicalParts: [(type: EventType, bytes: [UInt8])] = {
    let frequent: [EventType] = [.itemTagsSet, .itemUpserted]
    return (frequent + allCases.filter { !frequent.contains($0) }).map { type in
      (type, Array(#"","type":"\#(type.rawValue)","v":\#(type.version),"op":""#.utf8))
    }
  }()

  var canonicalPart: [UInt8] {
    // Some comparisons of a byte; a dictionary would hash the type's name for every event.
    Self.canonicalParts.first { $0.type == self }?.bytes ?? []
  }
}

extension CatalogEvent {
  package var eventType: EventType {
    switch self {
    case .catalogCreated: .catalogCreated
    case .seedImported: .seedImported
    case .dimensionValueAdded: .dimensionValueAdded
    case .dimensionValueOrdered: .dimensionValueOrdered
    case .dimensionValueRenamed: .dimensionValueRenamed
    case .dimensionValueMerged: .dimensionValueMerged
    case .dimensionValueAliased: .dimensionValueAliased
    case .itemUpserted: .itemUpserted
    case .itemVisibilityChanged: .itemVisibilityChanged
    case .itemTagsSet: .itemTagsSet
    case .itemTagSuppressed: .itemTagSuppressed
    case .itemTagUnsuppressed: .itemTagUnsuppressed
    case .playlistLinked: .playlistLinked
    case .playlistMetadataRefreshed: .playlistMetadataRefreshed
    case .playlistTracksSnapshotted: .playlistTracksSnapshotted
    case .packUpserted: .packUpserted
    case .packItemsSet: .packItemsSet
    case .manifestApplied: .manifestApplied
    case .packDownloadStarted: .packDownloadStarted
    case .packDownloadProgressed: .packDownloadProgressed
    case .packDownloadCompleted: .packDownloadCompleted
    case .packDownloadFailed: .packDownloadFailed
    case .packDownloadInterrupted: .packDownloadInterrupted
    case .packDownloadCancelled: .packDownloadCancelled
    case .packDeleted: .packDeleted
    case .reversal(.operation): .operationReverted
    case .reversal(.rows): .rowsRestored
    }
  }

  /// `type` of the envelope.
  package var type: String { eventType.rawValue }

  /// `v` of the envelope.
  package var version: Int64 { eventType.version }
}
