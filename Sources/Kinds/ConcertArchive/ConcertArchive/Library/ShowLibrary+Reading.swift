public import CatalogEngine
import ConcertArchiveKind

extension ShowLibrary {
  /// The library: pinned shows first, then those that were added last.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<SavedShow> {
    try await catalog.page(of: SavedShow.list, limit: limit, after: cursor)
  }
}

/// A show of the library.
public struct SavedShow: Hashable, Sendable {
  public var line: ShowLine
  public var addedAt: Int64
  public var isPinned: Bool
  public var notes: String?

  static let shape = TypedTable(
    "library_shows", key: ["show_id"],
    Field("show_id", \SavedShow.line.showID), Field("date", \SavedShow.line.date),
    Field("show_sequence", \SavedShow.line.showSequence),
    Field("venue_name", \SavedShow.line.venueName), Field("city", \SavedShow.line.city),
    Field("state", \SavedShow.line.state), Field("country", \SavedShow.line.country),
    Field("recording_count", \SavedShow.line.recordingCount),
    Field("average_rating", \SavedShow.line.averageRating),
    Field("added_to_library_at", \SavedShow.addedAt), Field("is_pinned", \SavedShow.isPinned),
    Field("library_notes", \SavedShow.notes),
    make: {
      id, date, sequence, venue, city, state, country, recordings, rating, added, isPinned, notes in
      SavedShow(
        line: ShowLine(
          showID: id, date: date, showSequence: sequence, venueName: venue, city: city,
          state: state, country: country, recordingCount: recordings, averageRating: rating,
          isInLibrary: true), addedAt: added, isPinned: isPinned, notes: notes)
    })

  static let list = KeysetList(
    "library", as: shape,
    columns: """
      shows.show_id, shows.date, shows.show_sequence, shows.venue_name, shows.city, shows.state, shows.country, \
      shows.recording_count, shows.average_rating, saved.added_to_library_at, saved.is_pinned, saved.library_notes
      """,
    from: """
      library_shows AS saved INDEXED BY idx_library_shows_is_pinned
      CROSS JOIN shows ON shows.show_id = saved.show_id
      """,
    orderedBy: [
      KeysetKey("saved.is_pinned", \SavedShow.isPinned),
      KeysetKey("saved.added_to_library_at", \SavedShow.addedAt),
      KeysetKey("saved.show_id", \SavedShow.line.showID),
    ], isDescending: true)
}
