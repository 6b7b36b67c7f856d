public import CatalogEngine

/// A kind of catalog: one person's tracks, playlists and tags, from several sources.
public struct TrackLibraryKind: CatalogKind {
  public let name = "track-library"
  public let version = 7
  /// The tables of docs/TRACKS.md. `PRAGMA user_version` is 1, as the music player's.
  public let schema = TrackSchema.schema

  public init() {}

  /// docs/TRACKS.md says what contradicts the rows: an unknown id, a URI or a name that another row has, and more.
  public func apply(_ record: Recorded<TrackEvent>, to rows: some RowStore) throws {
    let projector = TrackProjector(
      rows: rows, at: record.at, number: Int64(clamping: record.sequence))
    switch record.event {
    case .libraryImported(let library): try projector.note(library)
    case .trackUpserted(let track): try projector.upsert(track)
    case .trackRemoved(let track): try projector.remove(track: track)
    case .trackPlayed(let track): try projector.play(track)
    case .artworkAdded(let artwork): try projector.keep(artwork)
    case .collectionUpserted(let collection): try projector.upsert(collection)
    case .collectionRemoved(let collection): try projector.remove(collection: collection)
    case .collectionTracksSet(let collection, let tracks):
      try projector.setTracks(of: collection, tracks)
    case .collectionTracksChanged(let change): try projector.changeTracks(change)
    case .songUpserted(let song): try projector.upsert(song)
    case .songIdentified(let from, let to): try projector.identify(from, as: to)
    case .songRemoved(let song): try projector.remove(song: song)
    case .songTagsSet(let song, let source, let tags):
      try projector.setTags(of: song, by: source, tags)
    case .songSynced(let song, let through): try projector.sync(song, through: through)
    case .tagAdded(let tag): try projector.add(tag)
    case .tagChanged(let id, let name, let color): try projector.change(id, name, color)
    case .tagRemoved(let tag): try projector.remove(tag: tag)
    case .reversal(let reversal):
      try projector.updateDerivedRows(
        reversal.apply(record, reverted: TrackSchema.reverted, in: schema, to: rows))
    }
  }

  /// The operations that are reverted now.
  public static let revertedTable = TrackSchema.reverted
  public var reverted: TypedTable<RevertedRow>? { Self.revertedTable }
  public var reversalRules: ReversalRules { TrackSchema.reversalRules }
}
