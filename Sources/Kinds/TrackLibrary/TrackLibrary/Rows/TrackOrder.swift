public import CatalogEngine

/// By what lists of tracks, albums and artists are ordered. Texts are as a person sorts them: their words, without case
/// and accents.
public struct TrackOrder: Equatable, Sendable {
  public var trackID: EntityID
  /// As `TrackSource` has it, unlike the other texts.
  public var source: String
  public var title: String
  /// Empty if unknown: these tracks come first.
  public var artist: String
  /// Empty if unknown: no album has these tracks.
  public var album: String
  /// The artist of the album; that of the track where no other is named.
  public var albumArtist: String
  /// 0 where nobody knows.
  public var trackNumber: Int64
  /// Of the release; nil if unknown.
  public var year: Int64?
  public var dateAdded: Timestamp
  /// In seconds; 0 if unknown.
  public var duration: Double

  /// Each index ends with what lists look at besides: a row that is passed over or only counted is not read.
  static let table = TypedTable(
    "projection_track_order", key: ["track_id"],
    indexes: [
      .index("projection_track_order_title", on: ["title", "track_id", "source"]),
      .index(
        "projection_track_order_artist",
        on: [
          "artist", "album", "album_artist", "track_number", "title", "track_id", "source",
          "duration",
        ]),
      .index(
        "projection_track_order_album",
        on: [
          "album", "album_artist", "track_number", "title", "track_id", "source", "duration",
          "year",
        ]),
      .index("projection_track_order_added", on: ["date_added", "track_id", "source"]),
      .index("projection_track_order_duration", on: ["duration", "track_id", "source"]),
      .index("projection_track_order_source", on: ["source"]),
    ],
    Field("track_id", \TrackOrder.trackID), Field("source", \TrackOrder.source),
    Field("title", \TrackOrder.title), Field("artist", \TrackOrder.artist),
    Field("album", \TrackOrder.album), Field("album_artist", \TrackOrder.albumArtist),
    Field("track_number", \TrackOrder.trackNumber), Field("year", \TrackOrder.year),
    Field("date_added", \TrackOrder.dateAdded), Field("duration", \TrackOrder.duration),
    make: TrackOrder.init)

  /// The key of a title, an artist, an album, or the name of a playlist.
  public static func key(_ text: String) -> String {
    let words = SearchText(text).words
    // A name of marks alone, `???`, is one all the same.
    return words.isEmpty ? text.lowercased() : words
  }

  var milliseconds: Int64 { CollectionOrder.milliseconds(duration) }
}

extension TrackOrder {
  init(_ track: Track, _ source: TrackSource) {
    let artist = Self.key(track.artist)
    self.init(
      trackID: track.id, source: source.source, title: Self.key(track.title), artist: artist,
      album: Self.key(track.album), albumArtist: track.albumArtist.map(Self.key) ?? artist,
      trackNumber: track.trackNumber ?? 0, year: track.year, dateAdded: source.dateAdded,
      duration: track.duration)
  }
}
