import CatalogModel
import Projections

/// The Apple Music playlist of a music entry, in the table `music_playlist_ref`.
struct PlaylistReference: Equatable, Sendable {
  var itemID: EntityID
  var playlistID: String
  /// The time of the last refresh that brought something new.
  var lastSyncAt: Timestamp?
  /// Whether earlier lists of tracks are kept.
  var usesSnapshots: Bool

  static let table = TypedTable(
    "music_playlist_ref", key: ["item_id"], indexes: [.lookup(["apple_music_playlist_id"])],
    Field(
      "item_id", \PlaylistReference.itemID, names: "library_item",
      sql: "TEXT PRIMARY KEY REFERENCES library_item(id) ON DELETE CASCADE"),
    Field("apple_music_playlist_id", \PlaylistReference.playlistID, unique: true),
    Field("last_sync_at", \PlaylistReference.lastSyncAt),
    Field("use_snapshot", \PlaylistReference.usesSnapshots, default: .integer(0)),
    make: PlaylistReference.init)
}
