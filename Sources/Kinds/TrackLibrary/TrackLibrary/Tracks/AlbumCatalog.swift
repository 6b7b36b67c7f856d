public import CatalogEngine
import TrackLibraryKind

/// Albums and artists: what the tracks say, grouped. No event is about them.
public struct AlbumCatalog: Sendable {
  private let catalog: EventCatalog<TrackLibraryKind>

  init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  /// Albums by title and artist, page by page. Tracks that name no album are on none.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Album> {
    try await catalog.page(of: Album.list, limit: limit, after: cursor)
  }

  /// Artists by name, page by page. Tracks that name none are by nobody.
  public func artists(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Artist> {
    try await catalog.page(of: Artist.list, limit: limit, after: cursor)
  }
}

/// Tracks of one album title by one album artist.
public struct Album: Hashable, Sendable {
  public var title: String
  /// The artist of the album; that of its tracks where no other is named.
  public var artist: String
  public var trackCount: Int64
  /// Of all tracks together, in seconds.
  public var duration: Double
  /// The earliest of its tracks'; nil where nobody knows.
  public var year: Int64?

  public init(
    title: String, artist: String, trackCount: Int64, duration: Double, year: Int64? = nil
  ) {
    self.title = title
    self.artist = artist
    self.trackCount = trackCount
    self.duration = duration
    self.year = year
  }

  static let list = KeysetList(
    "albums",
    as: TypedTable(
      "albums", key: ["title", "artist"],
      Field("title", \Album.title), Field("artist", \Album.artist),
      Field("track_count", \Album.trackCount), Field("duration", \Album.duration),
      Field("year", \Album.year),
      make: { Album(title: $0, artist: $1, trackCount: $2, duration: $3, year: $4) }),
    columns: "albums.title, albums.artist, albums.track_count, albums.duration, albums.year",
    from: """
      (SELECT album AS title, ifnull(album_artist, artist) AS artist, count(*) AS track_count,
        sum(duration) AS duration, min(year) AS year
       FROM tracks WHERE album <> '' GROUP BY album, ifnull(album_artist, artist)) AS albums
      """,
    orderedBy: [
      KeysetKey("albums.title", \Album.title), KeysetKey("albums.artist", \Album.artist),
    ])
}

/// Tracks by one artist.
public struct Artist: Hashable, Sendable {
  public var name: String
  public var trackCount: Int64
  /// Titles of albums that they are on.
  public var albumCount: Int64
  /// Of all tracks together, in seconds.
  public var duration: Double

  public init(name: String, trackCount: Int64, albumCount: Int64, duration: Double) {
    self.name = name
    self.trackCount = trackCount
    self.albumCount = albumCount
    self.duration = duration
  }

  static let list = KeysetList(
    "artists",
    as: TypedTable(
      "artists", key: ["name"],
      Field("name", \Artist.name), Field("track_count", \Artist.trackCount),
      Field("album_count", \Artist.albumCount), Field("duration", \Artist.duration),
      make: { Artist(name: $0, trackCount: $1, albumCount: $2, duration: $3) }),
    columns: "artists.name, artists.track_count, artists.album_count, artists.duration",
    from: """
      (SELECT artist AS name, count(*) AS track_count,
        count(DISTINCT nullif(album, '')) AS album_count, sum(duration) AS duration
       FROM tracks WHERE artist <> '' GROUP BY artist) AS artists
      """,
    orderedBy: [KeysetKey("artists.name", \Artist.name)])
}
