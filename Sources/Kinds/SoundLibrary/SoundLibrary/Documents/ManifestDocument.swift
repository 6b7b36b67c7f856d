package import CatalogModel

/// The manifest of one version of a pack, checked as far as it can be without the pack's items.
package struct ManifestDocument: Sendable {
  package struct Asset: Sendable {
    package var assetID: EntityID
    package var itemID: EntityID
    package var address: DownloadAddress
    /// 64 lower-case hex digits; nil if the manifest has none.
    package var sha256: String?
    package var bytes: Int64
    package var codec: AudioCodec
    /// In Hz.
    package var sampleRate: Int64?
    package var channels: Int64?
    package var isLoopable: Bool
    package var tags: TagSet
  }

  package var packID: EntityID
  package var version: Int64
  package var totalBytes: Int64
  /// The tags of every item of the pack.
  package var tags: TagSet
  /// In the document's order.
  package var assets: [Asset]
  /// Paths of keys that this version does not know: they are reported, for a newer server may say more
  /// than an older app can use.
  package var ignoredKeys: [String]

  /// What the manifest says, in one form whatever the order of its keys and assets. Addresses count
  /// without their query: a server that signs links says the same with another signature.
  package var canonicalContent: [UInt8] {
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
