package import CatalogModel

/// `manifest.applied`: a pack's manifest was accepted.
package struct ManifestApplied: Hashable, PayloadObject {
  package var pack: EntityID
  package var version: Int64
  /// SHA-256 of the manifest's content, 64 lower-case hex digits.
  package var sha256: String
  package var totalBytes: Int64
  /// How many assets it lists.
  package var assets: Int64
  /// The tags of the whole pack.
  package var tags: TagSet

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("sha256", \.sha256, limit: .name), Member("totalBytes", \.totalBytes, limit: .count),
    Member("assets", \.assets, limit: .count), Member("tags", \.tags), make: Self.init)

  package init(
    pack: EntityID, version: Int64, sha256: String, totalBytes: Int64, assets: Int64, tags: TagSet
  ) {
    self.pack = pack
    self.version = version
    self.sha256 = sha256
    self.totalBytes = totalBytes
    self.assets = assets
    self.tags = tags
  }
}

/// `pack.download.started`: a version of a pack is being downloaded.
package struct PackDownloadStarted: Hashable, PayloadObject {
  package var pack: EntityID
  package var version: Int64
  package var bytesTotal: Int64
  /// What an earlier attempt left.
  package var bytesDownloaded: Int64

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("bytesTotal", \.bytesTotal, limit: .count),
    Member("bytesDownloaded", \.bytesDownloaded, limit: .count), make: Self.init)

  package init(pack: EntityID, version: Int64, bytesTotal: Int64, bytesDownloaded: Int64) {
    self.pack = pack
    self.version = version
    self.bytesTotal = bytesTotal
    self.bytesDownloaded = bytesDownloaded
  }
}

/// `pack.download.progressed`
package struct PackDownloadProgressed: Hashable, PayloadObject {
  package var pack: EntityID
  package var bytesDownloaded: Int64

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("bytesDownloaded", \.bytesDownloaded, limit: .count),
    make: Self.init)

  package init(pack: EntityID, bytesDownloaded: Int64) {
    self.pack = pack
    self.bytesDownloaded = bytesDownloaded
  }
}

/// `pack.download.completed`: every asset of the version is there and verified. The commit of an
/// installation.
package struct PackDownloadCompleted: Hashable, PayloadObject {
  package struct Asset: Hashable, PayloadObject {
    package var asset: EntityID
    package var item: EntityID
    /// Where it came from, without a query: that may hold a signature.
    package var url: String
    /// Relative to the catalog's folder.
    package var path: String
    package var etag: String?
    /// 64 lower-case hex digits.
    package var sha256: String
    package var bytes: Int64
    package var codec: String
    /// In Hz.
    package var sampleRate: Int64?
    package var channels: Int64?
    package var isLoopable: Bool

    package static let payload = Payload(
      Member("asset", \Self.asset), Member("item", \.item), Member("url", \.url, limit: .text),
      Member("path", \.path, limit: .path), Member("etag", \.etag, limit: .text),
      Member("sha256", \.sha256, limit: .name), Member("bytes", \.bytes, limit: .count),
      Member("codec", \.codec, limit: .name), Member("sampleRate", \.sampleRate, limit: .count),
      Member("channels", \.channels, limit: .count), Member("loopable", \.isLoopable),
      make: Self.init)

    package init(
      asset: EntityID, item: EntityID, url: String, path: String, etag: String?, sha256: String,
      bytes: Int64, codec: String, sampleRate: Int64?, channels: Int64?, isLoopable: Bool
    ) {
      self.asset = asset
      self.item = item
      self.url = url
      self.path = path
      self.etag = etag
      self.sha256 = sha256
      self.bytes = bytes
      self.codec = codec
      self.sampleRate = sampleRate
      self.channels = channels
      self.isLoopable = isLoopable
    }
  }

  package var pack: EntityID
  package var version: Int64
  package var bytesTotal: Int64
  package var assets: [Asset]

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("bytesTotal", \.bytesTotal, limit: .count), Member("assets", \.assets),
    make: Self.init)

  package init(pack: EntityID, version: Int64, bytesTotal: Int64, assets: [Asset]) {
    self.pack = pack
    self.version = version
    self.bytesTotal = bytesTotal
    self.assets = assets
  }
}

/// `pack.download.failed`
package struct PackDownloadFailed: Hashable, PayloadObject {
  package var pack: EntityID
  package var error: String
  package var isResumable: Bool

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("error", \.error, limit: .text),
    Member("resumable", \.isResumable), make: Self.init)

  package init(pack: EntityID, error: String, isResumable: Bool) {
    self.pack = pack
    self.error = error
    self.isResumable = isResumable
  }
}

/// `pack.download.interrupted`: the process that downloaded is gone.
package struct PackDownloadInterrupted: Hashable, PayloadObject {
  package var pack: EntityID
  package var error: String

  package static let payload = Payload(
    Member("pack", \Self.pack), Member("error", \.error, limit: .text), make: Self.init)

  package init(pack: EntityID, error: String) {
    self.pack = pack
    self.error = error
  }
}

/// `pack.download.cancelled` and `pack.deleted` say only of which pack.
package struct PackReference: Hashable, PayloadObject {
  package var pack: EntityID

  package static let payload = Payload(Member("pack", \Self.pack), make: Self.init)

  package init(pack: EntityID) {
    self.pack = pack
  }
}
