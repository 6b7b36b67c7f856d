package import CatalogModel
import CatalogStore
package import EventLog
import Projections
import Support

/// The lists of tracks that an entry ever had, out of the log: whether the projection keeps them or not.
package struct PlaylistHistory: Sendable {
  package struct Snapshot: Sendable {
    package let sequence: UInt64
    package let at: Timestamp
    package let playlistID: String
    package let storefront: String
    package let tracks: [PlaylistTrack]
    /// Since the snapshot before, which is empty for the first one of a playlist.
    package let change: TrackListChange
    /// What `change` says went, at the positions that it had before.
    package let went: [PlaylistTrack]
  }

  /// Something other than a list of tracks: the playlist went, or came back.
  package struct StateChange: Sendable {
    package let sequence: UInt64
    package let at: Timestamp
    package let playlistID: String
    package let storefront: String
    package let state: PlaylistInfo.State
    package let reason: String?
  }

  package private(set) var snapshots: [Snapshot] = []
  /// The newest list of the playlist that the entry stands for; nil if that was not read yet.
  package private(set) var current: Snapshot?
  package private(set) var states: [StateChange] = []

  /// - Parameter last: as far as the log is read; nil for all of it.
  /// - Throws: `CatalogError` with `notFound` if the log knows no music entry with this id.
  package init(of item: EntityID, in log: any LogStore, through last: UInt64? = nil) throws {
    var fold = Fold()
    let replay = try ReplayAhead(log) { SoundLibraryDecoder(about: item) }
    defer { replay.close() }
    while let batch = try replay.nextBatch({ block, range in
      for record in SoundLibraryBlock.of(block).records[range] where record.sequence <= last ?? .max
      {
        try fold.apply(record, to: &self, of: item)
      }
    }) {
      if batch.lastSequence >= last ?? .max { break }
    }
    guard fold.playlist != nil else {
      throw CatalogError(.notFound, "item \(item) never had a playlist")
    }
  }

  /// What is known of the tracks while the log is read. A track is told once for all playlists: the facts are
  /// those that its own snapshots told, or that were told in snapshots of other entries.
  private struct Fold {
    var playlist: String?
    var list: [String] = []
    var facts: [String: PlaylistTracksSnapshotted.Track] = [:]

    mutating func apply(
      _ record: SoundEventRecord, to history: inout PlaylistHistory, of item: EntityID
    ) throws {
      switch record.event {
      case .playlistLinked(let event) where event.item == item:
        if playlist != event.playlistID {
          list = []
          history.current = nil
        }
        playlist = event.playlistID
      case .playlistMetadataRefreshed(let event) where event.item == item:
        history.note(event, record)
      case .playlistTracksSnapshotted(let event):
        for track in event.tracks { facts[track.id] = track }
        guard event.item == item else { return }
        let old = list
        guard let new = ListRun<String>.list(of: event.count, event.runs, from: old) else {
          throw ProjectionError(
            .contradiction,
            "event \(record.sequence): the tracks are not a difference from the \(old.count) before"
          )
        }
        list = new
        let change = TrackListChange(from: old, to: new)
        let snapshot = Snapshot(
          sequence: record.sequence, at: record.at, playlistID: event.playlistID,
          storefront: event.storefront, tracks: new.enumerated().map { track($1, at: $0) },
          change: change, went: change.went.map { track($0.id, at: $0.position) })
        history.snapshots.append(snapshot)
        history.current = snapshot
      default: break
      }
    }

    private func track(_ id: String, at position: Int) -> PlaylistTrack {
      let facts = facts[id]
      return PlaylistTrack(
        position: position, id: id, type: facts?.type ?? "songs", title: facts?.title ?? "",
        artist: facts?.artist ?? "", album: facts?.album, duration: facts?.duration,
        artworkURL: facts?.artworkURL)
    }
  }

  private mutating func note(_ event: PlaylistMetadataRefreshed, _ record: SoundEventRecord) {
    let state = event.state.name
    if let last = states.last, last.state == state, last.storefront == event.storefront,
      last.playlistID == event.playlistID
    {
      return
    }
    states.append(
      StateChange(
        sequence: record.sequence, at: record.at, playlistID: event.playlistID,
        storefront: event.storefront, state: state, reason: event.state.reason))
  }
}
