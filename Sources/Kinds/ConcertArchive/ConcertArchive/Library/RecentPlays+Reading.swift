public import CatalogEngine
public import ConcertArchiveKind

extension RecentPlays {
  /// Shows that were played, the last first. A show that the archive lost meanwhile is still among them.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<RecentShow> {
    try await catalog.page(of: Self.list, limit: limit, after: cursor)
  }

  static let list = KeysetList(
    "recent shows", as: RecentShow.table, from: "recent_shows",
    orderedBy: [
      KeysetKey("last_played_timestamp", \RecentShow.lastPlayedTimestamp),
      KeysetKey("show_id", \RecentShow.showID),
    ], isDescending: true)
}
