import AppleMusic
import CatalogModel
import CatalogStore
import Projections
import Support

/// Compares what Apple Music says of a playlist with what the catalog knows, and tells what is new as events.
struct PlaylistPlan {
  private let item: EntityID
  private let playlist: String
  private let storefront: String
  private let rows: ProvedRows
  /// The row of `projection_playlist`; nil if Apple Music was never asked.
  private let known: KnownPlaylist?

  /// - Throws: `CatalogError` with `changeRefused` if the entry stands for another playlist by now.
  init(
    _ item: EntityID, _ playlist: String, storefront: String, _ rows: ProvedRows
  ) throws {
    let reference = try rows.row(of: PlaylistReference.table, key: item)
    guard reference?.playlistID == playlist else {
      throw CatalogError(
        .changeRefused,
        "item \(item) got a different playlist than \(playlist) meanwhile; refresh it again")
    }
    self.item = item
    self.playlist = playlist
    self.storefront = storefront
    self.rows = rows
    known = try rows.row(of: KnownPlaylist.table, key: item)
  }

  // MARK: Metadata

  /// The API answers the same for a playlist that is gone and for one that the storefront never had. It is
  /// gone where this storefront had it; of one that was never seen here nobody can tell more than that it is
  /// not there.
  func state(of answer: PlaylistAnswer) -> PlaylistMetadataRefreshed.State {
    switch answer {
    case .available(let playlist):
      .available(
        PlaylistMetadata(
          title: playlist.title, curator: playlist.curator, description: playlist.description,
          artworkURL: playlist.artworkURL, url: playlist.url, modifiedAt: playlist.lastModified,
          isPlayable: playlist.isPlayable))
    case .notFound(let reason):
      wasSeenHereOrGone ? .gone(reason: reason) : .missingInStorefront(reason: reason)
    }
  }

  private var wasSeenHereOrGone: Bool {
    guard let known else { return false }
    if known.state == PlaylistState.gone.rawValue { return true }
    return known.state == PlaylistState.available.rawValue && known.storefront == storefront
  }

  /// Nil where that is known.
  func refreshed(_ state: PlaylistMetadataRefreshed.State) -> SoundEvent? {
    if let known, known == known.refreshed(state, in: storefront) { return nil }
    return .playlistMetadataRefreshed(
      PlaylistMetadataRefreshed(
        item: item, playlistID: playlist, storefront: storefront, state: state))
  }

  // MARK: Tracks

  /// Nil where the list is the one that is known, and nothing else is said of its tracks.
  func snapshotted(_ tracks: [CatalogTrack]) throws -> SoundEvent? {
    let list = tracks.map(\.id)
    let base = try lastList()
    let changed = try self.changed(tracks)
    if base != nil, base == list, changed.isEmpty { return nil }
    return .playlistTracksSnapshotted(
      PlaylistTracksSnapshotted(
        item: item, playlistID: playlist, storefront: storefront, base: lastSnapshot,
        count: Int64(list.count), runs: ListRun<String>.runs(of: list, from: base ?? []),
        tracks: changed))
  }

  private var lastSnapshot: UInt64? {
    known?.snapshotSequence.flatMap { UInt64(exactly: $0) }
  }

  /// The ids of the newest snapshot; nil if there is none.
  private func lastList() throws -> [String]? {
    guard lastSnapshot != nil, let time = known?.snapshotAt else { return nil }
    return try TrackList.ids(of: playlist, at: time, rows)
  }

  /// Tracks of which something else is known, or nothing, each once.
  private func changed(
    _ tracks: [CatalogTrack]
  ) throws -> [PlaylistTracksSnapshotted.Track] {
    var changed: [PlaylistTracksSnapshotted.Track] = []
    var looked: Set<String> = []
    for track in tracks where looked.insert(track.id).inserted {
      let known = try rows.row(of: CachedTrack.table, key: track.id)
      // The API told nothing but the id: what was known stays.
      if known != nil, track.title.isEmpty { continue }
      let type = try rows.row(of: TrackType.table, key: track.id)?.type
      if let known, type == track.kind,
        known
          == CachedTrack(
            id: track.id, title: track.title, artist: track.artist, album: track.album,
            duration: track.duration, artworkURL: track.artworkURL, lastSeenAt: known.lastSeenAt)
      {
        continue
      }
      changed.append(
        PlaylistTracksSnapshotted.Track(
          id: track.id, type: track.kind, title: track.title, artist: track.artist,
          album: track.album, duration: track.duration, artworkURL: track.artworkURL))
    }
    return changed
  }
}
