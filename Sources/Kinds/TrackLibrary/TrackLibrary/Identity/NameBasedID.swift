public import CatalogEngine

/// Ids that follow from names: who imports the same again, on whatever machine, finds the same track.
public enum NameBasedID {
  /// The track that a normalised URI is, where no source gives it an id.
  public static func track(_ uri: String) -> EntityID { id("track", uri) }

  /// The playlist that a source knows by a key.
  public static func collection(_ source: String, _ key: String) -> EntityID {
    id("collection", "\(source):\(key)")
  }

  /// A tag by its name: two devices that add `Calm` add the same.
  public static func tag(_ name: String) -> EntityID { id("tag", name) }

  /// A UUID of version 8 (RFC 9562): the first bytes of SHA-256 over `track-library`, a line feed, the sort, a line
  /// feed, and the name.
  private static func id(_ sort: String, _ name: String) -> EntityID {
    var bytes = Array(ContentHash.bytes(of: "track-library\n\(sort)\n\(name)".utf8).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return EntityID(bytes: bytes)
  }
}
