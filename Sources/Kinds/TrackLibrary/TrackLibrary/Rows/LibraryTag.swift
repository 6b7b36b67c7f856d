public import CatalogEngine

/// A tag that songs can have.
public struct LibraryTag: Hashable, PayloadObject {
  /// Stays the same when the tag is renamed.
  public var id: EntityID
  /// No two tags have the same. Case counts: `calm` and `Calm` are two tags.
  public var name: String
  /// `#FF8800`
  public var hexColor: String
  /// Whether the application defines it: nobody renames or removes it.
  public var isSystemTag: Bool

  public init(id: EntityID, name: String, hexColor: String, isSystemTag: Bool) {
    self.id = id
    self.name = name
    self.hexColor = hexColor
    self.isSystemTag = isSystemTag
  }

  public static let table = TypedTable(
    "tag", key: ["id"], indexes: [.lookup(["name"])],
    Field("id", \LibraryTag.id), Field("name", \LibraryTag.name, unique: true, isName: true),
    Field("hex_color", \LibraryTag.hexColor),
    Field("is_system_tag", \LibraryTag.isSystemTag, default: .integer(0)),
    make: LibraryTag.init)

  public static let payload = Payload(
    Member("id", \Self.id), Member("name", \.name), Member("hexColor", \.hexColor),
    Member("system", \.isSystemTag), make: Self.init)
}

/// A tag of a song, from whatever sources.
public struct SongTagging: Hashable, Sendable {
  /// The song's own id, never another name of it.
  public var songID: String
  public var tagID: EntityID

  public static let table = TypedTable(
    "song_tag", key: ["song_id", "tag_id"], storage: .rowIDs,
    indexes: [.index("idx_song_tag_tag", on: ["tag_id"]), .lookup(["song_id"])],
    Field("song_id", \SongTagging.songID, references: .to("song", "id", onDelete: .cascade)),
    Field("tag_id", \SongTagging.tagID, references: .to("tag", "id", onDelete: .cascade)),
    make: SongTagging.init)
}

/// A tag that one source gives a song. `SongTagging` has what any of them gives.
public struct SourceTagging: Hashable, Sendable {
  /// The song's own id, never another name of it.
  public var songID: String
  /// `person`, `analysis`, …
  public var source: String
  public var tagID: EntityID

  public static let table = TypedTable(
    "projection_song_tag_source", key: ["song_id", "source", "tag_id"],
    indexes: [.index("projection_song_tag_source_tag", on: ["tag_id"]), .lookup(["song_id"])],
    Field("song_id", \SourceTagging.songID), Field("source", \SourceTagging.source),
    Field("tag_id", \SourceTagging.tagID), make: SourceTagging.init)
}
