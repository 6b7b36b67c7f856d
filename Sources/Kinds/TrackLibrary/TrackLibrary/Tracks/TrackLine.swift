import CatalogEngine

/// A track as lists have it.
public struct TrackLine: Hashable, Sendable {
  public var id: EntityID
  /// From the source; if it names none, the name of the file, the URI or the id.
  public var title: String
  /// Empty if unknown.
  public var artist: String
  /// Empty if unknown.
  public var album: String
  /// Nil where no artist of the album is named.
  public var albumArtist: String?
  /// In seconds; 0 where nobody knows.
  public var duration: Double
  /// `local`, `spotify`, `apple-music`, `itunes` or `web`.
  public var source: String
  /// Normalised.
  public var uri: String
  /// The address at which it plays, as its source writes it; a file that was found, as its folder has it.
  public var fileURL: String
  /// The song that it is a recording of; nil if it belongs to none.
  public var songID: String?
  /// As the source says, else the time of the event that added it.
  public var dateAdded: Timestamp
  /// On its album; nil if nobody knows.
  public var trackNumber: Int64?

  static let shape = TypedTable(
    "tracks", key: ["id"],
    Field("id", \TrackLine.id), Field("title", \TrackLine.title),
    Field("artist", \TrackLine.artist), Field("album", \TrackLine.album),
    Field("album_artist", \TrackLine.albumArtist),
    Field("duration", \TrackLine.duration), Field("source", \TrackLine.source),
    Field("uri", \TrackLine.uri), Field("file_url", \TrackLine.fileURL),
    Field("song_id", \TrackLine.songID),
    Field("date_added", \TrackLine.dateAdded), Field("track_number", \TrackLine.trackNumber),
    make: TrackLine.init)

  static let columns =
    "tracks.id, tracks.title, tracks.artist, tracks.album, tracks.album_artist, tracks.duration, "
    + "track_source.source, track_source.uri, tracks.file_url, track_source.song_id, track_source.date_added, "
    + "tracks.track_number"

  /// After the table that says which tracks.
  static let join = "JOIN track_source ON track_source.track_id = tracks.id"

  /// After `projection_track_order`, which says in which order.
  static let joinInOrder =
    "CROSS JOIN tracks ON tracks.id = projection_track_order.track_id "
    + "CROSS JOIN track_source ON track_source.track_id = tracks.id"

  // What `TrackOrder` has of the track.
  var titleKey: String { TrackOrder.key(title) }
  var artistKey: String { TrackOrder.key(artist) }
  var albumKey: String { TrackOrder.key(album) }
  var albumArtistKey: String { TrackOrder.key(albumArtist ?? artist) }
  var numberKey: Int64 { trackNumber ?? 0 }
}
