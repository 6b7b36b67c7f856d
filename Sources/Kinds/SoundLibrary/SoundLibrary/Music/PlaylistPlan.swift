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
  private let known: [Value]?

  private typealias Tables = SoundLibrarySchema

  /// - Throws: `CatalogError` with `changeRefused` if the entry stands for another playlist by now.
  init(
    _ item: EntityID, _ playlist: String, storefront: String, _ rows: ProvedRows
  ) throws {
    let reference = try rows.row(in: Tables.musicPlaylistRef, key: [.id(item)])
    guard reference?[1] == .text(playlist) else {
      throw CatalogError(
        .changeRefused,
        "item \(item) got a different playlist than \(playlist) meanwhile; refresh it again")
    }
    self.item = item
    self.playlist = playlist
    self.storefront = storefront
    self.rows = rows
    known = try rows.row(in: Tables.playlist, key: [.id(item)])
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
    if known[2] == .text(PlaylistState.gone.rawValue) { return true }
    return known[2] == .text(PlaylistState.available.rawValue)
      && known[1] == .text(storefront)
  }

  /// Nil where that is known.
  func refreshed(_ state: PlaylistMetadataRefreshed.State) -> CatalogEvent? {
    if let known, known[1] == .text(storefront), known[2] == .text(state.name.rawValue),
      known[3] == .text(state.reason)
    {
      guard let metadata = state.metadata else { return nil }
      let told: [Value] = [
        .text(metadata.title), .text(metadata.curator), .text(metadata.description),
        .text(metadata.artworkURL), .text(metadata.url), .text(metadata.modifiedAt),
      ]
      if Array(known[4...9]) == told, known[12] == .flag(metadata.isPlayable) { return nil }
    }
    return .playlistMetadataRefreshed(
      PlaylistMetadataRefreshed(
        item: item, playlistID: playlist, storefront: storefront, state: state))
  }

  // MARK: Tracks

  /// Nil where the list is the one that is known, and nothing else is said of its tracks.
  func snapshotted(_ tracks: [CatalogTrack]) throws -> CatalogEvent? {
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
    guard case .integer(let sequence)? = known?[11] else { return nil }
    return UInt64(exactly: sequence)
  }

  /// The ids of the newest snapshot; nil if there is none.
  private func lastList() throws -> [String]? {
    guard lastSnapshot != nil, let known else { return nil }
    return try TrackList.ids(of: playlist, at: known[10], rows)
  }

  /// Tracks of which something else is known, or nothing, each once.
  private func changed(
    _ tracks: [CatalogTrack]
  ) throws -> [PlaylistTracksSnapshotted.Track] {
    var changed: [PlaylistTracksSnapshotted.Track] = []
    var looked: Set<String> = []
    for track in tracks where looked.insert(track.id).inserted {
      let row = try rows.row(in: Tables.musicTrackCache, key: [.text(track.id)])
      // The API told nothing but the id: what was known stays.
      if row != nil, track.title.isEmpty { continue }
      let told: [Value] = [
        .text(track.title), .text(track.artist), .text(track.album), .real(track.duration),
        .text(track.artworkURL),
      ]
      let type = try rows.row(in: Tables.track, key: [.text(track.id)])?[1]
      if let row, Array(row[1...5]) == told, type == .text(track.kind) { continue }
      changed.append(
        PlaylistTracksSnapshotted.Track(
          id: track.id, type: track.kind, title: track.title, artist: track.artist,
          album: track.album, duration: track.duration, artworkURL: track.artworkURL))
    }
    return changed
  }
}
