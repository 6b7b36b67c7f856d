import CatalogEngine
import CatalogModel
import TrackLibraryKind

/// What a person typed into a search field, as a query of the full-text index.
///
/// No input is an error, and nothing in it is an operator: every word is quoted. The last word may be the beginning of
/// one.
struct TrackQuery {
  /// Nil where there is nothing to find.
  let match: String?

  /// More words than anybody types do not count.
  private static let wordLimit = 32

  init(_ text: String) {
    let words = NormalForm.nfc(text).split { $0.isWhitespace || $0 == "\0" }
      .filter {
        $0.unicodeScalars.contains {
          $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
      }
      .prefix(Self.wordLimit)
    let terms = words.map {
      "\"\($0.unicodeScalars.filter { $0 != "\"" && $0 != "\0" }.reduce(into: "") { $0.unicodeScalars.append($1) })\""
    }
    match = terms.isEmpty ? nil : terms.joined(separator: " ") + " *"
  }

  /// The tracks that have all words, by title.
  var list: KeysetList<TrackLine>? {
    guard let match else { return nil }
    return KeysetList(
      "search for \(match)", as: TrackLine.shape, columns: TrackLine.columns,
      from: """
        (SELECT track_id FROM track_search WHERE track_search MATCH ?) AS found
        CROSS JOIN projection_track_order ON projection_track_order.track_id = found.track_id
        \(TrackLine.joinInOrder)
        """, [match], orderedBy: TrackSort.title.keys)
  }
}
