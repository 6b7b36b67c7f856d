import CatalogEngine

/// The tables of a track library: those that are prescribed, and our own under `projection_`.
enum TrackSchema {
  static let reverted = RevertedRow.makeTable()

  static let schema: Schema = {
    var schema = Schema(
      Track.table, TrackCollection.table, CollectionTrack.table, TrackSource.table,
      CollectionInfo.table, Song.table, SongAlias.table, LibraryTag.table, SongTagging.table,
      TrackPlay.table, TrackText.table, TrackWords.table, TrackOrder.table, CollectionOrder.table,
      Artwork.table,
      CountedPlay.table, SongChange.table, SongOrder.table, SourceTagging.table,
      ImportedFile.table, reverted)
    schema.addFullTextIndex(
      "track_search", over: TrackText.table.description,
      columns: [.unindexed("track_id"), "title", "artist", "album"],
      tokenizer: .unicode61(diacritics: 2), content: .own)
    // The same texts as folded words: `aero` is in `Ærø`, and each character of 灯台 is a word.
    schema.addFullTextIndex(
      "projection_track_search", over: TrackWords.table.description, columns: ["words"],
      tokenizer: .words,
      // Who types a word has typed its first letters before.
      prefixes: [1, 2, 3, 4, 5])
    // That of the player's tables, which this kind replaces.
    schema.userVersion = 1
    return schema
  }()

  static let reversalRules: ReversalRules = {
    func columns(
      _ table: TypedTable<some Sendable>, _ names: String...
    ) -> ReversalRules.Columns {
      ReversalRules.Columns(table.description, names)
    }
    var rules = ReversalRules(
      derived: [
        CollectionOrder.table.description, SongTagging.table.description,
        TrackWords.table.description,
        SongChange.table.description, SongOrder.table.description,
      ],
      settled: [
        columns(Song.table, "sync_status"), columns(TrackText.table, "title", "artist", "album"),
        columns(
          TrackOrder.table, "source", "title", "artist", "album", "album_artist", "track_number",
          "year", "date_added", "duration"),
      ],
      together: [
        columns(TrackSource.table, "source", "uri"),
        columns(TrackPlay.table, "last_played_at", "play_count"),
      ],
      bundles: [
        [
          columns(Track.table, "id"), columns(TrackSource.table, "track_id"),
          columns(TrackText.table, "track_id"), columns(TrackOrder.table, "track_id"),
        ],
        [columns(TrackCollection.table, "id"), columns(CollectionInfo.table, "collection_id")],
        [columns(TrackPlay.table, "track_id"), columns(CountedPlay.table, "track_id")],
      ],
      lists: [
        ReversalRules.OrderedList(
          CollectionTrack.table.description, of: ["collection_id"], members: ["track_id"],
          place: "position")
      ],
      surrogates: [
        ReversalRules.Surrogate(
          columns(TrackText.table, "number"), identity: columns(TrackText.table, "track_id"))
      ],
      references: [
        (columns(SourceTagging.table, "song_id"), columns(Song.table, "id")),
        (columns(SourceTagging.table, "tag_id"), columns(LibraryTag.table, "id")),
        (columns(TrackPlay.table, "track_id"), columns(TrackSource.table, "track_id")),
      ],
      documents: [columns(ImportedFile.table, "sha256")],
      exclusions: [(columns(Song.table, "id"), columns(SongAlias.table, "alias"))])
    func seen(
      _ table: TypedTable<some Sendable>, as other: TypedTable<some Sendable>, by columns: String...
    ) -> ReversalRules.SeenRows {
      ReversalRules.SeenRows(table.description, as: other.description, by: columns)
    }
    rules.seen = [
      seen(TrackText.table, as: Track.table, by: "track_id"),
      seen(TrackOrder.table, as: Track.table, by: "track_id"),
      seen(CountedPlay.table, as: TrackPlay.table, by: "track_id"),
      seen(SourceTagging.table, as: SongTagging.table, by: "song_id", "tag_id"),
    ]
    return rules
  }()
}
