public import CatalogModel
import GRDB

/// Reads browseable entries. Hidden items are in no list, no count and no facet.
///
/// Every call reads from one snapshot of the database. Calls throw `StoreError`: `unknownValue`,
/// `valueOfAnotherDimension`, `dimensionNotOfKind` and `availabilityNotOfKind` for filters,
/// `invalidLimit`, `malformedCursor` and `cursorOfAnotherList` for pages.
public struct LibraryRepository: Sendable {
  let reader: CatalogReader

  package init(_ reader: CatalogReader) {
    self.reader = reader
  }

  /// The items of a kind that pass the filters.
  ///
  /// - Parameters:
  ///   - limit: nil for all of them.
  ///   - cursor: where the page before ended (`ItemPage.next`).
  public func fetchItems(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil,
    after cursor: PageCursor? = nil
  ) async throws -> [LibraryItemRow] {
    try await reader.read { database in
      try Self.list(kind, filters, sort, in: database)
        .fetch(database, limit: limit, after: cursor).items
    }
  }

  /// The same with the total, where the next page begins, and facets where a mode is given.
  public func fetchPage(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil,
    after cursor: PageCursor? = nil, facets: FacetMode? = nil, includingZero: Bool = false
  ) async throws -> ItemPage {
    try await reader.read { database in
      let list = try Self.list(kind, filters, sort, in: database)
      let (items, next) = try list.fetch(database, limit: limit, after: cursor)
      let counts = try facets.map { mode in
        try FacetQuery(query: list.query, kind: kind, mode: mode, includesZero: includingZero)
          .fetch(database)
      }
      return ItemPage(
        items: items, total: try list.query.count(database), next: next, facets: counts)
    }
  }

  /// How many items of a kind pass the filters.
  public func countItems(kind: Kind, filters: Filters = Filters()) async throws -> Int {
    try await reader.read { database in
      try ItemQuery(kind: kind, filters: filters, in: database).count(database)
    }
  }

  /// The page now and after each change, as `CatalogObservation` tells.
  public func observeItems(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title, limit: Int? = nil
  ) -> CatalogObservation<[LibraryItemRow]> {
    reader.observe { database in
      try Self.list(kind, filters, sort, in: database)
        .fetch(database, limit: limit, after: nil).items
    }
  }

  private static func list(
    _ kind: Kind, _ filters: Filters, _ sort: Sort, in database: Database
  ) throws -> ItemList {
    ItemList(
      query: try ItemQuery(kind: kind, filters: filters, in: database), sort: sort,
      identity: ListIdentity(kind: kind, sort: sort, filters: filters, query: nil))
  }
}
