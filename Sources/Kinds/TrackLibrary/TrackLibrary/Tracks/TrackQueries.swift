public import CatalogEngine

/// Finds tracks, removes them, and counts plays.
public struct TrackQueries: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// Tracks page by page.
  ///
  /// - Throws: `StoreError` with `invalidLimit`, `cursorOfAnotherList`.
  public func list(
    _ filter: TrackFilter = .all, by sort: TrackSort = .title, limit: Int,
    after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<TrackLine> {
    try await catalog.read { rows in
      let list = filter.list(by: sort, isRare: try filter.isRare(in: rows))
      return try rows.page(of: list, limit: limit, after: cursor)
    }
  }

  /// Tracks that a query finds: first those whose titles begin with it, by title; then the others that have all its
  /// words in title, artist or album, the newest first. The last word may be the beginning of one.
  ///
  /// - Throws: `StoreError` with `invalidLimit`, `cursorOfAnotherList`.
  public func search(
    _ query: String, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<TrackLine> {
    let lists = TrackQuery(query).lists
    guard !lists.isEmpty else { return KeysetPage(rows: [], next: nil) }
    let page = try await catalog.page(ofEach: lists, limit: limit, after: cursor)
    return KeysetPage(rows: page.rows.map(\.line), next: page.next)
  }

  /// Finds the words that may have been meant by a query without tracks: nil if no words are like them.
  ///
  /// Reads the words of all tracks.
  public func nearMiss(of query: String) async throws -> String? {
    let words = try await catalog.read { rows in
      try rows.rows(as: FoundWords.shape, of: "SELECT words FROM projection_track_words")
    }
    guard let near = SearchQuery(query).nearMiss(in: words.lazy.map(\.words)),
      !(try await search(near, limit: 1).rows.isEmpty)
    else { return nil }
    return near
  }

  /// The track with this id; nil if there is none.
  public func track(_ id: EntityID) async throws -> Track? {
    try await catalog.row(of: Track.table, key: id)
  }

  /// Counts a play.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if there is no such track.
  @discardableResult
  public func play(_ id: EntityID) async throws -> ChangeReport {
    try await catalog.change(by: "person") { _ in [.trackPlayed(id)] }
  }

  /// Tracks that were played, page by page; also those that were removed since.
  ///
  /// - Throws: `StoreError` with `invalidLimit`, `cursorOfAnotherList`.
  public func played(
    by sort: PlaySort = .recent, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<PlayedTrack> {
    try await catalog.page(of: PlayedTrack.list(by: sort), limit: limit, after: cursor)
  }

  /// How often a track was played; nil if it never was. A track that is gone keeps its plays.
  public func plays(of id: EntityID) async throws -> TrackPlay? {
    try await catalog.row(of: TrackPlay.table, key: id)
  }

  /// Removes a track, also from the playlists. One that is not there changes nothing.
  @discardableResult
  public func remove(_ id: EntityID) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      try rows.row(of: TrackSource.table, key: id) == nil ? [] : [.trackRemoved(id)]
    }
  }
}

/// The words of a row.
private struct FoundWords: Sendable {
  var words: String

  static let shape = TypedTable(
    "words", key: ["words"], Field("words", \FoundWords.words), make: FoundWords.init)
}
