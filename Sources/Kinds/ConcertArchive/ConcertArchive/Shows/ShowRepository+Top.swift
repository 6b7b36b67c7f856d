public import CatalogEngine
import ConcertArchiveKind

extension ShowRepository {
  /// The shows with ratings, the best first: by rating, then by the number of reviews.
  public func top(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<TopShow> {
    try await catalog.page(of: TopShow.list, limit: limit, after: cursor)
  }
}

/// A show of the list of the best.
public struct TopShow: Hashable, Sendable {
  public var line: ShowLine
  public var rating: Double
  public var reviews: Int64

  static let shape = TypedTable(
    "projection_rated_show", key: ["show_id"],
    Field("show_id", \TopShow.line.showID), Field("date", \TopShow.line.date),
    Field("show_sequence", \TopShow.line.showSequence),
    Field("venue_name", \TopShow.line.venueName), Field("city", \TopShow.line.city),
    Field("state", \TopShow.line.state), Field("country", \TopShow.line.country),
    Field("recording_count", \TopShow.line.recordingCount),
    Field("is_in_library", \TopShow.line.isInLibrary), Field("rating", \TopShow.rating),
    Field("reviews", \TopShow.reviews),
    make: {
      id, date, sequence, venue, city, state, country, recordings, isInLibrary, rating, reviews in
      TopShow(
        line: ShowLine(
          showID: id, date: date, showSequence: sequence, venueName: venue, city: city,
          state: state, country: country, recordingCount: recordings, averageRating: rating,
          isInLibrary: isInLibrary), rating: rating, reviews: reviews)
    })

  static let list = KeysetList(
    "top shows", as: shape,
    columns: """
      shows.show_id, shows.date, shows.show_sequence, shows.venue_name, shows.city, shows.state, shows.country, \
      shows.recording_count, shows.is_in_library, rated.average_rating, rated.total_reviews
      """,
    from: "projection_rated_show AS rated CROSS JOIN shows ON shows.show_id = rated.show_id",
    orderedBy: [
      KeysetKey("rated.average_rating", \TopShow.rating),
      KeysetKey("rated.total_reviews", \TopShow.reviews),
      KeysetKey("rated.show_id", \TopShow.line.showID),
    ], isDescending: true)
}
