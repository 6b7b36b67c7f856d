public import Projections

/// A show that was played lately: one row, however often. It outlives the show, which it only names.
public struct RecentShow: Equatable, Sendable {
  public var showID: String
  public var lastPlayedTimestamp: Int64
  public var firstPlayedTimestamp: Int64
  public var totalPlayCount: Int64

  public static let table = TypedTable(
    "recent_shows", key: ["show_id"],
    indexes: [
      .index("idx_recent_shows_last_played", on: [.descending("last_played_timestamp")])
    ],
    Field("show_id", \RecentShow.showID, names: "shows"),
    Field("last_played_timestamp", \RecentShow.lastPlayedTimestamp, isTime: true),
    Field("first_played_timestamp", \RecentShow.firstPlayedTimestamp, isTime: true),
    Field("total_play_count", \RecentShow.totalPlayCount),
    make: RecentShow.init)
}

/// How often a show was played, by which the brief's table has no index, and the event of the last play. Of a show that was
/// hidden, the count at that time.
struct CountedPlay: Equatable, Sendable {
  var showID: String
  var sequence: Int64
  var playCount: Int64

  static let table = TypedTable(
    "projection_counted_play", key: ["show_id"],
    indexes: [.index("projection_counted_play_count", on: ["play_count", "show_id"])],
    Field("show_id", \CountedPlay.showID), Field("sequence", \CountedPlay.sequence),
    Field("play_count", \CountedPlay.playCount), make: CountedPlay.init)
}
