public import CatalogModel

/// `seed.imported`: the first event of every import that changes something.
public struct SeedImported: Hashable, PayloadObject {
  /// Counts of what the document lists, not of what changed.
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
