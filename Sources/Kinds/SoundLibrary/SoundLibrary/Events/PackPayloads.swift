public import CatalogModel

/// `pack.upserted`: a pack is new in the catalog or says something else than before.
public struct PackUpserted: Hashable, PayloadObject {
  public var id: EntityID
  public var kind: PackKind
  public var title: String
  public var description: String?
  public var artworkURL: String?
  public var version: Int64
  public var manifestURL: String

  public static let payload = Payload(
    Member("id", \Self.id), Member("kind", \.kind), Member("title", \.title, limit: .text),
    Member("description", \.description, limit: .text),
    Member("artworkUrl", \.artworkURL, limit: .text), Member("version", \.version, limit: .count),
    Member("manifestUrl", \.manifestURL, limit: .text), make: Self.init)

  public init(
    id: EntityID, kind: PackKind, title: String, description: String?, artworkURL: String?,
    version: Int64, manifestURL: String
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.description = description
    self.artworkURL = artworkURL
    self.version = version
    self.manifestURL = manifestURL
  }
}

/// `pack.items.set`: all members of a pack, in their order.
public struct PackItemsSet: Hashable, PayloadObject {
  public var pack: EntityID
  public var items: [EntityID]

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("items", \.items), make: Self.init)

  public init(pack: EntityID, items: [EntityID]) {
    self.pack = pack
    self.items = items
  }
}

/// `pack.download.started`: a version of a pack is being downloaded.
public struct PackDownloadStarted: Hashable, PayloadObject {
  public var pack: EntityID
  public var version: Int64
  public var bytesTotal: Int64
  /// What an earlier attempt left.
  public var bytesDownloaded: Int64

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("bytesTotal", \.bytesTotal, limit: .count),
    Member("bytesDownloaded", \.bytesDownloaded, limit: .count), make: Self.init)

  public init(pack: EntityID, version: Int64, bytesTotal: Int64, bytesDownloaded: Int64) {
    self.pack = pack
    self.version = version
    self.bytesTotal = bytesTotal
    self.bytesDownloaded = bytesDownloaded
  }
}

/// `pack.download.progressed`
public struct PackDownloadProgressed: Hashable, PayloadObject {
  public var pack: EntityID
  public var bytesDownloaded: Int64

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("bytesDownloaded", \.bytesDownloaded, limit: .count),
    make: Self.init)

  public init(pack: EntityID, bytesDownloaded: Int64) {
    self.pack = pack
    self.bytesDownloaded = bytesDownloaded
  }
}

/// `pack.download.completed`: every asset of the version is there and verified. The commit of an
/// installation.
public struct PackDownloadCompleted: Hashable, PayloadObject {
  public struct Asset: Hashable, PayloadObject {
    public var asset: EntityID
    public var item: EntityID
    /// Where it came from, without a query: that may hold a signature.
    public var url: String
    /// Relative to the catalog's folder.
    public var path: String
    public var etag: String?
    /// 64 lower-case hex digits.
    public var sha256: String
    public var bytes: Int64
    public var codec: String
    /// In Hz.
    public var sampleRate: Int64?
    public var channels: Int64?
    public var isLoopable: Bool

    public static let payload = Payload(
      Member("asset", \Self.asset), Member("item", \.item), Member("url", \.url, limit: .text),
      Member("path", \.path, limit: .path), Member("etag", \.etag, limit: .text),
      Member("sha256", \.sha256, limit: .name), Member("bytes", \.bytes, limit: .count),
      Member("codec", \.codec, limit: .name), Member("sampleRate", \.sampleRate, limit: .count),
      Member("channels", \.channels, limit: .count), Member("loopable", \.isLoopable),
      make: Self.init)

    public init(
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

  public var pack: EntityID
  public var version: Int64
  public var bytesTotal: Int64
  public var assets: [Asset]

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("bytesTotal", \.bytesTotal, limit: .count), Member("assets", \.assets),
    make: Self.init)

  public init(pack: EntityID, version: Int64, bytesTotal: Int64, assets: [Asset]) {
    self.pack = pack
    self.version = version
    self.bytesTotal = bytesTotal
    self.assets = assets
  }
}

/// `pack.download.failed`
public struct PackDownloadFailed: Hashable, PayloadObject {
  public var pack: EntityID
  public var error: String
  public var isResumable: Bool

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("error", \.error, limit: .text),
    Member("resumable", \.isResumable), make: Self.init)

  public init(pack: EntityID, error: String, isResumable: Bool) {
    self.pack = pack
    self.error = error
    self.isResumable = isResumable
  }
}

/// `pack.download.interrupted`: the process that downloaded is gone.
public struct PackDownloadInterrupted: Hashable, PayloadObject {
  public var pack: EntityID
  public var error: String

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("error", \.error, limit: .text), make: Self.init)

  public init(pack: EntityID, error: String) {
    self.pack = pack
    self.error = error
  }
}

/// `pack.download.cancelled` and `pack.deleted` say only of which pack.
public struct PackReference: Hashable, PayloadObject {
  public var pack: EntityID

  public static let payload = Payload(Member("pack", \Self.pack), make: Self.init)

  public init(pack: EntityID) {
    self.pack = pack
  }
}
