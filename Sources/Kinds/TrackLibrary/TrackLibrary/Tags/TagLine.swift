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

  static let shape = TypedTable(
    "tag", key: ["id"],
    Field("id", \TagLine.id), Field("name", \TagLine.name), Field("hex_color", \TagLine.hexColor),
    Field("is_system_tag", \TagLine.isSystemTag), Field("song_count", \TagLine.songCount),
    make: TagLine.init)
}

extension TagLine {
  init(_ tag: LibraryTag) {
    self.init(
      id: tag.id, name: tag.name, hexColor: tag.hexColor, isSystemTag: tag.isSystemTag,
      songCount: 0)
  }
}
