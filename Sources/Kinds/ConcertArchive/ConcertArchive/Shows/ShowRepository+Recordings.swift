import CatalogEngine
public import ConcertArchiveKind

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

  /// The recording with this identifier; nil where there is none.
  public func recording(_ identifier: String) async throws -> Recording? {
    try await catalog.row(of: Recording.table, key: identifier)
  }
}
