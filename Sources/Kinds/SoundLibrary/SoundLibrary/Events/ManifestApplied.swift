public import CatalogModel

/// `manifest.applied`: a pack's manifest was accepted.
public struct ManifestApplied: Hashable, PayloadObject {
  /// An asset that a manifest lists.
  public struct Asset: Hashable, PayloadObject {
    public var asset: EntityID
    public var item: EntityID
    /// SHA-256 of what the manifest says of the file, 64 lower-case hex digits. Tags do not count: they have
    /// events of their own.
    public var content: String

    public static let payload = Payload(
      Member("asset", \Self.asset), Member("item", \.item),
      Member("content", \.content, limit: .name), make: Self.init)

    public init(asset: EntityID, item: EntityID, content: String) {
      self.asset = asset
      self.item = item
      self.content = content
    }
  }

  /// How the assets differ from those of the manifest that was applied before.
  public struct Changes: Hashable, PayloadObject {
    /// An asset that the manifest no longer lists.
    public struct Gone: Hashable, PayloadObject {
      public var asset: EntityID
      /// The item that it was of.
      public var item: EntityID

      public static let payload = Payload(
        Member("asset", \Self.asset), Member("item", \.item), make: Self.init)

      public init(asset: EntityID, item: EntityID) {
        self.asset = asset
        self.item = item
      }
    }

    /// In the order of the manifest.
    public var came: [EntityID]
    /// In the order of their ids.
    public var went: [Gone]
    /// In the order of the manifest.
    public var changed: [EntityID]

    public static let payload = Payload(
      Member("came", \Self.came), Member("went", \.went), Member("changed", \.changed),
      make: Self.init)

    public init(came: [EntityID], went: [Gone], changed: [EntityID]) {
      self.came = came
      self.went = went
      self.changed = changed
    }
  }

  public var pack: EntityID
  public var version: Int64
  /// SHA-256 of the manifest's content, 64 lower-case hex digits.
  public var sha256: String
  public var totalBytes: Int64
  /// How many assets it lists.
  public var assets: Int64
  /// The tags of the whole pack.
  public var tags: TagSet
  /// Its assets, in the order of the manifest; nil in an event of version 1.
  public var listed: [Asset]?
  /// Nil in an event of version 1, and if no event says what the manifest before listed.
  public var changes: Changes?

  public static let payload = Payload(
    Member("pack", \Self.pack), Member("version", \.version, limit: .count),
    Member("sha256", \.sha256, limit: .name), Member("totalBytes", \.totalBytes, limit: .count),
    Member("assets", \.assets, limit: .count), Member("tags", \.tags),
    Member("listed", \.listed), Member("changes", \.changes), make: Self.init)

  public init(
    pack: EntityID, version: Int64, sha256: String, totalBytes: Int64, assets: Int64, tags: TagSet,
    listed: [Asset]? = nil, changes: Changes? = nil
  ) {
    self.pack = pack
    self.version = version
    self.sha256 = sha256
    self.totalBytes = totalBytes
    self.assets = assets
    self.tags = tags
    self.listed = listed
    self.changes = changes
  }
}
