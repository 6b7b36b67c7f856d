public import CatalogEngine

/// What a document from outside says of tracks and playlists. It is read whole, or refused whole.
public struct TrackDocument: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    case libraryJSON = "library.json"
    case iTunes = "itunes"
    case m3u
    case spotify
    case appleMusic = "apple-music"
    case folder
  }

  public var format: Format
  /// The name of the file or folder.
  public var name: String
  /// The `library.json` that it is, also where it was found in a folder; nil for other formats.
  public var libraryFile: String?
  /// Of the file, or of the list that `sha256sum` prints for the files of a set.
  public var sha256: String
  /// In the document's order. The same track may stand here twice.
  public var tracks: [DocumentTrack]
  public var playlists: [DocumentPlaylist]
  /// What could not be used as it stands, and what was done about it.
  public var remarks: [DocumentRemark]

  init(
    format: Format, name: String, sha256: String, tracks: [DocumentTrack] = [],
    playlists: [DocumentPlaylist] = [], remarks: [DocumentRemark] = []
  ) {
    self.format = format
    self.name = name
    self.sha256 = sha256
    self.tracks = tracks
    self.playlists = playlists
    self.remarks = remarks
  }
}

/// What a document says of a track. What it does not say is nil, and leaves what is known.
public struct DocumentTrack: Hashable, Sendable {
  /// Nil where the source has no UUID for it.
  public var id: EntityID?
  public var title: String
  public var artist: String?
  public var album: String?
  public var albumArtist: String?
  public var duration: Double?
  public var fileURL: String
  /// Normalised.
  public var uri: String
  public var source: String
  public var artworkURL: String?
  public var artwork: [UInt8]?
  public var genre: String?
  public var year: Int64?
  public var trackNumber: Int64?
  public var isrc: String?
  public var appleMusicID: String?
  public var dateAdded: Timestamp?
  /// Where it stands in the document.
  public var place: String

  init(title: String, fileURL: String, uri: String, source: String, place: String) {
    self.title = title
    self.fileURL = fileURL
    self.uri = uri
    self.source = source
    self.place = place
  }
}

/// What a document says of a playlist: its tracks by their normalised URIs.
public struct DocumentPlaylist: Hashable, Sendable {
  public var id: EntityID
  public var name: String
  public var description: String?
  public var artworkURL: String?
  public var uris: [String]

  init(
    id: EntityID, name: String, description: String? = nil, artworkURL: String? = nil,
    uris: [String]
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.artworkURL = artworkURL
    self.uris = uris
  }
}

/// Something in a document that was not used as it stands. Nothing is passed over without one.
public struct DocumentRemark: Hashable, Sendable, CustomStringConvertible {
  /// `page-1.json: $.items[3]`, `mix.m3u: line 12`
  public var place: String
  public var message: String

  public init(place: String, message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }
}
