public import CatalogEngine
import CatalogModel
public import CatalogStore
import GRDB

/// Reads browseable entries. Hidden items are in no list, no count and no facet.
///
/// Every call reads from one snapshot of the database. Calls throw `StoreError`: `unknownValue`,
/// `valueOfAnotherDimension`, `dimensionNotOfKind` and `availabilityNotOfKind` for filters,
/// `invalidLimit`, `malformedCursor` and `cursorOfAnotherList` for pages.
public struct LibraryRepository: Sendable {
  let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// The items of a kind that pass the filters.
  ///
  /// - Parameters:
  ///   - limit: nil for all of them.
  ///   - cursor: where the page before ended (`ItemPage.next`).
  public func fetchItems(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil,
    after cursor: KeysetCursor? = nil
  ) async throws -> [LibraryItemRow] {
    let parts = ItemList.parts(filters, sort, limit)
    return try await reader.read(with: parts) { database, index in
      try Self.items(kind, filters, sort, limit, cursor, database, index)
    }
  }

  /// The same with the total, where the next page begins, and facets where a mode is given.
  public func fetchPage(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil,
    after cursor: KeysetCursor? = nil, facets: FacetMode? = nil, includingZero: Bool = false
  ) async throws -> ItemPage {
    var parts = ItemList.parts(filters, sort, limit)
    if facets != nil { parts.isMade = true }
    if !ItemList.isPage(limit) { parts.order = nil }
    return try await reader.read(with: parts) { database, index in
      let list = try Self.list(kind, filters, sort, in: database, index)
      let facetQuery = facets.map {
        FacetQuery(query: list.query, kind: kind, mode: $0, includesZero: includingZero)
      }
      guard let index else {
        return ItemPage(
          try list.fetch(database, limit: limit, after: cursor),
          total: try list.query.count(database), facets: try facetQuery?.fetch(database))
      }
      let selection = ItemSelection(list.query, index)
      let found = selection.items()
      return ItemPage(
        try list.fetch(found, index, database, limit: limit, after: cursor),
        total: found.count, facets: try facetQuery?.fetch(selection, found, index))
    }
  }

  /// How many items of a kind pass the filters.
  public func countItems(kind: Kind, filters: Filters = Filters()) async throws -> Int {
    let parts = SoundIndex.Parts(isMade: !filters.isEmpty)
    return try await reader.read(with: parts) { database, index in
      let query = try ItemQuery(kind: kind, filters: filters, in: database, index)
      guard let index else { return try query.count(database) }
      return ItemSelection(query, index).items().count
    }
  }

  /// The page now and after each change, as `CatalogObservation` tells.
  public func observeItems(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil
  ) -> CatalogObservation<[LibraryItemRow]> {
    reader.observe(with: ItemList.parts(filters, sort, limit)) { database, index in
      try Self.items(kind, filters, sort, limit, nil, database, index)
    }
  }

  private static func items(
    _ kind: Kind, _ filters: Filters, _ sort: Sort, _ limit: Int?, _ cursor: KeysetCursor?,
    _ database: Database, _ index: SoundIndex?
  ) throws -> [LibraryItemRow] {
    let list = try list(kind, filters, sort, in: database, index)
    guard let index else { return try list.fetch(database, limit: limit, after: cursor).rows }
    return try list.fetch(
      ItemSelection(list.query, index).items(), index, database, limit: limit, after: cursor
    ).rows
  }

  private static func list(
    _ kind: Kind, _ filters: Filters, _ sort: Sort, in database: Database,
    _ index: SoundIndex?
  ) throws -> ItemList {
    ItemList(
      query: try ItemQuery(kind: kind, filters: filters, in: database, index), sort: sort,
      name: ItemList.name(kind: kind, sort: sort, filters: filters, query: nil))
  }
}
