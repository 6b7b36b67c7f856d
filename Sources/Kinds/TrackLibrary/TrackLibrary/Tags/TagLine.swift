import CatalogEngine

/// A tag as lists have it.
public struct TagLine: Hashable, Sendable {
  /// Stays the same when the tag is renamed.
  public var id: EntityID
  /// No two tags have the same. Case counts: `calm` and `Calm` are two tags.
  public var name: String
  /// `#FF8800`
  public var hexColor: String
  /// Whether the application defines it, as `Favorites` and `Recent`. It cannot be renamed or removed.
  public var isSystemTag: Bool
  /// How many songs have it from any source; a song counts once.
  public var songCount: Int64

  init(_ tag: LibraryTag) {
    self.init(tag.id, tag.name, tag.hexColor, tag.isSystemTag, 0)
  }

  private init(
    _ id: EntityID, _ name: String, _ hexColor: String, _ isSystemTag: Bool, _ songCount: Int64
  ) {
    self.id = id
    self.name = name
    self.hexColor = hexColor
    self.isSystemTag = isSystemTag
    self.songCount = songCount
  }

  static let shape = TypedTable(
    "tag", key: ["id"],
    Field("id", \TagLine.id), Field("name", \TagLine.name), Field("hex_color", \TagLine.hexColor),
    Field("is_system_tag", \TagLine.isSystemTag), Field("song_count", \TagLine.songCount),
    make: { TagLine($0, $1, $2, $3, $4) })
}
