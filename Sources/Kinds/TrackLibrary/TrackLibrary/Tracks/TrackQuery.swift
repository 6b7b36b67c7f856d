import CatalogEngine
import Foundation

/// What a person typed into a search field: a beginning of titles, and a query of the full-text index.
///
/// No input is an error, and nothing in it is an operator. The last word may be the beginning of one.
struct TrackQuery {
  /// As `TrackOrder` has titles; nil if there is nothing to compare.
  private let title: String?
  /// For the full-text index, which has words alone; nil if the query has none, such as `!!!`.
  private let match: String?
  /// A query without words; nil if it has some, or nothing at all.
  private let marks: String?

  init(_ text: String) {
    let query = SearchQuery(text)
    let key = TrackOrder.key(text)
    title = key.isEmpty ? nil : key
    let trimmed = NormalForm.nfc(text).trimmingCharacters(in: .whitespacesAndNewlines)
    marks = query.words.isEmpty && !trimmed.isEmpty && !trimmed.contains("\0") ? trimmed : nil
    match =
      query.words.isEmpty ? nil : query.terms.map { "(\($0.match))" }.joined(separator: " AND ")
  }

  /// The tracks whose titles begin with the query, by title; then the others that have all its words, the newest first.
  /// Of a query without words, the tracks whose title begins with it, and then those whose artist or album does.
  ///
  /// None is sorted: each is a range of an index, or in the order of the full-text index. A query that most tracks answer
  /// costs what any other does.
  var lists: [KeysetList<FoundTrack>] {
    if let marks { return Self.lists(marks: marks) }
    var lists: [KeysetList<FoundTrack>] = []
    if let title { lists.append(Self.list("title", from: title, FoundTrack.inOrderOfTitles)) }
    if let match {
      lists.append(
        KeysetList(
          "search for \(match)", as: FoundTrack.shape,
          columns: "\(TrackLine.columns), projection_track_search.rowid",
          from: """
            projection_track_search
            CROSS JOIN projection_track_text AS text ON text.number = projection_track_search.rowid
            CROSS JOIN projection_track_order ON projection_track_order.track_id = text.track_id
            \(TrackLine.joinInOrder)
            """,
          where: "projection_track_search MATCH ?"
            + (title == nil ? "" : " AND NOT (\(Self.beginning(of: "title")))"),
          [match] + (title.map { [$0, $0] } ?? []),
          orderedBy: [KeysetKey("projection_track_search.rowid", \.number)], isDescending: true))
    }
    return lists
  }

  /// Tracks of which a column begins with a text, in the order of an index.
  private static func list(
    _ column: String, from text: String, _ order: [KeysetKey<FoundTrack>]
  ) -> KeysetList<FoundTrack> {
    KeysetList(
      "\(column)s from \(text)", as: FoundTrack.shape, columns: "\(TrackLine.columns), 0",
      from: "projection_track_order \(TrackLine.joinInOrder)",
      where: beginning(of: column), [text, text], orderedBy: order)
  }

  /// Tracks whose title, or else artist or album, begins with marks. The indexes have words, and marks only of names without
  /// any: each list reads the tracks themselves, in the order of an index.
  private static func lists(marks: String) -> [KeysetList<FoundTrack>] {
    func condition(_ column: String) -> String {
      "substr(tracks.\(column), 1, length(?)) = ?"
    }
    let columns = [
      ("title", FoundTrack.inOrderOfTitles), ("artist", FoundTrack.inOrderOfArtists),
      ("album", FoundTrack.inOrderOfAlbums),
    ]
    return columns.enumerated().map { place, column in
      let others = columns[..<place].map { "NOT (\(condition($0.0)))" }
      return KeysetList(
        "\(column.0)s from \(marks)", as: FoundTrack.shape, columns: "\(TrackLine.columns), 0",
        from: "projection_track_order \(TrackLine.joinInOrder)",
        where: ([condition(column.0)] + others).joined(separator: " AND "),
        Array(repeating: marks, count: 2 + 2 * place), orderedBy: column.1)
    }
  }

  /// Whether a column begins with a text, which is bound twice.
  private static func beginning(of column: String) -> String {
    // No text has such a byte: none that begins so stands after it.
    "projection_track_order.\(column) >= ? AND projection_track_order.\(column) < ? || CAST(x'FF' AS TEXT)"
  }
}

/// A track that a query found.
struct FoundTrack: Sendable {
  var line: TrackLine
  /// Its number in the full-text index: that of the event which brought the track. 0 if a title was found.
  var number: Int64

  // The columns of `TrackOrder`'s indexes.
  static let inOrderOfTitles = [
    KeysetKey("projection_track_order.title", \FoundTrack.line.titleKey),
    KeysetKey("projection_track_order.track_id", \.line.id),
  ]
  static let inOrderOfAlbums =
    [
      KeysetKey("projection_track_order.album", \FoundTrack.line.albumKey),
      KeysetKey("projection_track_order.album_artist", \.line.albumArtistKey),
      KeysetKey("projection_track_order.track_number", \.line.numberKey),
    ] + inOrderOfTitles
  static let inOrderOfArtists =
    [KeysetKey("projection_track_order.artist", \FoundTrack.line.artistKey)] + inOrderOfAlbums

  static let shape = TypedTable(
    "tracks", TrackLine.shape, in: \FoundTrack.line, Field("number", \FoundTrack.number),
    make: FoundTrack.init)
}
