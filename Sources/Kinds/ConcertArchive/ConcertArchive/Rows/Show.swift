public import Projections

/// A concert, with its venue and what the library says of it in the same row: the brief's section 1.2.
public struct Show: Equatable, Sendable {
  public var showID: String
  /// `1977-05-08`.
  public var date: String
  public var year: Int64
  public var month: Int64
  /// `1977-05`.
  public var yearMonth: String
  public var band: String
  public var url: String?
  public var venueName: String
  public var city: String?
  public var state: String?
  public var country: String
  public var locationRaw: String?
  public var setlistStatus: String?
  /// The sets as JSON: `[{"set":"Set 1","songs":[{"name":"…"}]}]`.
  public var setlistRaw: String?
  /// The songs' names, separated by commas. Names may hold commas: it cannot be split again.
  public var songList: String?
  public var lineupStatus: String?
  /// The musicians as JSON: `[{"name":"…","instruments":"…"}]`.
  public var lineupRaw: String?
  public var memberList: String?
  /// Which of the date's concerts it is, from 1.
  public var showSequence: Int64
  /// The identifiers of its recordings as JSON.
  public var recordingsRaw: String?
  public var recordingCount: Int64
  public var bestRecordingID: String?
  public var averageRating: Double?
  public var totalReviews: Int64
  public var isInLibrary: Bool
  /// Milliseconds since 1970, as are all times of these tables.
  public var libraryAddedAt: Int64?
  public var createdAt: Int64
  public var updatedAt: Int64

  public static let table = TypedTable(
    "shows", key: ["show_id"],
    indexes: [
      .index("idx_shows_date", on: ["date"]),
      .index("idx_shows_year", on: ["year"]),
      .index("idx_shows_yearMonth", on: ["year_month"]),
      .index("idx_shows_venue_name", on: ["venue_name"]),
      .index("idx_shows_city", on: ["city"]),
      .index("idx_shows_state", on: ["state"]),
    ],
    Field("show_id", \Show.showID),
    Field("date", \Show.date, isName: true),
    Field("year", \Show.year),
    Field("month", \Show.month),
    Field("year_month", \Show.yearMonth),
    Field("band", \Show.band),
    Field("url", \Show.url, sql: "TEXT"),
    Field("venue_name", \Show.venueName, isName: true),
    Field("city", \Show.city, sql: "TEXT"),
    Field("state", \Show.state, sql: "TEXT"),
    Field("country", \Show.country, default: .text("USA")),
    Field("location_raw", \Show.locationRaw, sql: "TEXT"),
    Field("setlist_status", \Show.setlistStatus, sql: "TEXT"),
    Field("setlist_raw", \Show.setlistRaw, sql: "TEXT"),
    Field("song_list", \Show.songList, sql: "TEXT"),
    Field("lineup_status", \Show.lineupStatus, sql: "TEXT"),
    Field("lineup_raw", \Show.lineupRaw, sql: "TEXT"),
    Field("member_list", \Show.memberList, sql: "TEXT"),
    Field("show_sequence", \Show.showSequence, default: .integer(1)),
    Field("recordings_raw", \Show.recordingsRaw, sql: "TEXT"),
    Field("recording_count", \Show.recordingCount, default: .integer(0)),
    Field("best_recording_id", \Show.bestRecordingID, sql: "TEXT"),
    Field("average_rating", \Show.averageRating, sql: "REAL"),
    Field("total_reviews", \Show.totalReviews, default: .integer(0)),
    Field("is_in_library", \Show.isInLibrary, default: .integer(0)),
    Field("library_added_at", \Show.libraryAddedAt, isTime: true, sql: "INTEGER"),
    Field("created_at", \Show.createdAt, isTime: true),
    Field("updated_at", \Show.updatedAt, isTime: true, isChangeStamp: true),
    make: Show.init)
}
