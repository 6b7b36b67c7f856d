/// One of the six open-ended vocabularies, described once.
///
/// This registry is the only place that spells a dimension: documents, events, tables, digests and
/// filters walk it. The *values* of a dimension are data in the log and never stand in code.
public struct TagDimension: Hashable, Sendable {
  /// The key in a seed's `dimensions` and in events: `locations`.
  public let key: String
  /// The table of its values: `location`.
  package let table: String
  /// The table that joins items with values: `item_location`.
  package let joinTable: String
  /// The join table's column that holds the value's id: `location_id`.
  package let joinColumn: String
  /// The join table's index over that column, named as the brief names it.
  package let joinIndex: String
  /// The key in an item's `tags`: `locations`, and `themes` for each of the theme dimensions.
  package let tagKey: String
  /// The kinds whose items may carry values of this dimension.
  public let kinds: Set<Kind>
  /// Its place in `TagDimension.all`.
  public let ordinal: Int

  public static func == (left: TagDimension, right: TagDimension) -> Bool {
    left.ordinal == right.ordinal
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ordinal)
  }
}

extension TagDimension {
  public static let locations = TagDimension(
    key: "locations", table: "location", joinTable: "item_location",
    joinColumn: "location_id", joinIndex: "idx_item_location_location",
    tagKey: "locations", kinds: [.music, .atmosphere, .sfx], ordinal: 0)

  public static let moods = TagDimension(
    key: "moods", table: "mood", joinTable: "item_mood",
    joinColumn: "mood_id", joinIndex: "idx_item_mood_mood",
    tagKey: "moods", kinds: [.music, .atmosphere, .sfx], ordinal: 1)

  public static let musicThemes = TagDimension(
    key: "musicThemes", table: "music_theme", joinTable: "item_music_theme",
    joinColumn: "music_theme_id", joinIndex: "idx_item_music_theme_theme",
    tagKey: "themes", kinds: [.music], ordinal: 2)

  public static let atmosphereThemes = TagDimension(
    key: "atmosphereThemes", table: "atmosphere_theme", joinTable: "item_atmosphere_theme",
    joinColumn: "atmosphere_theme_id", joinIndex: "idx_item_atmo_theme_theme",
    tagKey: "themes", kinds: [.atmosphere], ordinal: 3)

  public static let sfxThemes = TagDimension(
    key: "sfxThemes", table: "sfx_theme", joinTable: "item_sfx_theme",
    joinColumn: "sfx_theme_id", joinIndex: "idx_item_sfx_theme_theme",
    tagKey: "themes", kinds: [.sfx], ordinal: 4)

  public static let creatureTypes = TagDimension(
    key: "creatureTypes", table: "creature_type", joinTable: "item_creature_type",
    joinColumn: "creature_type_id", joinIndex: "idx_item_creature_type_type",
    tagKey: "creatureTypes", kinds: [.sfx], ordinal: 5)

  /// All six, in the order that documents, events and outputs use.
  public static let all = [
    locations, moods, musicThemes, atmosphereThemes, sfxThemes, creatureTypes,
  ]

  private static let byKind: [[TagDimension]] = Kind.allCases.map { kind in
    all.filter { $0.kinds.contains(kind) }
  }

  /// The dimensions that items of a kind may carry, in the order of `all`.
  public static func all(of kind: Kind) -> [TagDimension] {
    switch kind {
    case .music: byKind[0]
    case .atmosphere: byKind[1]
    case .sfx: byKind[2]
    }
  }

  /// `key` in UTF-8, for readers that compare bytes.
  var keyBytes: [UInt8] { Self.keyBytes[ordinal] }

  /// `tagKey` in UTF-8.
  var tagKeyBytes: [UInt8] { Self.tagKeyBytes[ordinal] }

  /// The `keyBytes` of each dimension, by ordinal.
  static let keyBytes = all.map { Array($0.key.utf8) }
  private static let tagKeyBytes = all.map { Array($0.tagKey.utf8) }

  package static func named(_ key: String) -> TagDimension? {
    all.first { $0.key == key }
  }
}
