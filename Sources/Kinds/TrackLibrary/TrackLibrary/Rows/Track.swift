public import CatalogEngine

/// A track of any source, with the columns of the table of the music player that this kind replaces.
public struct Track: Hashable, Sendable {
  public var id: EntityID
  /// From the source; if it names none, the name of the file, the URI or the id.
  public var title: String
  /// Empty where nobody knows.
  public var artist: String
  /// Empty where nobody knows.
  public var album: String
  /// Nil if no artist of the album is named: albums are listed by `artist` then.
  public var albumArtist: String?
  /// In seconds; 0 where nobody knows.
  public var duration: Double
  /// Where it plays, as the source wrote it.
  public var fileURL: String
  /// As the source writes it; nil if it names no picture.
  public var artworkURL: String?
  /// A copy of the picture's bytes in `Artwork.table`; nil if the track has no picture.
  public var artworkData: [UInt8]?
  public var genre: String?
  /// Of the release; nil if unknown.
  public var year: Int64?
  /// On its album; nil if unknown.
  public var trackNumber: Int64?

  public init(
    id: EntityID, title: String, artist: String, album: String, albumArtist: String? = nil,
    duration: Double, fileURL: String, artworkURL: String? = nil, artworkData: [UInt8]? = nil,
    genre: String? = nil, year: Int64? = nil, trackNumber: Int64? = nil
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.albumArtist = albumArtist
    self.duration = duration
    self.fileURL = fileURL
    self.artworkURL = artworkURL
    self.artworkData = artworkData
    self.genre = genre
    self.year = year
    self.trackNumber = trackNumber
  }

  /// The table `tracks` of the music player that this kind replaces, with its three indexes.
  public static let table = TypedTable(
    "tracks", key: ["id"],
    indexes: [
      .index("idx_tracks_artist", on: ["artist"]),
      .index("idx_tracks_album", on: ["album"]),
      .index("idx_tracks_album_artist", on: ["album_artist"]),
    ],
    Field("id", \Track.id, sql: "TEXT PRIMARY KEY"),
    Field("title", \Track.title, isName: true),
    Field("artist", \Track.artist, isName: true),
    Field("album", \Track.album),
    Field("album_artist", \Track.albumArtist, sql: "TEXT"),
    Field("duration", \Track.duration),
    Field("file_url", \Track.fileURL),
    Field("artwork_url", \Track.artworkURL, sql: "TEXT"),
    Field("artwork_data", \Track.artworkData, sql: "BLOB"),
    Field("genre", \Track.genre, sql: "TEXT"),
    Field("year", \Track.year, sql: "INTEGER"),
    Field("track_number", \Track.trackNumber, sql: "INTEGER"),
    make: Track.init)
}

/// Where a track comes from.
public struct TrackSource: Hashable, Sendable {
  public var trackID: EntityID
  /// `local`, `spotify`, …
  public var source: String
  /// Normalised (`TrackURI`): no two tracks have the same.
  public var uri: String
  /// The own id of the song that it is a recording of; nil if it belongs to none.
  public var songID: String?
  /// As the source says, else the time of the event that added it.
  public var dateAdded: Timestamp

  /// Has a row for each row of `Track.table`.
  public static let table = TypedTable(
    "track_source", key: ["track_id"],
    indexes: [.index("idx_track_source_song", on: ["song_id"]), .lookup(["uri"])],
    Field("track_id", \TrackSource.trackID, references: .to("tracks", "id", onDelete: .cascade)),
    Field("source", \TrackSource.source),
    Field("uri", \TrackSource.uri, unique: true),
    Field(
      "song_id", \TrackSource.songID, names: "song", sql: "TEXT REFERENCES song(id)"),
    Field("date_added", \TrackSource.dateAdded),
    make: TrackSource.init)
}

/// What the full-text index is made from.
struct TrackText: Equatable, Sendable {
  /// The row id of the index: the number of the event that brought the track.
  var number: Int64
  var trackID: EntityID
  var title: String
  var artist: String
  var album: String

  static let table = TypedTable(
    "projection_track_text", key: ["number"],
    indexes: [.index("projection_track_text_track", on: ["track_id"], unique: true)],
    Field("number", \TrackText.number), Field("track_id", \TrackText.trackID),
    Field("title", \TrackText.title), Field("artist", \TrackText.artist),
    Field("album", \TrackText.album), make: TrackText.init)
}
