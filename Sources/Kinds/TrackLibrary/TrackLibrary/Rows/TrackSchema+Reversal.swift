import CatalogEngine

extension TrackSchema {
  /// The rows that belong together, and those that follow from others.
  static let reversalRules: ReversalRules = {
    typealias Columns = ReversalRules.Columns
    typealias SeenRows = ReversalRules.SeenRows
    var rules = ReversalRules(
      derived: [
        CollectionOrder.table.description, SongTagging.table.description,
        TrackWords.table.description,
        SongChange.table.description, SongOrder.table.description,
      ],
      settled: [
        Columns(Song.table, "sync_status"), Columns(TrackText.table, "title", "artist", "album"),
        Columns(
          TrackOrder.table, "source", "title", "artist", "album", "album_artist", "track_number",
          "year", "date_added", "duration"),
      ],
      together: [
        Columns(TrackSource.table, "source", "uri"),
        Columns(TrackPlay.table, "last_played_at", "play_count"),
      ],
      bundles: [
        [
          Columns(Track.table, "id"), Columns(TrackSource.table, "track_id"),
          Columns(TrackText.table, "track_id"), Columns(TrackOrder.table, "track_id"),
        ],
        [Columns(TrackCollection.table, "id"), Columns(CollectionInfo.table, "collection_id")],
        [Columns(TrackPlay.table, "track_id"), Columns(CountedPlay.table, "track_id")],
      ],
      lists: [
        ReversalRules.OrderedList(
          CollectionTrack.table.description, of: ["collection_id"], members: ["track_id"],
          place: "position")
      ],
      surrogates: [
        ReversalRules.Surrogate(
          Columns(TrackText.table, "number"), identity: Columns(TrackText.table, "track_id"))
      ],
      references: [
        (Columns(SourceTagging.table, "song_id"), Columns(Song.table, "id")),
        (Columns(SourceTagging.table, "tag_id"), Columns(LibraryTag.table, "id")),
        (Columns(TrackPlay.table, "track_id"), Columns(TrackSource.table, "track_id")),
      ],
      documents: [Columns(ImportedFile.table, "sha256")],
      exclusions: [(Columns(Song.table, "id"), Columns(SongAlias.table, "alias"))])
    rules.seen = [
      SeenRows(TrackText.table, as: Track.table, by: "track_id"),
      SeenRows(TrackOrder.table, as: Track.table, by: "track_id"),
      SeenRows(CountedPlay.table, as: TrackPlay.table, by: "track_id"),
      SeenRows(SourceTagging.table, as: SongTagging.table, by: "song_id", "tag_id"),
    ]
    return rules
  }()
}
