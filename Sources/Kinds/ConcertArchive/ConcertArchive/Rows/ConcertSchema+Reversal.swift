import Projections

extension ConcertSchema {
  /// The rows that belong together, and those that follow from others.
  static let reversalRules: ReversalRules = {
    typealias Columns = ReversalRules.Columns
    typealias SeenRows = ReversalRules.SeenRows
    func allButKey(_ table: TypedTable<some Sendable>) -> ReversalRules.Columns {
      let description = table.description
      let places = description.columns.indices.filter { !description.key.contains($0) }
      return ReversalRules.Columns(description, places.map { description.columns[$0].name })
    }
    var rules = ReversalRules(
      derived: [RatedShow.table.description],
      settled: [
        Columns(
          Show.table, "show_sequence", "is_in_library", "library_added_at", "recordings_raw"),
        Columns(ShowText.table, "search_text", "search_words"),
        Columns(Recording.table, "show_id"),
        Columns(ShowCollection.table, "show_ids_json", "total_shows"),
      ],
      together: [
        Columns(Show.table, "date", "year", "month", "year_month"),
        Columns(Show.table, "state", "country"),
        Columns(Show.table, "setlist_status", "setlist_raw", "song_list"),
        Columns(Show.table, "lineup_status", "lineup_raw", "member_list"),
        Columns(Show.table, "average_rating", "total_reviews"),
        Columns(
          Recording.table, "rating", "raw_rating", "review_count", "confidence", "high_ratings",
          "low_ratings"),
        Columns(RecentShow.table, "last_played_timestamp", "total_play_count"),
        Columns(CountedPlay.table, "sequence", "play_count"),
        Columns(ShowCollection.table, "tags_json", "primary_tag"),
        allButKey(DataVersion.table), allButKey(PackageContent.table),
      ],
      bundles: [
        [
          Columns(Show.table, "show_id"), Columns(ShowText.table, "show_id"),
        ],
        [Columns(Recording.table, "identifier"), Columns(RecordingLink.table, "identifier")],
        [Columns(RecentShow.table, "show_id"), Columns(CountedPlay.table, "show_id")],
        [Columns(DataVersion.table, "id"), Columns(PackageContent.table, "id")],
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
          Columns(ShowText.table, "number"), identity: Columns(ShowText.table, "show_id"))
      ],
      references: [
        (Columns(RecordingLink.table, "show_id"), Columns(Show.table, "show_id")),
        // A recording is there as long as a show lists it.
        (Columns(Recording.table, "identifier"), Columns(RecordingLink.table, "identifier")),
      ],
      documents: [Columns(PackageContent.table, "sha256")])
    rules.seen = [
      SeenRows(ShowText.table, as: Show.table, by: "show_id"),
      SeenRows(RecordingLink.table, as: Show.table, by: "show_id"),
      SeenRows(CollectionMember.table, as: ShowCollection.table, by: "collection_id"),
      SeenRows(CountedPlay.table, as: RecentShow.table, by: "show_id"),
      SeenRows(PackageContent.table, as: DataVersion.table, by: "id"),
    ]
    return rules
  }()
}
