public import CatalogEngine

extension RecentPlays {
  /// Shows that were played, the last first. A show that the archive lost meanwhile is still among them.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<RecentShow> {
    try await catalog.page(of: Self.list, limit: limit, after: cursor)
  }

  /// Shows that were played, those played most often first.
  public func mostPlayed(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<RecentShow> {
    try await catalog.page(of: Self.mostPlayed, limit: limit, after: cursor)
  }

  /// What was played of a show; nil if it was not, or is hidden.
  public func show(_ id: String) async throws -> RecentShow? {
    try await catalog.row(of: RecentShow.table, key: id)
  }

  /// A show that is hidden has its count still, and no row: the join leaves it out.
  static let mostPlayed = KeysetList(
    "most played shows", as: RecentShow.table,
    columns: """
      recent.show_id, recent.last_played_timestamp, recent.first_played_timestamp, counted.play_count
      """,
    from: """
      projection_counted_play AS counted
      CROSS JOIN recent_shows AS recent ON recent.show_id = counted.show_id
      """,
    orderedBy: [
      KeysetKey("counted.play_count", \RecentShow.totalPlayCount),
      KeysetKey("counted.show_id", \RecentShow.showID),
    ], isDescending: true)

  static let list = KeysetList(
    "recent shows", as: RecentShow.table, from: "recent_shows",
    orderedBy: [
      KeysetKey("last_played_timestamp", \RecentShow.lastPlayedTimestamp),
      KeysetKey("show_id", \RecentShow.showID),
    ], isDescending: true)
}
