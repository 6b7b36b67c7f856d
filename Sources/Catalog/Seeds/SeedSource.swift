import CatalogModel
import Crypto
import CatalogStore
import StarterSeed

/// Where a seed document comes from.
public enum SeedSource: Sendable {
  /// The seed that ships with the library.
  case starter
  /// A file.
  case file(String)
  /// Bytes at hand; the name stands in errors.
  case bytes([UInt8], name: String)
}

/// A seed document that was read and checked, with the hash of its bytes.
struct LoadedSeed: Sendable {
  let name: String
  let document: SeedDocument
  let sha256: [UInt8]

  var hash: String { Hex.string(sha256) }

  init(_ source: SeedSource) throws {
    switch source {
    case .starter: try self.init(file: StarterSeed.path(), name: "starter.json")
    case .file(let path): try self.init(file: path, name: path)
    case .bytes(let bytes, let name):
      self.name = name
      (document, sha256) = try bytes.withUnsafeBytes { try Self.read($0, name) }
    }
  }

  private init(file path: String, name: String) throws {
    self.name = name
    let file = try DocumentFile.load(path)
    (document, sha256) = try file.withUnsafeBytes { try Self.read($0, name) }
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ name: String
  ) throws -> (SeedDocument, [UInt8]) {
    var hash = SHA256()
    hash.update(bufferPointer: bytes)
    return (try SeedDocumentReader.read(bytes, file: name), Array(hash.finalize()))
  }
}
