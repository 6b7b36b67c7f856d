public import CatalogEngine

/// A picture, kept once however many tracks have it.
public struct Artwork: Hashable, Sendable {
  /// 64 hex digits.
  public let sha256: String
  public let data: [UInt8]

  /// The most bytes of a picture: 1 MiB.
  public static let limit = 1 << 20

  public init(_ data: [UInt8]) {
    self.init(sha256: ContentHash.hex(of: data), data: data)
  }

  private init(sha256: String, data: [UInt8]) {
    self.sha256 = sha256
    self.data = data
  }

  public static let table = TypedTable(
    "projection_artwork", key: ["sha256"],
    Field("sha256", \Artwork.sha256), Field("data", \Artwork.data),
    make: { Artwork(sha256: $0, data: $1) })
}

/// A document that was imported, by its hash.
public struct ImportedFile: Hashable, Sendable {
  public var sha256: String
  public var format: String
  public var name: String
  public var tracks: Int64
  public var collections: Int64
  public var identified: Int64

  public static let table = TypedTable(
    "projection_import", key: ["sha256"],
    Field("sha256", \ImportedFile.sha256), Field("format", \ImportedFile.format),
    Field("name", \ImportedFile.name), Field("tracks", \ImportedFile.tracks),
    Field("collections", \ImportedFile.collections),
    Field("identified", \ImportedFile.identified), make: ImportedFile.init)
}
