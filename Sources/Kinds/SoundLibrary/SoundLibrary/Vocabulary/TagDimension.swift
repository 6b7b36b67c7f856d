/// One of the six open-ended vocabularies, described once.
///
/// This registry is the only place that spells a dimension: documents, events, tables, digests and
/// filters walk it. The *values* of a dimension are data in the log and never stand in code.
///
/// A number, so that millions of tags can be copied and compared without counting references.
public struct TagDimension: Hashable, Sendable, BitwiseCopyable {
  /// Its place in `TagDimension.all`.
  public let ordinal: Int

  private init(ordinal: Int) {
    self.ordinal = ordinal
  }

  /// The key in a seed's `dimensions` and in events: `locations`.
  public var key: String { Self.descriptions[ordinal].key }
  /// The table of its values: `location`.
  public var table: String { Self.descriptions[ordinal].table }
  /// The table that joins items with values: `item_location`.
  var joinTable: String { Self.descriptions[ordinal].joinTable }
  /// The join table's column that holds the value's id: `location_id`.
  var joinColumn: String { Self.descriptions[ordinal].joinColumn }
  /// The join table's index over that column, named as the brief names it.
  var joinIndex: String { Self.descriptions[ordinal].joinIndex }
  /// The key in an item's `tags`: `locations`, and `themes` for each of the theme dimensions.
  public var tagKey: String { Self.descriptions[ordinal].tagKey }
  /// The kinds whose items may carry values of this dimension.
  public var kinds: Set<Kind> { Self.descriptions[ordinal].kinds }
}

extension TagDimension {
  public static let locations = TagDimension(ordinal: 0)
  public static let moods = TagDimension(ordinal: 1)
  public static let musicThemes = TagDimension(ordinal: 2)
  public static let atmosphereThemes = TagDimension(ordinal: 3)
  public static let sfxThemes = TagDimension(ordinal: 4)
  public static let creatureTypes = TagDimension(ordinal: 5)

  /// All six, in the order that documents, events and outputs use.
  public static let all = descriptions.indices.map(TagDimension.init(ordinal:))

  private struct Description {
    let key: String
    let table: String
    let joinTable: String
    let joinColumn: String
    let joinIndex: String
    let tagKey: String
    let kinds: Set<Kind>
  }

  private static let descriptions = [
    Description(
      key: "locations", table: "location", joinTable: "item_location",
      joinColumn: "location_id", joinIndex: "idx_item_location_location",
      tagKey: "locations", kinds: [.music, .atmosphere, .sfx]),
    Description(
      key: "moods", table: "mood", joinTable: "item_mood", joinColumn: "mood_id",
      joinIndex: "idx_item_mood_mood", tagKey: "moods", kinds: [.music, .atmosphere, .sfx]),
    Description(
      key: "musicThemes", table: "music_theme", joinTable: "item_music_theme",
      joinColumn: "music_theme_id", joinIndex: "idx_item_music_theme_theme",
      tagKey: "themes", kinds: [.music]),
    Description(
      key: "atmosphereThemes", table: "atmosphere_theme", joinTable: "item_atmosphere_theme",
      joinColumn: "atmosphere_theme_id", joinIndex: "idx_item_atmo_theme_theme",
      tagKey: "themes", kinds: [.atmosphere]),
    Description(
      key: "sfxThemes", table: "sfx_theme", joinTable: "item_sfx_theme",
      joinColumn: "sfx_theme_id", joinIndex: "idx_item_sfx_theme_theme", tagKey: "themes",
      kinds: [.sfx]),
    Description(
      key: "creatureTypes", table: "creature_type", joinTable: "item_creature_type",
      joinColumn: "creature_type_id", joinIndex: "idx_item_creature_type_type",
      tagKey: "creatureTypes", kinds: [.sfx]),
  ]

  private static let byKind: [[TagDimension]] = Kind.allCases.map { kind in
    all.filter { $0.kinds.contains(kind) }
  }

  /// The dimensions that items of a kind may carry, in the order of `all`.
  public static func all(of kind: Kind) -> [TagDimension] { byKind[kind.place] }

  /// `key` in UTF-8, for readers that compare bytes.
  var keyBytes: [UInt8] { Self.keyBytes[ordinal] }

  /// `tagKey` in UTF-8.
  var tagKeyBytes: [UInt8] { Self.tagKeyBytes[ordinal] }

  /// The `keyBytes` of each dimension, by ordinal.
  static let keyBytes = all.map { Array($0.key.utf8) }
  private static let tagKeyBytes = all.map { Array($0.tagKey.utf8) }
  /// The `table` of each dimension in UTF-8, by ordinal.
  static let tableBytes = all.map { Array($0.table.utf8) }

  package static func named(_ key: String) -> TagDimension? {
    all.first { $0.key == key }
  }
}
