public import CatalogModel

/// `item.upserted`: a browseable entry is new or says something else than before.
public struct ItemUpserted: Hashable, PayloadObject {
  public var id: EntityID
  public var kind: Kind
  public var title: String
  public var subtitle: String?
  /// Seconds.
  public var duration: Double?
  public var artworkURL: String?

  public static let payload = Payload(
    Member("id", \Self.id), Member("kind", \.kind), Member("title", \.title, limit: .text),
    Member("subtitle", \.subtitle, limit: .text), Member("duration", \.duration, limit: .duration),
    Member("artworkUrl", \.artworkURL, limit: .text), make: Self.init)

  public init(
    id: EntityID, kind: Kind, title: String, subtitle: String?, duration: Double?,
    artworkURL: String?
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.subtitle = subtitle
    self.duration = duration
    self.artworkURL = artworkURL
  }
}

/// `item.visibility.changed`: an entry is hidden, or shown again.
public struct ItemVisibilityChanged: Hashable, PayloadObject {
  public var id: EntityID
  public var isVisible: Bool

  public static let payload = Payload(
    Member("id", \Self.id), Member("isVisible", \.isVisible), make: Self.init)

  public init(id: EntityID, isVisible: Bool) {
    self.id = id
    self.isVisible = isVisible
  }
}

/// `item.tags.set`: the whole set of tags that one source gives one item.
public struct ItemTagsSet: Hashable, PayloadObject {
  public var item: EntityID
  /// `seed:<seedId>`, `manifest:<packId>` or `person`.
  public var source: String
  /// Names by the keys of their dimensions: `TagSet+Payload`.
  public var tags: TagSet

  public static let payload = Payload(
    Member("item", \Self.item), Member("source", \.source, limit: .name), Member("tags", \.tags),
    make: Self.init)

  public init(item: EntityID, source: String, tags: TagSet) {
    self.item = item
    self.source = source
    self.tags = tags
  }
}

/// `item.tag.suppressed` and `item.tag.unsuppressed`: a person overrules what sources say of an item,
/// or lets it count again.
public struct ItemTagSuppression: Hashable, PayloadObject {
  public var item: EntityID
  public var dimension: TagDimension
  public var name: String

  public static let payload = Payload(
    Member("item", \Self.item), Member("dimension", \.dimension),
    Member("name", \.name, limit: .name), make: Self.init)

  public init(item: EntityID, dimension: TagDimension, name: String) {
    self.item = item
    self.dimension = dimension
    self.name = name
  }
}
