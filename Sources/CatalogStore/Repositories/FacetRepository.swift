public import CatalogModel
package import GRDB

/// How many items carry each value, by dimension.
public struct FacetCounts: Hashable, Sendable {
  public struct Facet: Hashable, Sendable {
    public let value: TagValue
    public let count: Int
  }

  /// One of the dimensions that the kind has, with its values: most items first, then by name.
  public struct DimensionFacets: Hashable, Sendable {
    public let dimension: TagDimension
    public let facets: [Facet]
  }

  public let dimensions: [DimensionFacets]
}

/// Counts items by tag value.
public struct FacetRepository: Sendable {
  private let reader: any DatabaseReader

  package init(_ reader: any DatabaseReader) {
    self.reader = reader
  }

  /// Counts for each dimension of the kind, over the visible items that pass all filters. Values that
  /// no such item carries are left out.
  ///
  /// - Throws: `StoreError` with `invalidRequest` where a filter names a dimension that the kind does
  ///   not have.
  public func facetCounts(
    kind: Kind, filters: Filters = Filters()
  ) async throws -> FacetCounts {
    try filters.check(for: kind)
    return try await reader.read { database in
      let condition = filters.condition
      let dimensions = try TagDimension.all(of: kind).map { dimension in
        var sql = """
          SELECT value.id, value.name, count(*) AS items FROM library_item
          JOIN \(dimension.joinTable) AS tagging ON tagging.item_id = library_item.id
          JOIN \(dimension.table) AS value ON value.id = tagging.\(dimension.joinColumn)
          WHERE kind = ? AND is_visible = 1
          """
        var arguments: StatementArguments = [kind.rawValue]
        if let condition {
          sql += " AND " + condition.sql
          arguments += StatementArguments(condition.arguments)
        }
        sql += " GROUP BY value.id ORDER BY items DESC, value.name"
        let facets = try Row.fetchAll(database, sql: sql, arguments: arguments).map { row in
          FacetCounts.Facet(value: TagValue(id: row[0], name: row[1]), count: row[2])
        }
        return FacetCounts.DimensionFacets(dimension: dimension, facets: facets)
      }
      return FacetCounts(dimensions: dimensions)
    }
  }
}
