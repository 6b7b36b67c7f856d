import CatalogEngine

/// A show that a search found.
public struct ShowHit: Hashable, Sendable {
  /// Whether the words stand in it as they were typed; else as parts of longer ones (`half step` in `Half-Step`).
  public var isExact: Bool { tier == 0 }
  public var line: ShowLine
  var tier: Int64

  static let shape = TypedTable(
    "shows", ShowLine.shape, in: \ShowHit.line, Field("tier", \ShowHit.tier), make: ShowHit.init)

  static let order = [
    KeysetKey("found.tier", \ShowHit.tier), KeysetKey("shows.date", \ShowHit.line.date),
    KeysetKey("shows.show_sequence", \ShowHit.line.showSequence),
    KeysetKey("shows.show_id", \ShowHit.line.showID),
  ]
}

extension ShowQuery {
  /// The shows that a query finds; nil if it has nothing to find.
  var list: KeysetList<ShowHit>? {
    guard let exact, let words else { return nil }
    // The ids come from the table of the texts: the indexes read a whole text for each, which takes twice as long.
    return KeysetList(
      "search for \(exact)", as: ShowHit.shape, columns: ShowLine.columns + ", found.tier",
      from: """
        (SELECT 0 AS tier, rowid AS number FROM show_search WHERE show_search MATCH ?
         UNION ALL
         SELECT 1, rowid FROM projection_show_words WHERE projection_show_words MATCH ?
           AND rowid NOT IN (SELECT rowid FROM show_search WHERE show_search MATCH ?)) AS found
        CROSS JOIN projection_show_text AS found_text ON found_text.number = found.number
        CROSS JOIN shows ON shows.show_id = found_text.show_id
        """, [exact, words, exact], orderedBy: ShowHit.order)
  }
}
