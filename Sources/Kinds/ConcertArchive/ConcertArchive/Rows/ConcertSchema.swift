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
      _ table: TypedTable<some Sendable>, _ names: String...
    ) -> ReversalRules.Columns {
      ReversalRules.Columns(table.description, names)
    }
    func allButKey(_ table: TypedTable<some Sendable>) -> ReversalRules.Columns {
      let description = table.description
      let places = description.columns.indices.filter { !description.key.contains($0) }
      return ReversalRules.Columns(description, places.map { description.columns[$0].name })
    }
    var rules = ReversalRules(
      derived: [RatedShow.table.description],
      settled: [
        columns(
          Show.table, "show_sequence", "is_in_library", "library_added_at", "recordings_raw"),
        columns(ShowText.table, "search_text", "search_words"),
        columns(Recording.table, "show_id"),
        columns(ShowCollection.table, "show_ids_json", "total_shows"),
      ],
      together: [
        columns(Show.table, "date", "year", "month", "year_month"),
        columns(Show.table, "state", "country"),
        columns(Show.table, "setlist_status", "setlist_raw", "song_list"),
        columns(Show.table, "lineup_status", "lineup_raw", "member_list"),
        columns(Show.table, "average_rating", "total_reviews"),
        columns(
          Recording.table, "rating", "raw_rating", "review_count", "confidence", "high_ratings",
          "low_ratings"),
        columns(RecentShow.table, "last_played_timestamp", "total_play_count"),
        columns(CountedPlay.table, "sequence", "play_count"),
        columns(ShowCollection.table, "tags_json", "primary_tag"),
        allButKey(DataVersion.table), allButKey(PackageContent.table),
      ],
      bundles: [
        [
          columns(Show.table, "show_id"), columns(ShowText.table, "show_id"),
        ],
        [columns(Recording.table, "identifier"), columns(RecordingLink.table, "identifier")],
        [columns(RecentShow.table, "show_id"), columns(CountedPlay.table, "show_id")],
        [columns(DataVersion.table, "id"), columns(PackageContent.table, "id")],
      ],
      lists: [
        ReversalRules.OrderedList(
          RecordingLink.table.description, of: ["show_id"], members: ["identifier"],
          place: "position"),
        ReversalRules.OrderedList(
          CollectionMember.table.description, of: ["collection_id"], members: ["show_id"],
          place: "position"),
      ],
      sets: [
        ReversalRules.SetColumn(
          LibraryShow.table.description, "tags", isOfRow: true,
          members: { value in
            if case .text(let text) = value {
              ContractJSON.texts(in: text).map(Set.init)
            } else {
              nil
            }
          },
          value: { .text(ContractJSON.texts($0.sorted { $0.isBefore($1) })) })
      ],
      surrogates: [
        ReversalRules.Surrogate(
          columns(ShowText.table, "number"), identity: columns(ShowText.table, "show_id"))
      ],
      references: [
        (columns(RecordingLink.table, "show_id"), columns(Show.table, "show_id")),
        // A recording is there as long as a show lists it.
        (columns(Recording.table, "identifier"), columns(RecordingLink.table, "identifier")),
      ],
      documents: [columns(PackageContent.table, "sha256")])
    func seen(
      _ table: TypedTable<some Sendable>, as other: TypedTable<some Sendable>, by columns: String...
    ) -> ReversalRules.SeenRows {
      ReversalRules.SeenRows(table.description, as: other.description, by: columns)
    }
    rules.seen = [
      seen(ShowText.table, as: Show.table, by: "show_id"),
      seen(RecordingLink.table, as: Show.table, by: "show_id"),
      seen(CollectionMember.table, as: ShowCollection.table, by: "collection_id"),
      seen(CountedPlay.table, as: RecentShow.table, by: "show_id"),
      seen(PackageContent.table, as: DataVersion.table, by: "id"),
    ]
    return rules
  }()
}
