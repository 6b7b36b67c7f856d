import CatalogModel
import Projections

/// The latest answer of Apple Music about the playlist of an entry. An entry has no row before its first refresh.
struct KnownPlaylist: Equatable, Sendable {
  var itemID: EntityID
  var storefront: String?
  /// A `PlaylistState`; nil if only the tracks were read.
  var state: String?
  var reason: String?
  var title: String?
  var curator: String?
  var description: String?
  var artworkURL: String?
  var url: String?
  var modifiedAt: String?
  var snapshotAt: Timestamp?
  var snapshotSequence: Int64?
  var isPlayable: Bool?

  static let table = TypedTable(
    "projection_playlist", key: ["item_id"],
    Field("item_id", \KnownPlaylist.itemID), Field("storefront", \KnownPlaylist.storefront),
    Field("state", \KnownPlaylist.state), Field("reason", \KnownPlaylist.reason),
    Field("title", \KnownPlaylist.title), Field("curator", \KnownPlaylist.curator),
    Field("description", \KnownPlaylist.description),
    Field("artwork_url", \KnownPlaylist.artworkURL), Field("url", \KnownPlaylist.url),
    Field("modified_at", \KnownPlaylist.modifiedAt),
    Field("snapshot_at", \KnownPlaylist.snapshotAt),
    Field("snapshot_sequence", \KnownPlaylist.snapshotSequence),
    Field("is_playable", \KnownPlaylist.isPlayable), make: KnownPlaylist.init)
}

extension KnownPlaylist {
  init(itemID: EntityID) {
    self.init(
      itemID: itemID, storefront: nil, state: nil, reason: nil, title: nil, curator: nil,
      description: nil, artworkURL: nil, url: nil, modifiedAt: nil, snapshotAt: nil,
      snapshotSequence: nil, isPlayable: nil)
  }

  /// The playlist with this answer of a storefront. If it is gone, the metadata stays.
  func refreshed(
    _ state: PlaylistMetadataRefreshed.State, in storefront: String
  ) -> KnownPlaylist {
    var new = self
    new.storefront = storefront
    new.state = state.name.rawValue
    new.reason = state.reason
    if let metadata = state.metadata {
      new.title = metadata.title
      new.curator = metadata.curator
      new.description = metadata.description
      new.artworkURL = metadata.artworkURL
      new.url = metadata.url
      new.modifiedAt = metadata.modifiedAt
      new.isPlayable = metadata.isPlayable
    }
    return new
  }
}
