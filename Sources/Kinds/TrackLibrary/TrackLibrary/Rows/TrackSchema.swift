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
}
