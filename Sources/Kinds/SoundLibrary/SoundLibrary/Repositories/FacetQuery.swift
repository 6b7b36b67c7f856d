import CatalogModel
import CatalogStore
import GRDB
import Support

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
    let statement = try database.makeStatement(sql: countSQL(dimensions))
    try statement.forEachRow(of: StoredRow.Origin("facets")) { row in
      let place = try row.count(0)
      counts[place][try row.part(Self.joinOrigin(dimensions[place])).integer(1)] = try row.count(2)
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
      var unknown = Set(counts.keys)
      try database.forEachRow(of: TagValue.origin(dimension), sql) { row in
        let value = try TagValue(row)
        unknown.remove(value.id)
        guard includesZero || counts[value.id] ?? 0 > 0 || chosen.contains(value.id) else {
          return
        }
        facets.append(facet(value))
      }
      if let id = unknown.min() { throw Self.unknown(id, dimension) }
    } else {
      // Sorted, so that the same drift gives the same error.
      for id in chosen.union(counts.keys).sorted() {
        let value = try database.firstRow(
          of: TagValue.origin(dimension), sql + " WHERE id = ?", [id], TagValue.init)
        guard let value else { throw Self.unknown(id, dimension) }
        facets.append(facet(value))
      }
    }
    return facets.sorted { left, right in
      left.count != right.count
        ? left.count > right.count
        : left.value.name.utf8.lexicographicallyPrecedes(right.value.name.utf8)
    }
  }

  private static func unknown(_ id: Int64, _ dimension: TagDimension) -> StoreError {
    StoreError(
      .drifted,
      "an item has the tag \(id), which \(dimension.key) does not have; "
        + StoreError.drift)
  }

  /// Where counts by value come from.
  private static func joinOrigin(_ dimension: TagDimension) -> StoredRow.Origin {
    StoredRow.Origin(dimension.joinTable, (dimension.joinColumn, 1))
  }

  /// From how many values on one scan of their table is less work than finding each.
  private static let namesToScanFor = 200

  private func availability(_ database: Database) throws -> [FacetCounts.AvailabilityFacet] {
    let condition = query.condition(without: mode == .disjunctive ? .availability : nil)
    let possible = Availability.recorded(of: kind)
    var counts: [String: Int] = [:]
    // Music is all the same: its items need not be looked at one by one.
    let expression = possible.count == 1 ? "'\(possible[0].rawValue)'" : Availability.recordedSQL
    try database.forEachRow(
      of: LibraryItemRow.origin,
      """
      SELECT \(expression) AS availability, count(*) FROM library_item AS item
      WHERE \(condition) GROUP BY 1
      """
    ) { counts[try $0.text(0)] = try $0.count(1) }
    return availability { counts[$0.rawValue] ?? 0 }
  }

  private func availability(
    _ count: (Availability) -> Int
  ) -> [FacetCounts.AvailabilityFacet] {
    Availability.recorded(of: kind).compactMap { availability in
      let count = count(availability)
      guard includesZero || count > 0 || query.filters.availability.contains(availability) else {
        return nil
      }
      return FacetCounts.AvailabilityFacet(availability: availability, count: count)
    }
  }
}

extension FacetQuery {
  /// The same from an index.
  ///
  /// - Parameter all: the items that pass all filters.
  func fetch(
    _ selection: ItemSelection, _ all: ItemSelection.Items, _ index: SoundIndex
  ) throws -> FacetCounts {
    let dimensions = TagDimension.all(of: kind)
    func isCountedApart(_ dimension: TagDimension) -> Bool {
      mode == .disjunctive && !query.filters.included[dimension].isEmpty
    }
    let counts = selection.valueCounts(
      of: all, in: dimensions.filter { !isCountedApart($0) }, kind)
    return FacetCounts(
      dimensions: try dimensions.map { dimension in
        let own =
          isCountedApart(dimension)
          ? selection.valueCounts(
            of: selection.items(without: .dimension(dimension)), in: [dimension], kind)
          : counts
        return FacetCounts.DimensionFacets(
          dimension: dimension, facets: try facets(own, of: dimension, index.vocabularies))
      },
      availability: availability(selection, all))
  }

  private func facets(
    _ counts: [UInt32], of dimension: TagDimension, _ vocabularies: Vocabularies
  ) throws -> [FacetCounts.Facet] {
    if let unknown = vocabularies.unnamed(in: dimension).first(where: { counts[Int($0)] > 0 }) {
      throw Self.unknown(vocabularies.id(of: unknown), dimension)
    }
    let chosen = Set(
      (query.filters.included[dimension] + query.filters.excluded[dimension])
        .compactMap { vocabularies.ordinal(of: $0, in: dimension) })
    let named = vocabularies.named(in: dimension)
    // Sorted as numbers: the count, upside down, and the place among the names.
    var order: [UInt64] = []
    for (rank, ordinal) in named.enumerated() {
      let count = counts[Int(ordinal)]
      guard includesZero || count > 0 || chosen.contains(ordinal) else { continue }
      order.append(UInt64(~count) << 32 | UInt64(rank))
    }
    order.sort()
    return order.compactMap { place in
      let ordinal = named[Int(place & 0xFFFF_FFFF)]
      return vocabularies.value(of: ordinal).map { value in
        FacetCounts.Facet(
          value: value, count: Int(counts[Int(ordinal)]), isSelected: chosen.contains(ordinal))
      }
    }
  }

  private func availability(
    _ selection: ItemSelection, _ all: ItemSelection.Items
  ) -> [FacetCounts.AvailabilityFacet] {
    let isCountedApart = mode == .disjunctive && !query.filters.availability.isEmpty
    let counts = selection.availabilityCounts(
      of: isCountedApart ? selection.items(without: .availability) : all, kind)
    return availability { counts[$0] ?? 0 }
  }
}
