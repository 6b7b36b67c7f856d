public import CatalogEngine

/// How often a track was played. It outlives the track, which it only names.
public struct TrackPlay: Hashable, Sendable {
  public var trackID: EntityID
  /// The latest time of any play: clocks may be set back between two.
  public var lastPlayedAt: Timestamp
  /// The time of the play that was counted first, even if a later one has an earlier time.
  public var firstPlayedAt: Timestamp
  /// From 1 on: a track that was never played has no row.
  public var playCount: Int64

  public static let table = TypedTable(
    "track_play", key: ["track_id"],
    indexes: [
      .index("projection_track_play_recent", on: ["last_played_at", "track_id"]),
      .index("projection_track_play_most", on: ["play_count", "track_id"]),
    ],
    Field("track_id", \TrackPlay.trackID, names: "tracks"),
    Field("last_played_at", \TrackPlay.lastPlayedAt),
    Field("first_played_at", \TrackPlay.firstPlayedAt), Field("play_count", \TrackPlay.playCount),
    make: TrackPlay.init)
}

/// The event of a track's last play. No query reads it: the table stays until a new version of the projector.
struct CountedPlay: Equatable, Sendable {
  var trackID: EntityID
  var sequence: Int64

  static let table = TypedTable(
    "projection_counted_play", key: ["track_id"],
    Field("track_id", \CountedPlay.trackID), Field("sequence", \CountedPlay.sequence),
    make: CountedPlay.init)
}
