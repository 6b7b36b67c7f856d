import CatalogModel
import Projections

/// The latest description of a track by Apple Music, in the table `music_track_cache`.
struct CachedTrack: Equatable, Sendable {
  var id: String
  var title: String
  var artist: String
  var album: String?
  /// In seconds.
  var duration: Double?
  var artworkURL: String?
  /// The time of the last snapshot that has the track.
  var lastSeenAt: Timestamp

  static let table = TypedTable(
    "music_track_cache", key: ["track_id"],
    Field("track_id", \CachedTrack.id, sql: "TEXT PRIMARY KEY"),
    Field("title", \CachedTrack.title, isName: true), Field("artist", \CachedTrack.artist),
    Field("album", \CachedTrack.album), Field("duration", \CachedTrack.duration),
    Field("artwork_url", \CachedTrack.artworkURL),
    Field("last_seen_at", \CachedTrack.lastSeenAt, isChangeStamp: true), make: CachedTrack.init)
}
