import CatalogModel

/// The manifest of one version of a pack, checked as far as it can be without the pack's items.
struct ManifestDocument: Sendable {
  struct Asset: Sendable {
    var assetID: EntityID
    var itemID: EntityID
    var address: DownloadAddress
    /// 64 lower-case hex digits; nil if the manifest has none.
    var sha256: String?
    var bytes: Int64
    var codec: AudioCodec
    /// In Hz.
    var sampleRate: Int64?
    var channels: Int64?
    var isLoopable: Bool
    var tags: TagSet
  }

  var packID: EntityID
  var version: Int64
  /// The sum of the assets' bytes.
  var totalBytes: Int64
  /// The sum that the manifest names; it may be another one.
  var statedBytes: Int64
  /// The tags of every item of the pack.
  var tags: TagSet
  /// In the document's order.
  var assets: [Asset]
  /// Paths of keys that this version does not know: they are reported, for a newer server may say more
  /// than an older app can use.
  var ignoredKeys: [String]

  /// Sentences about statements of the manifest that cannot be right, and about what counts in their place.
  var remarks: [String] {
    guard statedBytes != totalBytes else { return [] }
    return [
      "$.totalBytes says \(statedBytes), and the assets have \(totalBytes) bytes, which count"
    ]
  }

  /// What the manifest says, in one form whatever the order of its keys and assets. Addresses count
  /// without their query: a server that signs links says the same with another signature.
  var canonicalContent: [UInt8] {
    var writer = CanonicalWriter(bytes: [])
    writer.id(packID)
    writer.integer(version)
    writer.raw(" ")
    writer.integer(totalBytes)
    writer.tags(tags)
    for asset in assets.sorted(by: { $0.assetID < $1.assetID }) {
      writer.raw("\n")
      writer.id(asset.assetID)
      writer.id(asset.itemID)
      writer.string(asset.address.withoutQuery)
      writer.string(asset.sha256)
      writer.integer(asset.bytes)
      writer.string(asset.codec.name)
      writer.integer(asset.sampleRate)
      writer.raw(" ")
      writer.integer(asset.channels)
      writer.bool(asset.isLoopable)
      writer.tags(asset.tags)
    }
    return writer.bytes
  }
}
