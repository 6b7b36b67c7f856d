import CatalogModel
public import CatalogStore
import GRDB

/// Counts items by tag value and by availability.
public struct FacetRepository: Sendable {
  private let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// Counts over the visible items, for each dimension that the kind has. Values come from the catalog:
  /// what no item carries is left out, unless it is part of the filters or zero counts are asked for.
  ///
  /// - Throws: as `LibraryRepository` for filters.
  public func facetCounts(
    kind: Kind, filters: Filters = Filters(), mode: FacetMode = .afterFilters,
    includingZero: Bool = false
  ) async throws -> FacetCounts {
    try await reader.read(with: .tags) {
      try Self.counts($0, $1, kind, filters, mode, includingZero)
    }
  }

  /// The counts now and after each change, as `CatalogObservation` tells.
  public func observeFacets(
    kind: Kind, filters: Filters = Filters(), mode: FacetMode = .afterFilters,
    includingZero: Bool = false
  ) -> CatalogObservation<FacetCounts> {
    reader.observe(with: .tags) {
      try Self.counts($0, $1, kind, filters, mode, includingZero)
    }
  }

  private static func counts(
    _ database: Database, _ index: SoundIndex?, _ kind: Kind, _ filters: Filters,
    _ mode: FacetMode, _ includingZero: Bool
  ) throws -> FacetCounts {
    let query = try ItemQuery(kind: kind, filters: filters, in: database, index)
    let facets = FacetQuery(query: query, kind: kind, mode: mode, includesZero: includingZero)
    guard let index else { return try facets.fetch(database) }
    let selection = ItemSelection(query, index)
    return try facets.fetch(selection, selection.items(), index)
  }
}
