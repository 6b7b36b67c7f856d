public import CatalogModel
public import Projections

/// What can happen to a catalog: one case an event type, in its newest version.
///
/// `docs/EVENTS.md` says what each one means. Payloads of older versions are brought up to these by
/// upcasters before anything else sees them.
///
/// The largest payloads are indirect, for every event has the room of the largest one that is not: with all of
/// them inside, to copy events from place to place was a tenth of decoding them.
public enum SoundEvent: Hashable, Sendable {
  case catalogCreated(CatalogCreated)
  case seedImported(SeedImported)
  case dimensionValueAdded(DimensionValueAdded)
  case dimensionValueOrdered(DimensionValueOrdered)
  case dimensionValueRenamed(DimensionValueRenamed)
  case dimensionValueMerged(DimensionValueMerged)
  case dimensionValueAliased(DimensionValueAliased)
  case itemUpserted(ItemUpserted)
  case itemVisibilityChanged(ItemVisibilityChanged)
  case itemTagsSet(ItemTagsSet)
  case itemTagSuppressed(ItemTagSuppression)
  case itemTagUnsuppressed(ItemTagSuppression)
  case playlistLinked(PlaylistLinked)
  indirect case playlistMetadataRefreshed(PlaylistMetadataRefreshed)
  case playlistTracksSnapshotted(PlaylistTracksSnapshotted)
  indirect case packUpserted(PackUpserted)
  case packItemsSet(PackItemsSet)
  case manifestApplied(ManifestApplied)
  case packDownloadStarted(PackDownloadStarted)
  case packDownloadProgressed(PackDownloadProgressed)
  case packDownloadCompleted(PackDownloadCompleted)
  case packDownloadFailed(PackDownloadFailed)
  case packDownloadInterrupted(PackDownloadInterrupted)
  case packDownloadCancelled(PackReference)
  case packDeleted(PackReference)
  /// An operation is taken back.
  indirect case reversal(Reversal)
}

/// `seed.imported`: the first event of every import that changes something.
public struct SeedImported: Hashable, PayloadObject {
  /// What the document lists, not what changed.
  public struct Counts: Hashable, PayloadObject {
    public var values: Int64
    public var music: Int64
    public var packs: Int64
    public var packItems: Int64

    public static let payload = Payload(
      Member("values", \Self.values), Member("music", \.music), Member("packs", \.packs),
      Member("packItems", \.packItems), make: Self.init)

    public init(values: Int64, music: Int64, packs: Int64, packItems: Int64) {
      self.values = values
      self.music = music
      self.packs = packs
      self.packItems = packItems
    }
  }

  public var seed: String
  public var revision: Int64
  /// SHA-256 of the document's bytes, 64 lower-case hex digits.
  public var sha256: String
  public var counts: Counts

  public static let payload = Payload(
    Member("seed", \Self.seed, limit: .name), Member("revision", \.revision, limit: .count),
    Member("sha256", \.sha256, limit: .name), Member("counts", \.counts), make: Self.init)

  public init(seed: String, revision: Int64, sha256: String, counts: Counts) {
    self.seed = seed
    self.revision = revision
    self.sha256 = sha256
    self.counts = counts
  }
}

/// `dimension.value.added`: a vocabulary has a new value, with the id that it keeps for ever.
public struct DimensionValueAdded: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var sortOrder: Int64?
  public var isSystem: Bool

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("sortOrder", \.sortOrder, limit: .number),
    Member("isSystem", \.isSystem), make: Self.init)

  public init(
    dimension: TagDimension, id: Int64, name: String, sortOrder: Int64?, isSystem: Bool
  ) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.sortOrder = sortOrder
    self.isSystem = isSystem
  }
}

/// `dimension.value.ordered`: a value has another place in its vocabulary.
public struct DimensionValueOrdered: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var sortOrder: Int64?

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("sortOrder", \.sortOrder, limit: .number),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, sortOrder: Int64?) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.sortOrder = sortOrder
  }
}

/// `dimension.value.renamed`: a value has another name; its id stays, its old name becomes an alias.
public struct DimensionValueRenamed: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  /// What it was called.
  public var name: String
  public var newName: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("newName", \.newName, limit: .name),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, newName: String) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.newName = newName
  }
}

/// `dimension.value.merged`: a value is gone and another stands for it.
public struct DimensionValueMerged: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var into: Int64
  public var intoName: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("into", \.into, limit: .number),
    Member("intoName", \.intoName, limit: .name), make: Self.init)

  public init(
    dimension: TagDimension, id: Int64, name: String, into: Int64, intoName: String
  ) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.into = into
    self.intoName = intoName
  }
}

/// `dimension.value.aliased`: another name that means the value from now on.
public struct DimensionValueAliased: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var alias: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("alias", \.alias, limit: .name),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, alias: String) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.alias = alias
  }
}

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
