public import CatalogEngine

extension ShowRepository {
  /// The recordings that a show lists, the best first: by rating, confidence, reviews and identifier. What the package
  /// calls the best (`Show.bestRecordingID`) need not be the first.
  ///
  /// A recording of two shows is among those of both.
  ///
  /// - Throws: `UnknownShow`.
  public func recordings(of show: String) async throws -> [Recording] {
    try await catalog.read { rows in
      guard try rows.row(of: Show.table, key: show) != nil else { throw UnknownShow(show) }
      return try rows.rows(as: Recording.table, of: Self.recordingsOfShow, [show])
    }
  }

  static let recordingsOfShow = """
    SELECT recordings.* FROM projection_show_recording AS link
    CROSS JOIN recordings ON recordings.identifier = link.identifier
    WHERE link.show_id = ?
    ORDER BY rating DESC, confidence DESC, review_count DESC, recordings.identifier
    """

  /// The recording with this identifier; nil if there is none.
  public func recording(_ identifier: String) async throws -> Recording? {
    try await catalog.row(of: Recording.table, key: identifier)
  }

  /// The recording of a show with the highest rating; nil if the show has none.
  ///
  /// - Throws: `UnknownShow`.
  public func bestRecording(of show: String) async throws -> Recording? {
    try await recordings(of: show).first
  }

  /// All recordings with ratings, the best first: by rating, then by the number of reviews.
  ///
  /// - Parameters:
  ///   - sourceType: only those that were made so: `SBD`.
  ///   - minReviews: only those with this many reviews or more.
  public func topRecordings(
    sourceType: String? = nil, minReviews: Int = 0, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Recording> {
    try await catalog.read { rows in
      var isRare = false
      if let sourceType {
        let counted = try rows.rows(
          as: ShowCount.shape, of: Self.countOfSourceType, [sourceType, Self.rareLimit])
        isRare = (counted.first?.count ?? 0) < Self.rareLimit
      }
      let list = Self.topRecordings(
        sourceType: sourceType, minReviews: minReviews, isRare: isRare)
      return try rows.page(of: list, limit: limit, after: cursor)
    }
  }

  /// Up to how many recordings of a type are sorted sooner than the index of ratings is searched for them.
  private static let rareLimit: Int64 = 2_000
  private static let countOfSourceType =
    "SELECT count(*) FROM (SELECT 1 FROM recordings WHERE source_type = ? LIMIT ?)"

  /// - Parameter isRare: whether there are few recordings of the type: all of them are sorted then. A page of a common
  ///   type is found sooner in the order of ratings.
  static func topRecordings(
    sourceType: String?, minReviews: Int, isRare: Bool
  ) -> KeysetList<Recording> {
    KeysetList(
      "top recordings\(sourceType.map { " of \($0)" } ?? "") from \(minReviews) reviews",
      as: Recording.table,
      from: "recordings INDEXED BY "
        + (isRare ? "idx_recordings_source_type" : "idx_recordings_rating"),
      where: "rating > 0 AND review_count >= ?" + (sourceType == nil ? "" : " AND source_type = ?"),
      [Int64(minReviews)] + (sourceType.map { [$0] } ?? []),
      orderedBy: [
        KeysetKey("rating", \Recording.rating), KeysetKey("review_count", \Recording.reviewCount),
        KeysetKey("identifier", \Recording.identifier),
      ], isDescending: true)
  }
}
