public import CatalogEngine

/// A picture, kept once however many tracks have it.
public struct Artwork: Hashable, Sendable {
  /// 64 hex digits.
  public let sha256: String
  /// The bytes of the image file, in whatever format the source has it.
  public let data: [UInt8]

  /// The most bytes of a picture: 1 MiB.
  public static let limit = 1 << 20

  /// Computes the hash. A picture of more than `limit` bytes is refused only when it is appended.
  public init(_ data: [UInt8]) {
    self.init(sha256: ContentHash.hex(of: data), data: data)
  }

  private init(sha256: String, data: [UInt8]) {
    self.sha256 = sha256
    self.data = data
  }

  /// Pictures stay when the tracks that had them change or go.
  public static let table = TypedTable(
    "projection_artwork", key: ["sha256"],
    Field("sha256", \Artwork.sha256), Field("data", \Artwork.data),
    make: { Artwork(sha256: $0, data: $1) })
}

/// The row of a document that was imported, by its hash. The same document, imported again, replaces its row.
public typealias ImportedFile = ImportedLibrary

extension ImportedLibrary {
  public static let table = TypedTable(
    "projection_import", key: ["sha256"],
    Field("sha256", \ImportedFile.sha256), Field("format", \ImportedFile.format),
    Field("name", \ImportedFile.name), Field("tracks", \ImportedFile.tracks),
    Field("collections", \ImportedFile.collections),
    Field("identified", \ImportedFile.identified),
    make: {
      ImportedFile(
        format: $1, name: $2, sha256: $0, tracks: $3, collections: $4, identified: $5)
    })
}
