import CatalogModel

/// How many items carry each value, by dimension, and how many have each availability.
public struct FacetCounts: Hashable, Sendable {
  public struct Facet: Hashable, Sendable {
    public let value: TagValue
    public let count: Int
    /// Whether the filters choose or exclude it.
    public let isSelected: Bool
  }

  /// One of the dimensions that the kind has, with its values: most items first, then by name.
  public struct DimensionFacets: Hashable, Sendable {
    public let dimension: TagDimension
    public let facets: [Facet]
  }

  public struct AvailabilityFacet: Hashable, Sendable {
    public let availability: Availability
    public let count: Int
  }

  public let dimensions: [DimensionFacets]
  /// What the catalog says, without a look at files; in the order of `Availability.recorded(of:)`.
  public let availability: [AvailabilityFacet]

  /// The facets of a dimension; empty for one that the kind does not have.
  public subscript(dimension: TagDimension) -> [Facet] {
    dimensions.first { $0.dimension == dimension }?.facets ?? []
  }
}

/// Which items facets are counted over.
public enum FacetMode: String, CaseIterable, Hashable, Sendable {
  /// Those that pass all filters.
  case afterFilters
  /// For each dimension, those that pass all filters but the choice in that dimension: what another
  /// choice there would add. What a sidebar with several selections shows. Excluded values stay
  /// excluded.
  case disjunctive
}
