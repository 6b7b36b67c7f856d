package import CatalogModel
import Projections

/// By what lists of tracks are ordered. Texts are as a person sorts them: their words, without case and accents.
package struct TrackOrder: Equatable, Sendable {
  package var trackID: EntityID
  package var source: String
  package var title: String
  package var artist: String
  package var album: String
  /// 0 where nobody knows.
  package var trackNumber: Int64
  package var dateAdded: Timestamp
  package var duration: Double

  /// Each index ends with what a list of one source looks at: a row that is passed over is not read.
  static let table = TypedTable(
    "projection_track_order", key: ["track_id"],
    indexes: [
      .index("projection_track_order_title", on: ["title", "track_id", "source"]),
      .index(
        "projection_track_order_artist",
        on: ["artist", "album", "track_number", "title", "track_id", "source"]),
      .index(
        "projection_track_order_album",
        on: ["album", "track_number", "title", "track_id", "source"]),
      .index("projection_track_order_added", on: ["date_added", "track_id", "source"]),
      .index("projection_track_order_duration", on: ["duration", "track_id", "source"]),
    ],
    Field("track_id", \TrackOrder.trackID), Field("source", \TrackOrder.source),
    Field("title", \TrackOrder.title), Field("artist", \TrackOrder.artist),
    Field("album", \TrackOrder.album), Field("track_number", \TrackOrder.trackNumber),
    Field("date_added", \TrackOrder.dateAdded), Field("duration", \TrackOrder.duration),
    make: TrackOrder.init)

  /// The key of a title, an artist or an album.
  package static func key(_ text: String) -> String { SearchText(text).words }

  init(_ track: Track, _ source: TrackSource) {
    self.init(
      trackID: track.id, source: source.source, title: Self.key(track.title),
      artist: Self.key(track.artist), album: Self.key(track.album),
      trackNumber: track.trackNumber ?? 0, dateAdded: source.dateAdded, duration: track.duration)
  }

  private init(
    trackID: EntityID, source: String, title: String, artist: String, album: String,
    trackNumber: Int64, dateAdded: Timestamp, duration: Double
  ) {
    self.trackID = trackID
    self.source = source
    self.title = title
    self.artist = artist
    self.album = album
    self.trackNumber = trackNumber
    self.dateAdded = dateAdded
    self.duration = duration
  }
}
