public import CatalogEngine

/// Albums and artists: what the tracks say, grouped. No event is about them.
public struct AlbumQueries: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// Albums by title and artist, page by page. Case and accents do not count: albums that differ in them alone are one.
  /// Tracks that name no album are on none.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Album> {
    try await catalog.page(of: Album.list, limit: limit, after: cursor)
  }

  /// Artists by name, page by page. Case and accents do not count. Tracks that name none are by nobody.
  public func artists(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Artist> {
    try await catalog.page(of: Artist.list, limit: limit, after: cursor)
  }
}

/// Tracks of one album title by one album artist.
public struct Album: Hashable, Sendable {
  /// As the first of its tracks spells it.
  public var title: String
  /// The artist of the album; that of its tracks where no other is named.
  public var artist: String
  /// Tracks of the library; the album itself may have more.
  public var trackCount: Int64
  /// Of all tracks together, in seconds.
  public var duration: Double
  /// The earliest of its tracks'; nil if nobody knows.
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
      make: Album.init),
    columns: """
      (SELECT tracks.album \(first)), (SELECT ifnull(tracks.album_artist, tracks.artist) \(first)),
      count(*), sum(listed.duration), min(listed.year)
      """,
    from: "projection_track_order AS listed", where: "listed.album <> ''",
    orderedBy: [
      KeysetKey("listed.album", \Album.titleKey),
      KeysetKey("listed.album_artist", \Album.artistKey),
    ], isGrouped: true)

  /// The first track of the album, whose spelling the list has.
  private static let first = """
    FROM projection_track_order AS first JOIN tracks ON tracks.id = first.track_id
    WHERE first.album = listed.album AND first.album_artist = listed.album_artist
    ORDER BY first.track_number, first.title, first.track_id LIMIT 1
    """

  // What `TrackOrder` has of its tracks.
  private var titleKey: String { TrackOrder.key(title) }
  private var artistKey: String { TrackOrder.key(artist) }
}

/// Tracks by one artist.
public struct Artist: Hashable, Sendable {
  /// As the first of their tracks, by album, spells it.
  public var name: String
  /// Tracks that name them as the artist; to be the artist of the album alone does not count.
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
      make: Artist.init),
    columns: """
      (SELECT tracks.artist
       FROM projection_track_order AS first JOIN tracks ON tracks.id = first.track_id
       WHERE first.artist = listed.artist
       ORDER BY first.album, first.album_artist, first.track_number, first.title, first.track_id
       LIMIT 1),
      count(*), count(DISTINCT nullif(listed.album, '')), sum(listed.duration)
      """,
    from: "projection_track_order AS listed", where: "listed.artist <> ''",
    orderedBy: [KeysetKey("listed.artist", \Artist.nameKey)], isGrouped: true)

  /// What `TrackOrder` has of the tracks.
  private var nameKey: String { TrackOrder.key(name) }
}
