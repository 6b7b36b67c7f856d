public import CatalogModel
public import Projections

/// A kind of catalog: a whole archive of concerts.
public struct ConcertArchiveKind: CatalogKind {
  public let name = "concert-archive"
  public let version = 6
  public let schema = ConcertSchema.schema

  public init() {}

  public func apply(_ record: Recorded<ConcertEvent>, to rows: some RowStore) throws {
    let projector = ConcertProjector(rows: rows, at: record.at.milliseconds)
    switch record.event {
    case .packageImported(let package): try projector.keep(package)
    case .showUpserted(let show):
      try projector.upsert(show, number: Int64(clamping: record.sequence))
    case .showRemoved(let show): try projector.remove(show: show)
    case .recordingUpserted(let recording): try projector.upsert(recording)
    case .recordingRemoved(let recording): try projector.remove(recording: recording)
    case .collectionUpserted(let collection): try projector.upsert(collection)
    case .collectionRemoved(let collection): try projector.remove(collection: collection)
    case .libraryShowAdded(let show): try projector.addToLibrary(show)
    case .libraryShowRemoved(let show): try projector.removeFromLibrary(show)
    case .libraryShowPinned(let show, let isPinned):
      try projector.changeSaved(show) { $0.isPinned = isPinned }
    case .libraryShowNoted(let show, let notes):
      try projector.changeSaved(show) { $0.libraryNotes = notes }
    case .libraryShowRated(let show, let rating):
      try projector.changeSaved(show) { $0.customRating = rating }
    case .libraryShowTagged(let show, let tags):
      try projector.changeSaved(show) { $0.tags = tags.isEmpty ? nil : ContractJSON.texts(tags) }
    case .showPlayed(let show): try projector.play(show, number: Int64(clamping: record.sequence))
    case .recentCleared(let cleared): try projector.clear(cleared)
    case .reversal(let reversal):
      try projector.requirePossible(reversal)
      try projector.updateDerivedRows(
        reversal.apply(record, reverted: ConcertSchema.reverted, in: schema, to: rows))
    }
  }

  /// The operations that are reverted now.
  public static let revertedTable = ConcertSchema.reverted
  public var reverted: TypedTable<RevertedRow>? { Self.revertedTable }
  public var reversalRules: ReversalRules { ConcertSchema.reversalRules }
}
