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

  static let reversalRules: ReversalRules = {
    func columns(
      _ table: TypedTable<some Sendable>, _ names: String..., isList: Bool = false
    ) -> ReversalRules.Columns {
      ReversalRules.Columns(table.description, names, isList: isList)
    }
    return ReversalRules(
      settled: [
        columns(Show.table, "show_sequence", "is_in_library", "library_added_at"),
        columns(Recording.table, "show_id"),
      ],
      bundles: [
        [
          columns(Show.table, "show_id"), columns(ShowText.table, "show_id"),
          columns(RatedShow.table, "show_id"),
          columns(RecordingLink.table, "show_id", isList: true),
        ],
        [columns(Recording.table, "identifier"), columns(RecordingLink.table, "identifier")],
        [
          columns(ShowCollection.table, "id"),
          columns(CollectionMember.table, "collection_id", isList: true),
        ],
        [columns(RecentShow.table, "show_id"), columns(CountedPlay.table, "show_id")],
        [columns(DataVersion.table, "id"), columns(PackageContent.table, "id")],
      ],
      references: [
        (columns(RecordingLink.table, "show_id"), columns(Show.table, "show_id")),
        // A recording is there as long as a show lists it.
        (columns(Recording.table, "identifier"), columns(RecordingLink.table, "identifier")),
      ],
      documents: [columns(PackageContent.table, "sha256")])
  }()
}
