public import CatalogEngine

/// A track that was played.
public struct PlayedTrack: Hashable, Sendable {
  /// Of the track, which may have been removed since.
  public var id: EntityID
  /// Nil where the track was removed.
  public var title: String?
  /// Nil where the track was removed.
  public var artist: String?
  public var lastPlayedAt: Timestamp
  public var firstPlayedAt: Timestamp
  /// At least 1.
  public var playCount: Int64

  private static let shape = TypedTable(
    "played", key: ["id"],
    Field("id", \PlayedTrack.id), Field("title", \PlayedTrack.title),
    Field("artist", \PlayedTrack.artist), Field("last_played_at", \PlayedTrack.lastPlayedAt),
    Field("first_played_at", \PlayedTrack.firstPlayedAt),
    Field("play_count", \PlayedTrack.playCount),
    make: PlayedTrack.init)

  static func list(by sort: PlaySort) -> KeysetList<PlayedTrack> {
    KeysetList(
      "played tracks, \(sort.rawValue)", as: shape,
      columns: """
        track_play.track_id, tracks.title, tracks.artist, track_play.last_played_at,
        track_play.first_played_at, track_play.play_count
        """,
      from: "track_play LEFT JOIN tracks ON tracks.id = track_play.track_id",
      orderedBy: [sort.key, KeysetKey("track_play.track_id", \.id)], isDescending: true)
  }
}

/// The order of a list of tracks that were played.
public enum PlaySort: String, CaseIterable, Sendable {
  /// The last played first.
  case recent
  /// The most often played first.
  case most

  fileprivate var key: KeysetKey<PlayedTrack> {
    switch self {
    case .recent: KeysetKey("track_play.last_played_at", \.lastPlayedAt)
    case .most: KeysetKey("track_play.play_count", \.playCount)
    }
  }
}
