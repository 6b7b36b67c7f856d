public import CatalogEngine
import CatalogModel
import GRDB

extension LibraryRepository {
  /// Items whose title, subtitle or tags have all words of the query, the last one perhaps only begun.
  ///
  /// Case, accents, width and quotes do not count; `sci-fi` finds `Sci-Fi` and `scifi`, `C++` does not
  /// find every `C`, and names in scripts without spaces are found by any part. Whole titles come first,
  /// then titles that begin with the query, then titles that have all words, then the rest; equal ranks
  /// by title. There is no query language and no query is an error. A blank query finds everything, one
  /// without any word or sign in it (`""`) nothing.
  ///
  /// - Parameter kind: nil for items of every kind. Then values of the three dimensions of themes are
  ///   filtered by as if they were of one: an item passes with any of them.
  public func searchItems(
    kind: Kind?, query: String, filters: Filters = Filters(), limit: Int? = nil,
    after cursor: KeysetCursor? = nil
  ) async throws -> [LibraryItemRow] {
    try await reader.read(with: ItemSearch.parts(limit)) { database, index in
      try Self.search(kind, query, filters, limit, cursor, database, index).items
    }
  }

  /// The same with the total, and where the next page begins.
  public func searchPage(
    kind: Kind?, query: String, filters: Filters = Filters(), limit: Int? = nil,
    after cursor: KeysetCursor? = nil
  ) async throws -> ItemPage {
    try await reader.read(with: ItemSearch.parts(limit)) { database, index in
      try Self.search(kind, query, filters, limit, cursor, database, index)
    }
  }

  /// Finds the words that may have been meant by a query without items; nil if no words are like them.
  ///
  /// Reads the words of all items and values.
  ///
  /// - Parameters: as those of `searchPage`.
  public func nearMiss(
    kind: Kind?, query: String, filters: Filters = Filters()
  ) async throws -> String? {
    let texts = try await reader.read { database in
      try database.rows(
        of: ItemWords.origin,
        """
        SELECT title || ' ' || title_variants || ' ' || subtitle FROM projection_item_text
        UNION ALL SELECT words FROM projection_value
        """
      ) { try $0.text(0) }
    }
    guard let near = SearchQuery(query).nearMiss(in: texts) else { return nil }
    let page = try await searchPage(kind: kind, query: near, filters: filters, limit: 1)
    return page.items.isEmpty ? nil : near
  }

  /// Counts the hidden items that have all words of a query: what a search leaves out.
  ///
  /// - Parameters: as those of `searchPage`.
  public func countHidden(
    kind: Kind?, query: String, filters: Filters = Filters()
  ) async throws -> Int {
    try await reader.read { database in
      var hidden = try ItemQuery(kind: kind, filters: filters, in: database)
      hidden.isVisible = false
      let name = ItemList.name(kind: kind, sort: nil, filters: filters, query: query)
      let search = try ItemSearch(SearchQuery(query), hidden, name, in: database)
      return try search.fetch(database, limit: 1, after: nil).total
    }
  }

  private static func search(
    _ kind: Kind?, _ query: String, _ filters: Filters, _ limit: Int?, _ cursor: KeysetCursor?,
    _ database: Database, _ index: SoundIndex?
  ) throws -> ItemPage {
    let search = try ItemSearch(
      SearchQuery(query), ItemQuery(kind: kind, filters: filters, in: database, index),
      ItemList.name(kind: kind, sort: nil, filters: filters, query: query), in: database)
    guard let index, let words = index.words, let keys = index.keys(.title) else {
      return try search.fetch(database, limit: limit, after: cursor)
    }
    return try search.fetch(database, index, words, keys, limit: limit, after: cursor)
  }
}
