public import Projections

/// A recording of a concert.
public struct Recording: Equatable, Sendable {
  public var identifier: String
  /// The first of the shows that list it, by date, sequence and id; all of them are in `RecordingLink`.
  public var showID: String
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
  public var sourceTypeString: String?
  /// When the catalog last read it.
  public var collectionTimestamp: Int64

  public static let table = TypedTable(
    "recordings", key: ["identifier"],
    indexes: [
      .index("idx_recordings_show_id", on: ["show_id"]),
      .index("idx_recordings_source_type", on: ["source_type"]),
      .index("idx_recordings_rating", on: ["rating"]),
      .index("idx_recordings_show_id_rating", on: ["show_id", "rating"]),
    ],
    Field("identifier", \Recording.identifier),
    Field(
      "show_id", \Recording.showID, references: .to("shows", "show_id", onDelete: .cascade)),
    Field("source_type", \Recording.sourceType, sql: "TEXT"),
    Field("rating", \Recording.rating, default: .real(0)),
    Field("raw_rating", \Recording.rawRating, default: .real(0)),
    Field("review_count", \Recording.reviewCount, default: .integer(0)),
    Field("confidence", \Recording.confidence, default: .real(0)),
    Field("high_ratings", \Recording.highRatings, default: .integer(0)),
    Field("low_ratings", \Recording.lowRatings, default: .integer(0)),
    Field("taper", \Recording.taper, sql: "TEXT"),
    Field("source", \Recording.source, sql: "TEXT"),
    Field("lineage", \Recording.lineage, sql: "TEXT"),
    Field("source_type_string", \Recording.sourceTypeString, sql: "TEXT"),
    Field(
      "collection_timestamp", \Recording.collectionTimestamp, isTime: true, isChangeStamp: true),
    make: Recording.init)
}
