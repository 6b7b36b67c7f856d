import CatalogModel
import CatalogTestSupport
package import Foundation
import Support

/// A pack as a server has it: audio that is none, a manifest, and the seed that lists the pack.
package struct ServedPack: Sendable {
  package struct Asset: Sendable {
    package var id: String
    package var item: String
    package var name: String
    package var bytes: [UInt8]
    package var codec = "wav"
    /// Nil where the manifest is to have none.
    package var sha256: String?
    package var tags: [String: [String]] = [:]

    package init(id: String, item: String, name: String, bytes: [UInt8]) {
      self.id = id
      self.item = item
      self.name = name
      self.bytes = bytes
      sha256 = ServedPack.hash(bytes)
    }

    /// Where it lies when it is installed, below the catalog's folder.
    package func path(in pack: ServedPack) -> String { "AudioAssets/\(pack.id)/\(id).\(codec)" }
  }

  package let id: String
  package var version = 1
  package var assets: [Asset]
  package var tags: [String: [String]] = [:]

  /// - Parameter number: makes packs of one seed differ.
  package init(_ number: Int = 1, sizes: [Int]) {
    id = Self.id(number, 0)
    var random = SeededGenerator(seed: UInt64(number))
    assets = sizes.enumerated().map { index, size in
      Asset(
        id: Self.id(number, 2_000 + index), item: Self.id(number, 1_000 + index),
        name: "p\(number)-a\(index).wav", bytes: Self.bytes(size, &random))
    }
  }

  package var uuid: UUID { UUID(uuidString: id) ?? UUID() }

  private static func id(_ pack: Int, _ number: Int) -> String {
    EntityID(
      high: 0x2000_0000_0000_5000 + UInt64(pack) << 32, low: 0x8000_0000_0000_0000 + UInt64(number)
    ).description
  }

  package static func bytes(
    _ count: Int, _ random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: random.next()) { bytes += $0 }
    }
    return Array(bytes.prefix(count))
  }

  package static func hash(_ bytes: [UInt8]) -> String {
    Hex.string(SHA256.hash(data: bytes))
  }

  package var totalBytes: Int { assets.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameter address: of the folder on the server.
  package func manifest(at address: String) throws -> [UInt8] {
    let document: [String: Any] = [
      "packId": id, "version": version, "totalBytes": totalBytes, "tags": tags,
      "assets": assets.map { asset in
        var json: [String: Any] = [
          "assetId": asset.id, "itemId": asset.item, "url": "\(address)/\(asset.name)",
          "bytes": asset.bytes.count, "codec": asset.codec, "sampleRate": 48_000, "channels": 2,
          "loopable": true, "tags": asset.tags,
        ]
        json["sha256"] = asset.sha256
        return json
      },
    ]
    return Array(try JSONSerialization.data(withJSONObject: document, options: .sortedKeys))
  }

  /// The name of the manifest on the server.
  package var manifestName: String { "\(id).json" }

  /// A seed that lists packs of one server.
  package static func seed(_ packs: [ServedPack], at address: String) throws -> [UInt8] {
    let document: [String: Any] = [
      "format": 1, "seedId": "served", "revision": 1,
      "packs": packs.enumerated().map { index, pack in
        [
          "id": pack.id, "kind": "sfx", "title": "Pack \(index + 1)", "version": 1,
          "manifestUrl": "\(address)/\(pack.manifestName)",
          "items": pack.assets.enumerated().map { index, asset in
            ["id": asset.item, "title": "Sound \(index + 1)"]
          },
        ] as [String: Any]
      },
    ]
    return Array(try JSONSerialization.data(withJSONObject: document, options: .sortedKeys))
  }

  /// Writes audio and manifest into the folder of a server.
  package func write(to folder: String, at address: String) throws {
    for asset in assets {
      try Data(asset.bytes).write(to: URL(filePath: "\(folder)/\(asset.name)"))
    }
    try Data(manifest(at: address)).write(to: URL(filePath: "\(folder)/\(manifestName)"))
  }
}
