/// What an audio file says of itself. Reading tags is a host app's: with AVFoundation, or a library of its own.
public protocol MetadataReader: Sendable {
  /// - Parameter path: an audio file.
  /// - Returns: nil for a file that says nothing; it is called by its name then.
  /// - Throws: if the file cannot be read. The import lists it then, and takes its name.
  func metadata(ofFile path: String) throws -> AudioMetadata?
}

/// What an audio file says of itself; nil for what it does not say.
public struct AudioMetadata: Hashable, Sendable {
  /// If nil or blank, the name of the file is the title. In all texts but `isrc`, blank counts as nil.
  public var title: String?
  public var artist: String?
  public var album: String?
  /// If it is nil, albums are listed by `artist`.
  public var albumArtist: String?
  /// In seconds.
  public var duration: Double?
  public var genre: String?
  /// Of the release; nil if unknown, not 0.
  public var year: Int64?
  /// On its album; nil if unknown, not 0.
  public var trackNumber: Int64?
  /// In any spelling that `SongID.isrc` reads; what it refuses is left out, with a remark.
  public var isrc: String?
  /// At most `Artwork.limit` bytes.
  public var artwork: [UInt8]?

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
    duration: Double? = nil, genre: String? = nil, year: Int64? = nil, trackNumber: Int64? = nil,
    isrc: String? = nil, artwork: [UInt8]? = nil
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.albumArtist = albumArtist
    self.duration = duration
    self.genre = genre
    self.year = year
    self.trackNumber = trackNumber
    self.isrc = isrc
    self.artwork = artwork
  }
}
