public import CatalogModel

/// A value of a dimension: data, never an enum.
public struct TagValue: Hashable, Sendable {
  public let id: Int64
  public let name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }
}

/// Which values items must carry: any of those chosen in one dimension, in every dimension in which
/// some are chosen.
public struct Filters: Hashable, Sendable {
  public var locationIDs: [Int64]
  public var moodIDs: [Int64]
  public var musicThemeIDs: [Int64]
  public var atmosphereThemeIDs: [Int64]
  public var sfxThemeIDs: [Int64]
  public var creatureTypeIDs: [Int64]

  public init(
    locationIDs: [Int64] = [], moodIDs: [Int64] = [], musicThemeIDs: [Int64] = [],
    atmosphereThemeIDs: [Int64] = [], sfxThemeIDs: [Int64] = [], creatureTypeIDs: [Int64] = []
  ) {
    self.locationIDs = locationIDs
    self.moodIDs = moodIDs
    self.musicThemeIDs = musicThemeIDs
    self.atmosphereThemeIDs = atmosphereThemeIDs
    self.sfxThemeIDs = sfxThemeIDs
    self.creatureTypeIDs = creatureTypeIDs
  }

  /// The chosen ids by the dimension's place in `TagDimension.all`: the one spot where the brief's
  /// property names meet the registry.
  private static let properties: [any WritableKeyPath<Filters, [Int64]> & Sendable] = [
    \.locationIDs, \.moodIDs, \.musicThemeIDs, \.atmosphereThemeIDs, \.sfxThemeIDs,
    \.creatureTypeIDs,
  ]

  /// The ids chosen in a dimension.
  public subscript(dimension: TagDimension) -> [Int64] {
    get { self[keyPath: Self.properties[dimension.ordinal]] }
    set { self[keyPath: Self.properties[dimension.ordinal]] = newValue }
  }

  /// - Throws: `StoreError` where something is chosen in a dimension that the kind does not have.
  func check(for kind: Kind) throws {
    for dimension in TagDimension.all
    where !self[dimension].isEmpty && !dimension.kinds.contains(kind) {
      throw StoreError(
        .invalidRequest, "items of kind \(kind.rawValue) have no \(dimension.key) to filter by")
    }
  }

  /// The SQL condition on `library_item.id` and its arguments; nil where nothing is chosen.
  var condition: (sql: String, arguments: [Int64])? {
    var clauses: [String] = []
    var arguments: [Int64] = []
    for dimension in TagDimension.all where !self[dimension].isEmpty {
      let marks = self[dimension].map { _ in "?" }.joined(separator: ",")
      clauses.append(
        "library_item.id IN (SELECT item_id FROM \(dimension.joinTable) "
          + "WHERE \(dimension.joinColumn) IN (\(marks)))")
      arguments += self[dimension]
    }
    return clauses.isEmpty ? nil : (clauses.joined(separator: " AND "), arguments)
  }
}
