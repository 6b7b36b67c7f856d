import CatalogEngine
import TrackLibraryKind

/// A track as lists have it.
public struct TrackLine: Hashable, Sendable {
  public var id: EntityID
  public var title: String
  public var artist: String
  public var album: String
  /// In seconds; 0 where nobody knows.
  public var duration: Double
  public var source: String
  /// Normalised.
  public var uri: String
  public var songID: String?
  public var dateAdded: Timestamp

  static let shape = TypedTable(
    "tracks", key: ["id"],
    Field("id", \TrackLine.id), Field("title", \TrackLine.title),
    Field("artist", \TrackLine.artist), Field("album", \TrackLine.album),
    Field("duration", \TrackLine.duration), Field("source", \TrackLine.source),
    Field("uri", \TrackLine.uri), Field("song_id", \TrackLine.songID),
    Field("date_added", \TrackLine.dateAdded), make: TrackLine.init)

  static let columns =
    "tracks.id, tracks.title, tracks.artist, tracks.album, tracks.duration, track_source.source, "
    + "track_source.uri, track_source.song_id, track_source.date_added"

  /// Behind the table that says which tracks.
  static let join = "JOIN track_source ON track_source.track_id = tracks.id"
}
