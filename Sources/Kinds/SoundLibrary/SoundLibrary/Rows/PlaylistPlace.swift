import CatalogModel
import Projections

/// A place of a playlist and the track in it, in the table `playlist_track`.
struct PlaylistPlace: Equatable, Sendable {
  var playlistID: String
  var trackID: String
  /// From 0 on, in each snapshot.
  var position: Int64
  var snapshotAt: Timestamp

  static let table = TypedTable(
    "playlist_track",
    // In the order of the columns: of any other, SQLite 3.40 finds NULL if there is none.
    key: ["playlist_id", "track_id", "position", "snapshot_at"],
    indexes: [
      .lookup(["playlist_id"]),
      .index("projection_idx_playlist_track_snapshot", on: ["playlist_id", "snapshot_at"]),
    ],
    Field("playlist_id", \PlaylistPlace.playlistID),
    Field("track_id", \PlaylistPlace.trackID, names: "music_track_cache"),
    Field("position", \PlaylistPlace.position), Field("snapshot_at", \PlaylistPlace.snapshotAt),
    make: PlaylistPlace.init)

  static let bySnapshot = IndexReference(table: table.description, ordinal: 1)
}
