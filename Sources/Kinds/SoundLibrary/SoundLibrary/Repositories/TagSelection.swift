import CatalogModel

/// Ids of tag values, by dimension.
public struct TagSelection: Hashable, Sendable {
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

  /// The ids by the dimension's place in `TagDimension.all`: the one spot where the brief's property
  /// names meet the registry.
  private static let properties: [any WritableKeyPath<TagSelection, [Int64]> & Sendable] = [
    \.locationIDs, \.moodIDs, \.musicThemeIDs, \.atmosphereThemeIDs, \.sfxThemeIDs,
    \.creatureTypeIDs,
  ]

  var isEmpty: Bool { TagDimension.all.allSatisfy { self[$0].isEmpty } }

  /// The ids of a dimension.
  public subscript(dimension: TagDimension) -> [Int64] {
    get { self[keyPath: Self.properties[dimension.ordinal]] }
    set { self[keyPath: Self.properties[dimension.ordinal]] = newValue }
  }
}
