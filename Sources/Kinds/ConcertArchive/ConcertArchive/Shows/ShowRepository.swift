public import CatalogEngine
import CatalogModel

/// Finds shows, their recordings and the collections that have them.
public struct ShowRepository: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  /// Shows in the order of time, page by page.
  ///
  /// - Parameter newestFirst: the same backwards.
  /// - Throws: `StoreError` with `invalidLimit`, `cursorOfAnotherList`.
  public func list(
    _ filter: ShowFilter = .all, newestFirst: Bool = false, limit: Int,
    after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<ShowLine> {
    try await catalog.read { rows in
      let list = filter.list(newestFirst: newestFirst, spellings: try filter.spellings(in: rows))
      return try rows.page(of: list, limit: limit, after: cursor)
    }
  }

  /// Places of the archive that can be meant by the city, the state or the venue of a list without shows, the most
  /// likely first; none for other lists.
  public func nearMisses(of filter: ShowFilter) async throws -> [String] {
    try await catalog.read { try filter.nearMisses(in: $0) }
  }

  /// The show with this id; nil if there is none.
  public func show(_ id: String) async throws -> Show? {
    try await catalog.row(of: Show.table, key: id)
  }

  /// Shows that have all words of a query (`ShowQuery`), those with the words as they stand first, then in the order
  /// of time.
  public func search(
    _ query: String, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<ShowHit> {
    guard let list = ShowQuery(query).list else { return KeysetPage(rows: [], next: nil) }
    return try await catalog.page(of: list, limit: limit, after: cursor)
  }

  /// Finds the words that may have been meant by a query without shows; nil if no words are like them.
  ///
  /// Reads the words of all shows.
  public func nearMiss(of query: String) async throws -> String? {
    let texts = try await catalog.read { rows in
      try rows.rows(as: PlaceName.shape, of: "SELECT search_words FROM projection_show_text")
    }
    guard let near = SearchQuery(query).nearMiss(in: texts.lazy.map(\.name)),
      !(try await search(near, limit: 1).rows.isEmpty)
    else { return nil }
    return near
  }

  /// What was imported last; nil before the first package.
  public func version() async throws -> DataVersion? {
    try await catalog.row(of: DataVersion.table, key: 1)
  }
}
