import CatalogModel
import GRDB

/// Counts the items of a query by tag value and by availability.
struct FacetQuery {
  let query: ItemQuery
  let kind: Kind
  let mode: FacetMode
  /// Whether values that no item carries are listed too.
  let includesZero: Bool

  func fetch(_ database: Database) throws -> FacetCounts {
    let dimensions = TagDimension.all(of: kind)
    var counts = Array(repeating: [Int64: Int](), count: dimensions.count)
    for row in try Row.fetchAll(database, sql: countSQL(dimensions)) {
      counts[row[0]][row[1]] = row[2]
    }
    return FacetCounts(
      dimensions: try dimensions.enumerated().map { place, dimension in
        FacetCounts.DimensionFacets(
          dimension: dimension, facets: try facets(counts[place], of: dimension, database))
      },
      availability: try availability(database))
  }

  /// One statement counts all dimensions, so that items which several of them are counted over are
  /// found once.
  private func countSQL(_ dimensions: [TagDimension]) -> String {
    var tables: [String] = []
    var names: [String: String] = [:]
    let counts = dimensions.enumerated().map { place, dimension in
      let condition = query.condition(
        without: mode == .disjunctive ? .dimension(dimension) : nil)
      let name = names[condition] ?? "matched\(names.count)"
      // Dimensions without a choice are counted over the same items.
      if names.updateValue(name, forKey: condition) == nil {
        tables.append(
          "\(name)(id) AS MATERIALIZED "
            + "(SELECT item.id FROM library_item AS item WHERE \(condition))")
      }
      return """
        SELECT \(place), tagging.\(dimension.joinColumn), count(*) FROM \(name)
        CROSS JOIN \(dimension.joinTable) AS tagging ON tagging.item_id = \(name).id
        GROUP BY tagging.\(dimension.joinColumn)
        """
    }
    return "WITH \(tables.joined(separator: ", ")) \(counts.joined(separator: " UNION ALL "))"
  }

  private func facets(
    _ counts: [Int64: Int], of dimension: TagDimension, _ database: Database
  ) throws -> [FacetCounts.Facet] {
    let chosen = Set(query.filters.included[dimension] + query.filters.excluded[dimension])
    func facet(_ value: TagValue) -> FacetCounts.Facet {
      FacetCounts.Facet(
        value: value, count: counts[value.id] ?? 0, isSelected: chosen.contains(value.id))
    }
    let sql = "SELECT id, name FROM \(dimension.table)"
    var facets: [FacetCounts.Facet] = []
    if includesZero || counts.count > Self.namesToScanFor {
      for row in try Row.fetchAll(database, sql: sql) {
        let count = counts[row[0]] ?? 0
        guard includesZero || count > 0 || chosen.contains(row[0]) else { continue }
        facets.append(facet(TagValue(id: row[0], name: row[1])))
      }
    } else {
      // Sorted, so that the same drift gives the same error.
      for id in chosen.union(counts.keys).sorted() {
        guard let row = try Row.fetchOne(database, sql: sql + " WHERE id = ?", arguments: [id])
        else {
          throw StoreError(
            .drifted,
            "an item carries \(id), which \(dimension.key) does not have; "
              + "`catalogctl verify` shows where, `catalogctl rebuild` repairs it")
        }
        facets.append(facet(TagValue(id: row[0], name: row[1])))
      }
    }
    return facets.sorted { left, right in
      left.count != right.count
        ? left.count > right.count
        : left.value.name.utf8.lexicographicallyPrecedes(right.value.name.utf8)
    }
  }

  /// From how many values on one scan of their table is less work than finding each.
  private static let namesToScanFor = 200

  private func availability(_ database: Database) throws -> [FacetCounts.AvailabilityFacet] {
    let condition = query.condition(without: mode == .disjunctive ? .availability : nil)
    let possible = Availability.all(of: kind)
    var counts: [String: Int] = [:]
    // Music is all the same: its items need not be looked at one by one.
    let expression = possible.count == 1 ? "'\(possible[0].rawValue)'" : Availability.sql
    for row in try Row.fetchAll(
      database,
      sql: """
        SELECT \(expression) AS availability, count(*) FROM library_item AS item
        WHERE \(condition) GROUP BY 1
        """)
    {
      counts[row[0]] = row[1]
    }
    return possible.compactMap { availability in
      let count = counts[availability.rawValue] ?? 0
      guard includesZero || count > 0 || query.filters.availability.contains(availability) else {
        return nil
      }
      return FacetCounts.AvailabilityFacet(availability: availability, count: count)
    }
  }
}
