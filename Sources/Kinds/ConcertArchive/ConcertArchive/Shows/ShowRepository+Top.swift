public import CatalogEngine

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
    "projection_rated_show", ShowLine.shape, in: \TopShow.line,
    Field("rating", \TopShow.rating), Field("reviews", \TopShow.reviews), make: TopShow.init)

  static let list = KeysetList(
    "top shows", as: shape,
    columns: ShowLine.columns + ", rated.average_rating, rated.total_reviews",
    from: "projection_rated_show AS rated CROSS JOIN shows ON shows.show_id = rated.show_id",
    orderedBy: [
      KeysetKey("rated.average_rating", \TopShow.rating),
      KeysetKey("rated.total_reviews", \TopShow.reviews),
      KeysetKey("rated.show_id", \TopShow.line.showID),
    ], isDescending: true)
}
