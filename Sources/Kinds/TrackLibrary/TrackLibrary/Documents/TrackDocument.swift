public import CatalogEngine

/// What a document from outside says of tracks and playlists.
///
/// A `library.json` is read whole, or refused whole. What other programs wrote is read entry by entry: what cannot be used
/// is left out, and is one of `remarks`.
public struct TrackDocument: Sendable {
  /// Raw values are what `library.imported` and the source of an import have: `import:spotify`.
  public enum Format: String, CaseIterable, Sendable {
    /// A JSON object with `tracks` and `collections`: the only format that gives tracks UUIDs of their own.
    case libraryJSON = "library.json"
    /// The property list that iTunes and Music export, `.xml` or `.plist`.
    case iTunes = "itunes"
    /// One playlist, `.m3u` or `.m3u8`.
    case m3u
    /// One playlist, `.pls`.
    case pls
    /// One playlist, `.xspf`.
    case xspf
    /// One playlist: a table with a column of addresses, `.csv`.
    case csv
    /// Saved answers of the Spotify Web API: a JSON file, or a folder of them.
    case spotify
    /// Saved answers of the Apple Music API: a JSON file, or a folder of them.
    case appleMusic = "apple-music"
    /// A folder of audio files, and the folders in it.
    case folder
  }

  /// The file or folder, as it was named.
  public var path: String
  public var format: Format
  /// The name of the file or folder.
  public var name: String
  /// The `library.json` that it is, also where it was found in a folder; nil for other formats.
  public var libraryFile: String?
  /// Of the file, or of the list that `sha256sum` prints for the files of a set.
  public var sha256: String
  /// In the document's order. The same track may stand here twice.
  public var tracks: [DocumentTrack]
  /// In the document's order. Each track in them is one of `tracks`.
  public var playlists: [DocumentPlaylist]
  /// In the document's order. Only a `library.json` has some.
  public var tags: [DocumentTag] = []
  /// In the document's order. Only a `library.json` has some; other documents name songs in their tracks.
  public var songs: [DocumentSong] = []
  /// What could not be used as it stands, and what was done about it.
  public var remarks: [DocumentRemark]
}

/// What a document says of a track. What it does not say is nil, and leaves what is known; what it says is empty (an empty
/// text, 0) removes what is known.
public struct DocumentTrack: Hashable, Sendable {
  /// Nil where the source has no UUID for it.
  public var id: EntityID?
  /// Nil if the document names none: then the title stays that is known, or the name of the file or the URI is one. May
  /// be empty in a `library.json` only.
  public var title: String?
  /// Several artists of a Spotify track are one text, with `, ` between them.
  public var artist: String?
  public var album: String?
  /// Several artists of a Spotify album are one text, with `, ` between them.
  public var albumArtist: String?
  /// In seconds; 0 if the document says that it has no length.
  public var duration: Double?
  /// Where it plays: as the document writes it, or the same as `uri`. The name of a file that was found is spelled as in
  /// its folder.
  public var fileURL: String
  /// Whether a file of this machine was found at `fileURL`, which is then worth more than an earlier spelling.
  public var isFound = false
  /// Normalised.
  public var uri: String
  /// `local`, `spotify`, `apple-music`, `itunes` or `web`.
  public var source: String
  /// As the source writes it; addresses of Apple Music have `{w}` and `{h}` for the size.
  public var artworkURL: String?
  /// The picture itself, at most `Artwork.limit` bytes: from a `library.json`, or from a `MetadataReader`.
  public var artwork: [UInt8]?
  /// One genre; of several that Apple Music names, the first.
  public var genre: String?
  /// Of the release.
  public var year: Int64?
  /// On its album.
  public var trackNumber: Int64?
  /// As `SongID.isrc` writes it: 12 capital letters and digits.
  public var isrc: String?
  /// An id of Apple Music's catalog, in digits; never one of a personal library.
  public var appleMusicID: String?
  /// When it was added to the library or playlist that the document describes.
  public var dateAdded: Timestamp?
  /// Where it stands in the document.
  public var place: String
}

/// A tag in a document.
public struct DocumentTag: Hashable, Sendable {
  public var id: EntityID
  /// As `TextRules.tagName` writes it, once in the document.
  public var name: String
  /// `#FF8800`
  public var hexColor: String
}

/// A song in a document. Tags from sources that it does not name stay as they are.
public struct DocumentSong: Hashable, Sendable {
  /// As `SongID.normalized` writes it.
  public var id: String
  /// Other names of the song, in the same form.
  public var otherIDs: [String] = []
  public var title: String
  /// Empty if the document names none.
  public var artist = ""
  public var artworkURL: String?
  /// All names of tags that a source gives the song.
  public var tags: [String: [String]] = [:]
}

/// What a document says of a playlist: its tracks by their normalised URIs.
public struct DocumentPlaylist: Hashable, Sendable {
  /// The document's own, in a `library.json` and in an M3U file that names one; else a `NameBasedID`.
  public var id: EntityID
  /// Never blank; at most `TextRules.nameLimit` bytes of UTF-8. Nil if the document names none: then the name stays that
  /// is known, or `address` is one.
  public var name: String?
  /// The name of the playlist as long as no document says another.
  public var address = ""
  /// Only Spotify, Apple Music and iTunes have one. Empty if the document says that it has none.
  public var description: String?
  /// Only Spotify and Apple Music have one. Empty if the document says that it has none.
  public var artworkURL: String?
  /// In their order; one may appear twice.
  public var uris: [String]
  /// The places in the list of its source that `uris` come from, if the document has only a part of it, or an entry that
  /// names no track: a part never takes tracks out of the playlist. Nil if `uris` are all.
  public var part: Range<Int>?
  /// The id under which an earlier release knew the playlist; nil if it is the same.
  public var earlierID: EntityID?
  /// Whether `id` follows from the name, because the document has none: then another playlist of this name may be
  /// imported with it.
  public var isKnownByName = false
  /// The name of the folder in which the file of the playlist is; nil if a document has several playlists.
  public var folder: String?
  /// The name of the file that is the playlist; nil if a document has several.
  public var file: String?
  /// Whether another playlist of this name is imported with it.
  public var hasNamesake = false
}

/// Something in a document that was not used as it stands. Nothing is passed over without one.
public struct DocumentRemark: Hashable, Sendable, CustomStringConvertible {
  /// `page-1.json: $.items[3]`, `mix.m3u: line 12`
  public var place: String
  /// What is wrong or missing, and what was done about it: `the album has no tracks here; left out`.
  public var message: String

  public init(place: String, message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }
}

extension DocumentTrack {
  /// Takes a picture, unless it is empty or too large.
  ///
  /// - Parameter place: what a remark calls the track.
  mutating func take(picture: [UInt8]?, _ place: String, _ remarks: inout [DocumentRemark]) {
    guard let picture, !picture.isEmpty else { return }
    guard picture.count <= Artwork.limit else {
      return remarks.add(
        place, "the picture has \(picture.count) bytes, more than \(Artwork.limit); left out")
    }
    artwork = picture
  }
}

extension [DocumentRemark] {
  mutating func add(_ place: String, _ message: String) {
    append(DocumentRemark(place: place, message: message))
  }
}

extension TrackDocument.Format {
  /// The source in ids of playlists that are known by their names.
  public var idSource: String {
    switch self {
    case .m3u: "m3u"
    case .iTunes: "itunes"
    case .spotify: "spotify"
    case .pls, .xspf, .csv, .appleMusic, .libraryJSON, .folder: rawValue
    }
  }
}

extension DocumentPlaylist {
  /// The name and the id of a playlist that is not the only one of its name: those that follow from its file and folder.
  ///
  /// - Parameters:
  ///   - source: the format's `idSource`.
  ///   - number: 2 for the second playlist of this name, if they are in one file.
  public func besides(_ source: String, number: Int = 2) -> (name: String, id: EntityID) {
    let name = name ?? address
    guard let folder, let file else {
      return ("\(name) (\(number))", NameBasedID.collection(source, "name:\(name)\n\(number)"))
    }
    // No name of a list has a line feed.
    return ("\(name) (\(folder))", NameBasedID.collection(source, "\(name)\n\(folder)\n\(file)"))
  }
}
