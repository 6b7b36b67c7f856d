import CatalogModel
import CatalogStore
import GRDB
import Projections
import Support

/// Filters that were checked against the catalog: every id is one of its dimension's values, ids of merged
/// values have become those that stand for them.
struct ResolvedFilters {
  private(set) var included = TagSelection()
  private(set) var excluded = TagSelection()
  let availability: Set<Availability>

  var isEmpty: Bool { availability.isEmpty && included.isEmpty && excluded.isEmpty }

  /// - Parameters:
  ///   - kind: nil if items of any kind are wanted.
  ///   - vocabularies: those of an index, if there is one: what they have needs no query.
  /// - Throws: `StoreError` that says which id, dimension or availability is wrong.
  init(
    _ filters: Filters, kind: Kind?, in database: Database, _ vocabularies: Vocabularies?
  ) throws {
    availability = filters.availability
    if availability.contains(.fileMissing) {
      throw StoreError(
        .availabilityNotOfKind,
        "fileMissing cannot be a filter: only the files of the items on a page are checked; \(do: .examine) lists missing files"
      )
    }
    if let kind {
      let possible = Availability.recorded(of: kind)
      // Sorted, so that the same mistake gives the same message.
      let wrong = availability.sorted { $0.rawValue < $1.rawValue }.first { !possible.contains($0) }
      if let wrong {
        throw StoreError(
          .availabilityNotOfKind,
          "items of kind \(kind.rawValue) are never \(wrong.rawValue), only "
            + "\(possible.map(\.rawValue).joined(separator: ", "))")
      }
    }
    for dimension in TagDimension.all {
      included[dimension] = try Self.resolve(
        filters.included, dimension, kind, database, vocabularies)
      excluded[dimension] = try Self.resolve(
        filters.excluded, dimension, kind, database, vocabularies)
    }
  }

  private static func resolve(
    _ selection: TagSelection, _ dimension: TagDimension, _ kind: Kind?, _ database: Database,
    _ vocabularies: Vocabularies?
  ) throws -> [Int64] {
    let ids = selection[dimension]
    guard !ids.isEmpty else { return [] }
    if let kind, !dimension.kinds.contains(kind) {
      throw StoreError(
        .dimensionNotOfKind,
        "items of kind \(kind.rawValue) have no \(dimension.key) to filter by, only "
          + "\(TagDimension.all(of: kind).map(\.key).joined(separator: ", "))")
    }
    let resolved = try Set(ids).sorted().map { id in
      if let vocabularies, vocabularies.has(id, in: dimension) { return id }
      return try resolve(id, dimension, database)
    }
    return Set(resolved).sorted()
  }

  private static func resolve(
    _ id: Int64, _ dimension: TagDimension, _ database: Database
  ) throws -> Int64 {
    if try exists(id, dimension, database) { return id }
    let winner = try database.firstRow(
      of: StoredRow.Origin("projection_value", ("number", 1)),
      """
      SELECT merged_into, number FROM projection_value
      WHERE dimension = ? AND value_id = ? AND merged_into IS NOT NULL
      """, [dimension.table, id]
    ) { try $0.integer(0) }
    if let winner { return winner }
    for other in TagDimension.all where other != dimension {
      if let name = try database.firstRow(
        of: TagValue.origin(other), "SELECT id, name FROM \(other.table) WHERE id = ?", [id],
        { try $0.text(1) })
      {
        throw StoreError(
          .valueOfAnotherDimension,
          "\(id) is not an id of \(dimension.key): it is \"\(name)\" of \(other.key)")
      }
    }
    let merged = try database.firstRow(
      of: StoredRow.Origin("projection_value", ("number", 1)),
      "SELECT dimension, number FROM projection_value WHERE value_id = ? ORDER BY number", [id]
    ) { try $0.dimension(0) }
    if let other = merged {
      throw StoreError(
        .valueOfAnotherDimension,
        "\(id) is not an id of \(dimension.key): it was a value of \(other.key), since merged")
    }
    throw StoreError(.unknownValue, "\(dimension.key) has no value with id \(id)")
  }

  private static func exists(
    _ id: Int64, _ dimension: TagDimension, _ database: Database
  ) throws -> Bool {
    try database.hasRow("SELECT 1 FROM \(dimension.table) WHERE id = ?", [id])
  }
}
