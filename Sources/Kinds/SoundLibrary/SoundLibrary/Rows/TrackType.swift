import Projections

/// The type of a track, for which the brief's `music_track_cache` has no column.
struct TrackType: Equatable, Sendable {
  var trackID: String
  /// `songs`, `music-videos`, or another word of the API.
  var type: String

  static let table = TypedTable(
    "projection_track", key: ["track_id"], Field("track_id", \TrackType.trackID),
    Field("type", \TrackType.type), make: TrackType.init)
}
