/// What a package says of a recording. Which shows it is of, the shows say.
public struct RecordingFacts: Hashable, Sendable {
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

  public init(
    identifier: String, sourceType: String?, rating: Double, rawRating: Double,
    reviewCount: Int64, confidence: Double, highRatings: Int64, lowRatings: Int64,
    taper: String?, source: String?, lineage: String?
  ) {
    self.identifier = identifier
    self.sourceType = sourceType
    self.rating = rating
    self.rawRating = rawRating
    self.reviewCount = reviewCount
    self.confidence = confidence
    self.highRatings = highRatings
    self.lowRatings = lowRatings
    self.taper = taper
    self.source = source
    self.lineage = lineage
  }
}

/// What a package says of a collection.
public struct CollectionFacts: Hashable, Sendable {
  public var id: String
  public var name: String
  public var description: String
  public var tags: [String]
  /// In the package's order.
  public var showIDs: [String]

  public init(id: String, name: String, description: String, tags: [String], showIDs: [String]) {
    self.id = id
    self.name = name
    self.description = description
    self.tags = tags
    self.showIDs = showIDs
  }
}

/// A package that was imported, and what was in it.
public struct ImportedPackage: Hashable, Sendable {
  public struct Counts: Hashable, Sendable {
    public var shows: Int64
    public var recordings: Int64
    public var collections: Int64
    /// Different venues, by name and place.
    public var venues: Int64
    public var files: Int64
    /// Of all files together.
    public var bytes: Int64

    public init(
      shows: Int64, recordings: Int64, collections: Int64, venues: Int64, files: Int64,
      bytes: Int64
    ) {
      self.shows = shows
      self.recordings = recordings
      self.collections = collections
      self.venues = venues
      self.files = files
      self.bytes = bytes
    }
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

  public init(
    version: String, packageName: String, versionType: String, description: String?,
    gitCommit: String?, gitTag: String?, buildTimestamp: String?, sha256: String, counts: Counts,
    unlisted: [String]
  ) {
    self.version = version
    self.packageName = packageName
    self.versionType = versionType
    self.description = description
    self.gitCommit = gitCommit
    self.gitTag = gitTag
    self.buildTimestamp = buildTimestamp
    self.sha256 = sha256
    self.counts = counts
    self.unlisted = unlisted
  }
}
