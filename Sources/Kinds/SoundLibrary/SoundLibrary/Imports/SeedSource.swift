public import CatalogEngine
import CatalogModel
import CatalogStore
import StarterSeed
import Support

/// Where a seed document comes from.
public enum SeedSource: Sendable {
  /// The seed that ships with the library.
  case starter
  /// A file.
  case file(any FilePlace)
  /// Bytes at hand; the name stands in errors.
  case bytes([UInt8], name: String)
}

/// A seed document that was read and checked, with the hash of its bytes.
struct LoadedSeed: Sendable {
  let name: String
  let document: SeedDocument
  let sha256: [UInt8]

  var hash: String { Hex.string(sha256) }

  /// The source of what it says.
  var source: String { "seed:\(document.seedID)" }

  /// Music and pack items.
  var itemCount: Int {
    document.packs.reduce(document.music.count) { $0 + $1.items.count }
  }

  init(_ source: SeedSource) throws {
    let bytes: [UInt8]
    switch source {
    case .starter:
      name = "starter.json"
      bytes = try DocumentFile.load(StarterSeed.path())
    case .file(let place):
      name = try place.filePath()
      bytes = try DocumentFile.load(name)
    case .bytes(let document, let title):
      name = title
      bytes = document
    }
    document = try SeedDocumentReader.read(bytes, file: name)
    sha256 = Array(SHA256.hash(data: bytes))
  }
}
