public import CatalogModel

/// What a package says of a recording. Which shows it is of, the shows say.
public struct RecordingFacts: Hashable, PayloadObject {
  public var identifier: String
  /// `SBD`, `AUD`, `MATRIX`.
  public var sourceType: String?
  public var rating: Double
  public var rawRating: Double
  public var reviewCount: Int64
  public var confidence: Double
  public var highRatings: Int64
  public var lowRatings: Int64
  public var taper: String?
  public var source: String?
  public var lineage: String?

  public static let payload = Payload(
    Member("recording", \Self.identifier), Member("sourceType", \.sourceType),
    Member("rating", \.rating), Member("rawRating", \.rawRating),
    Member("reviewCount", \.reviewCount), Member("confidence", \.confidence),
    Member("highRatings", \.highRatings), Member("lowRatings", \.lowRatings),
    Member("taper", \.taper), Member("source", \.source), Member("lineage", \.lineage),
    make: Self.init)
}

/// What a package says of a collection.
public struct CollectionFacts: Hashable, PayloadObject {
  public var id: String
  public var name: String
  public var description: String
  public var tags: [String]
  /// In the package's order.
  public var showIDs: [String]

  public static let payload = Payload(
    Member("id", \Self.id), Member("name", \.name), Member("description", \.description),
    Member("tags", \.tags), Member("showIds", \.showIDs), make: Self.init)
}

/// A package that was imported, and what was in it.
public struct ImportedPackage: Hashable, PayloadObject {
  public struct Counts: Hashable, Sendable {
    public var shows: Int64
    public var recordings: Int64
    public var collections: Int64
    /// Different venues, by name and place.
    public var venues: Int64
    public var files: Int64
    /// Of all files together.
    public var bytes: Int64
  }

  public var version: String
  public var packageName: String
  /// `release`, `development`.
  public var versionType: String
  public var description: String?
  public var gitCommit: String?
  public var gitTag: String?
  public var buildTimestamp: String?
  /// Of the list that `sha256sum` prints for its files (docs/CONCERTS.md), 64 hex digits.
  public var sha256: String
  public var counts: Counts
  /// Recordings that no show of the package lists: they have no row.
  public var unlisted: [String]

  public static let payload = Payload(
    Member("version", \Self.version), Member("packageName", \.packageName),
    Member("versionType", \.versionType), Member("description", \.description),
    Member("gitCommit", \.gitCommit), Member("gitTag", \.gitTag),
    Member("buildTimestamp", \.buildTimestamp), Member("sha256", \.sha256),
    Member("shows", \.counts.shows), Member("recordings", \.counts.recordings),
    Member("collections", \.counts.collections), Member("venues", \.counts.venues),
    Member("files", \.counts.files), Member("bytes", \.counts.bytes),
    Member("unlisted", \.unlisted),
    make: {
      Self(
        version: $0, packageName: $1, versionType: $2, description: $3, gitCommit: $4, gitTag: $5,
        buildTimestamp: $6, sha256: $7,
        counts: Counts(
          shows: $8, recordings: $9, collections: $10, venues: $11, files: $12, bytes: $13),
        unlisted: $14)
    })
}
