public import CatalogEngine

/// `KeysetCursor`, by the name that it had for sound libraries.
public typealias PageCursor = KeysetCursor

/// A page of items with the facets of the whole list, both from one snapshot of the database.
public struct ItemPage: Hashable, Sendable {
  /// The items, and the total.
  public let page: KeysetPage<LibraryItemRow>
  /// Nil if the caller did not ask for them.
  public let facets: FacetCounts?

  public var items: [LibraryItemRow] { page.rows }
  /// How many items the whole list has.
  public var total: Int { page.total ?? page.rows.count }
  /// Where the next page begins; nil after the last one.
  public var next: KeysetCursor? { page.next }

  static let empty = ItemPage(KeysetPage(rows: [], next: nil), total: 0)

  init(_ page: KeysetPage<LibraryItemRow>, total: Int, facets: FacetCounts? = nil) {
    self.page = KeysetPage(rows: page.rows, next: page.next, total: total)
    self.facets = facets
  }
}
