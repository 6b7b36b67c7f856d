import Projections

/// The tables of a concert archive: the brief's seven, word for word, and our own under `projection_`.
enum ConcertSchema {
  static let reverted = RevertedRow.makeTable()

  static let schema: Schema = {
    var schema = Schema(
      Show.table, Recording.table, LibraryShow.table, RecentShow.table, ShowCollection.table,
      DataVersion.table, RecordingLink.table, CollectionMember.table, ShowText.table,
      RatedShow.table, CountedPlay.table, PackageContent.table, reverted)
    // As the brief has it: `5-8-77` and `5.8.77` are words.
    schema.addFullTextIndex(
      "show_search", over: ShowText.table.description,
      columns: [.unindexed("show_id"), "search_text"],
      tokenizer: .unicode61(tokenCharacters: "-."), content: .own)
    // The same texts as folded words: `half step` is in `Half-Step`, `us` in `U.S.`.
    schema.addFullTextIndex(
      "projection_show_words", over: ShowText.table.description,
      columns: [.unindexed("show_id"), "search_words"], tokenizer: .words)
    return schema
  }()
}
