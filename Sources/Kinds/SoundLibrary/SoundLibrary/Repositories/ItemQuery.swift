import CatalogModel
import CatalogStore
import GRDB

/// The items of a kind that pass filters, as SQL.
///
/// Everything in it is a number or a word of this program: no text from outside is ever part of it.
struct ItemQuery {
  let kind: Kind?
  let filters: ResolvedFilters
  /// Whether to select the visible items, which lists show, or the hidden ones.
  var isVisible = true
  /// Further conditions on `item`.
  var conditions: [String] = []

  /// - Parameter index: if there is one, it knows the vocabularies.
  init(
    kind: Kind?, filters: Filters, in database: Database, _ index: SoundIndex? = nil
  ) throws {
    self.kind = kind
    self.filters = try ResolvedFilters(
      filters, kind: kind, in: database, index?.vocabularies)
  }

  /// A part of the selection that does not count where a facet is counted without it.
  enum Part: Hashable {
    case dimension(TagDimension)
    case availability
  }

  /// The condition on `item`, a row of `library_item`.
  func condition(without part: Part? = nil) -> String {
    var clauses = ["item.is_visible = \(isVisible ? 1 : 0)"]
    if let kind { clauses.append("item.kind = '\(kind.rawValue)'") }
    for group in groups {
      let chosen = group.filter { part != .dimension($0) && !filters.included[$0].isEmpty }
        .map { "item.id IN (\(Self.items(with: filters.included[$0], $0)))" }
      if !chosen.isEmpty { clauses.append("(\(chosen.joined(separator: " OR ")))") }
    }
    for dimension in TagDimension.all {
      if !filters.excluded[dimension].isEmpty {
        clauses.append(
          "item.id NOT IN (\(Self.items(with: filters.excluded[dimension], dimension)))")
      }
    }
    if part != .availability, !filters.availability.isEmpty {
      let names = filters.availability.map { "'\($0.rawValue)'" }.sorted()
      clauses.append("(\(Availability.recordedSQL)) IN (\(names.joined(separator: ", ")))")
    }
    return (clauses + conditions).joined(separator: " AND ")
  }

  /// Dimensions within which a choice means any of its values. An item of one kind has one dimension of
  /// themes; where kinds are mixed, the three of them are one question.
  var groups: [[TagDimension]] {
    guard kind == nil else { return TagDimension.all.map { [$0] } }
    var groups: [[TagDimension]] = []
    for dimension in TagDimension.all {
      if let place = groups.firstIndex(where: { $0[0].tagKey == dimension.tagKey }) {
        groups[place].append(dimension)
      } else {
        groups.append([dimension])
      }
    }
    return groups
  }

  /// Selects the ids of items that have one of the values.
  static func items(with ids: [Int64], _ dimension: TagDimension) -> String {
    let list = ids.map(String.init).joined(separator: ",")
    return "SELECT item_id FROM \(dimension.joinTable) WHERE \(dimension.joinColumn) IN (\(list))"
  }

  /// Whether all visible items of the kind are wanted.
  var wantsAll: Bool {
    conditions.isEmpty && filters.isEmpty
  }

  func count(_ database: Database) throws -> Int {
    if let kind, wantsAll {
      return try database.firstRow(
        of: Self.kindCounts, "SELECT kind, visible FROM projection_kind WHERE kind = ?",
        [kind.rawValue]
      ) { try $0.count(1) } ?? 0
    }
    return try database.firstRow(
      of: LibraryItemRow.origin,
      "SELECT count(*) FROM library_item AS item WHERE \(condition())"
    ) { try $0.count(0) } ?? 0
  }

  static let kindCounts = StoredRow.Origin("projection_kind", ("kind", 0))
}
