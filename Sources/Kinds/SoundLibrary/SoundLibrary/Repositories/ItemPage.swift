public import CatalogEngine

/// `KeysetCursor`, by the name that it had for sound libraries.
public typealias PageCursor = KeysetCursor

/// A part of a list, with what belongs to the whole of it, all from one snapshot of the database.
public struct ItemPage: Hashable, Sendable {
  public let items: [LibraryItemRow]
  /// How many items the whole list has.
  public let total: Int
  /// Where the next page begins; nil after the last one.
  public let next: KeysetCursor?
  /// Nil where they were not asked for.
  public let facets: FacetCounts?

  init(
    items: [LibraryItemRow], total: Int, next: KeysetCursor?, facets: FacetCounts? = nil
  ) {
    self.items = items
    self.total = total
    self.next = next
    self.facets = facets
  }
}
