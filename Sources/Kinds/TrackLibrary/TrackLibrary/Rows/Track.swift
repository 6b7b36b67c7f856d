public import CatalogEngine

/// A track of any source, with the columns of the table of the music player that this kind replaces.
@dynamicMemberLookup
public struct Track: Hashable, Sendable {
  public var id: EntityID
  public var details: TrackDetails
  /// A copy of the picture's bytes in `Artwork.table`; nil if the track has no picture.
  public var artworkData: [UInt8]?

  public subscript<Cell>(
    dynamicMember property: any WritableKeyPath<TrackDetails, Cell> & Sendable
  ) -> Cell {
    get { details[keyPath: property] }
    set { details[keyPath: property] = newValue }
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
    Field("title", \Track.details.title, isName: true),
    // A caller that searches by an index names the property of the track itself.
    Field("artist", \Track.artist, isName: true),
    Field("album", \Track.album),
    Field("album_artist", \Track.albumArtist, sql: "TEXT"),
    Field("duration", \Track.details.duration),
    Field("file_url", \Track.details.fileURL),
    Field("artwork_url", \Track.details.artworkURL, sql: "TEXT"),
    Field("artwork_data", \Track.artworkData, sql: "BLOB"),
    Field("genre", \Track.details.genre, sql: "TEXT"),
    Field("year", \Track.details.year, sql: "INTEGER"),
    Field("track_number", \Track.details.trackNumber, sql: "INTEGER"),
    empty: { Track(id: .zero, details: TrackDetails(title: "", fileURL: "")) })
}

extension Track {
  /// Makes a track of what most sources say; a further property is set afterwards.
  public init(
    id: EntityID, title: String, artist: String, album: String, albumArtist: String? = nil,
    duration: Double, fileURL: String, artworkURL: String? = nil, artworkData: [UInt8]? = nil,
    genre: String? = nil, year: Int64? = nil, trackNumber: Int64? = nil
  ) {
    let details = TrackDetails(
      title: title, artist: artist, album: album, albumArtist: albumArtist, duration: duration,
      fileURL: fileURL, artworkURL: artworkURL, genre: genre, year: year, trackNumber: trackNumber)
    self.init(id: id, details: details, artworkData: artworkData)
  }

  /// The row of what a source says.
  public init(_ facts: TrackFacts, _ picture: [UInt8]?) {
    self.init(id: facts.id, details: facts.details, artworkData: picture)
  }
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

/// What the full-text index of the player's form is made from.
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

/// The words under which a search finds a track, as searches of all kinds have them.
struct TrackWords: Equatable, Sendable {
  /// That of `TrackText`.
  var number: Int64
  /// The words of the title, the artist and the album (`SearchText`). What parts them is no word of a query: no phrase is in
  /// two of them.
  var words: String

  static let table = TypedTable(
    "projection_track_words", key: ["number"], Field("number", \TrackWords.number),
    Field("words", \TrackWords.words), make: TrackWords.init)
}

extension TrackWords {
  init(_ text: TrackText) {
    self.init(
      number: text.number,
      words: [text.title, text.artist, text.album].map { SearchText($0).all }
        .joined(separator: " | "))
  }
}
