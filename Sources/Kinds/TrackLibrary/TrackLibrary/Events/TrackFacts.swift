public import CatalogEngine

/// What a source says of a track.
@dynamicMemberLookup
public struct TrackFacts: Hashable, PayloadObject {
  /// A later event with this id replaces all that this one says; a nil `dateAdded` alone keeps the time before.
  public var id: EntityID
  public var details: TrackDetails
  /// SHA-256 of a picture that was added before, 64 hex digits.
  public var artwork: String?
  /// `local`, `spotify`, …
  public var source: String
  /// Normalised (`TrackURI`): what duplicates are found by.
  public var uri: String
  /// The song that it is a recording of: an id, or another name of one.
  public var song: String?
  /// Nil for the time of the first event.
  public var dateAdded: Timestamp?

  public subscript<Cell>(
    dynamicMember property: any WritableKeyPath<TrackDetails, Cell> & Sendable
  ) -> Cell {
    get { details[keyPath: property] }
    set { details[keyPath: property] = newValue }
  }

  public static let payload = Payload(
    Member("id", setting: \Self.id), Member("title", setting: \.details.title),
    Member("artist", setting: \.details.artist), Member("album", setting: \.details.album),
    Member("albumArtist", setting: \.details.albumArtist),
    Member("duration", setting: \.details.duration),
    Member("fileUrl", setting: \.details.fileURL),
    Member("artworkUrl", setting: \.details.artworkURL),
    Member("artwork", setting: \.artwork), Member("genre", setting: \.details.genre),
    Member("year", setting: \.details.year), Member("trackNumber", setting: \.details.trackNumber),
    Member("source", setting: \.source), Member("uri", setting: \.uri),
    Member("song", setting: \.song),
    Member("dateAdded", setting: \.dateAdded),
    empty: {
      TrackFacts(
        id: .zero, details: TrackDetails(title: "", fileURL: ""), artwork: nil, source: "", uri: "",
        song: nil, dateAdded: nil)
    })
}

extension TrackFacts {
  /// Has what most sources say; a further property is set afterwards.
  public init(
    id: EntityID, title: String, artist: String, album: String, albumArtist: String? = nil,
    duration: Double, fileURL: String, artworkURL: String? = nil, artwork: String? = nil,
    genre: String? = nil, year: Int64? = nil, trackNumber: Int64? = nil, source: String,
    uri: String, song: String? = nil, dateAdded: Timestamp? = nil
  ) {
    let details = TrackDetails(
      title: title, artist: artist, album: album, albumArtist: albumArtist, duration: duration,
      fileURL: fileURL, artworkURL: artworkURL, genre: genre, year: year, trackNumber: trackNumber)
    self.init(
      id: id, details: details, artwork: artwork, source: source, uri: uri, song: song,
      dateAdded: dateAdded)
  }
}

/// What is said of a collection, but for its tracks.
public struct CollectionFacts: Hashable, PayloadObject {
  public var id: EntityID
  /// Several collections may have the same name.
  public var name: String
  /// Nil removes one that an earlier event gave.
  public var description: String?
  /// Nil removes one that an earlier event gave.
  public var artworkURL: String?

  public static let payload = Payload(
    Member("id", \Self.id), Member("name", \.name), Member("description", \.description),
    Member("artworkUrl", \.artworkURL), make: Self.init)

  public init(id: EntityID, name: String, description: String? = nil, artworkURL: String? = nil) {
    self.id = id
    self.name = name
    self.description = description
    self.artworkURL = artworkURL
  }
}

/// What is said of a song.
public struct SongFacts: Hashable, PayloadObject {
  /// An ISRC or an Apple Music id (`SongID`).
  public var id: String
  /// In an import, that of the track with which the song is added.
  public var title: String
  /// Empty if unknown.
  public var artist: String
  /// Nil removes one that an earlier event gave.
  public var artworkURL: String?

  public static let payload = Payload(
    Member("id", \Self.id), Member("title", \.title), Member("artist", \.artist),
    Member("artworkUrl", \.artworkURL), make: Self.init)

  public init(id: String, title: String, artist: String, artworkURL: String? = nil) {
    self.id = id
    self.title = title
    self.artist = artist
    self.artworkURL = artworkURL
  }
}

/// A document that was imported, and what was in it.
public struct ImportedLibrary: Hashable, PayloadObject {
  /// A raw value of `TrackDocument.Format`: `library.json`, `m3u`, …
  public var format: String
  /// The file's or folder's name, without the folders above it.
  public var name: String
  /// Of the file, or of the list that `sha256sum` prints for the files of a set; 64 hex digits.
  public var sha256: String
  /// A track that appears twice in the document counts once.
  public var tracks: Int64
  /// Playlists of the document, whether or not anything of them is new.
  public var collections: Int64
  /// How many of the tracks have an ISRC or an Apple Music id.
  public var identified: Int64

  public static let payload = Payload(
    Member("format", \Self.format), Member("name", \.name), Member("sha256", \.sha256),
    Member("tracks", \.tracks), Member("collections", \.collections),
    Member("identified", \.identified), make: Self.init)

  public init(
    format: String, name: String, sha256: String, tracks: Int64, collections: Int64,
    identified: Int64
  ) {
    self.format = format
    self.name = name
    self.sha256 = sha256
    self.tracks = tracks
    self.collections = collections
    self.identified = identified
  }
}
