package import CatalogModel

/// `playlist.linked`: a music entry stands for this Apple Music playlist.
package struct PlaylistLinked: Hashable, Sendable {
  package var item: EntityID
  package var playlistID: String
  package var useSnapshot: Bool

  package init(item: EntityID, playlistID: String, useSnapshot: Bool) {
    self.item = item
    self.playlistID = playlistID
    self.useSnapshot = useSnapshot
  }
}

/// What Apple Music says of a playlist.
package struct PlaylistMetadata: Hashable, Sendable {
  package var title: String
  package var curator: String?
  package var description: String?
  /// As the API gives it, with `{w}` and `{h}` for the size.
  package var artworkURL: String?
  /// Opens the playlist in Apple Music.
  package var url: String?
  /// As the API gives it.
  package var modifiedAt: String?
  package var isPlayable: Bool

  package init(
    title: String, curator: String?, description: String?, artworkURL: String?, url: String?,
    modifiedAt: String?, isPlayable: Bool
  ) {
    self.title = title
    self.curator = curator
    self.description = description
    self.artworkURL = artworkURL
    self.url = url
    self.modifiedAt = modifiedAt
    self.isPlayable = isPlayable
  }
}

/// `playlist.metadata.refreshed`: what a storefront says of an entry's playlist, where that is something
/// else than before.
package struct PlaylistMetadataRefreshed: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case available(PlaylistMetadata)
    /// The storefront had it and has it no more; why, as the API said it.
    case gone(reason: String)
    /// The storefront does not have it, and did not when it was looked at last, if ever; why, as the API
    /// said it.
    case missingInStorefront(reason: String)
  }

  package var item: EntityID
  package var playlistID: String
  /// Two letters: `us`.
  package var storefront: String
  package var state: State

  package init(item: EntityID, playlistID: String, storefront: String, state: State) {
    self.item = item
    self.playlistID = playlistID
    self.storefront = storefront
    self.state = state
  }
}

extension PlaylistMetadataRefreshed.State {
  /// The words for a state in events and rows.
  package enum Name: String, CaseIterable, Hashable, Sendable {
    case available
    case gone
    case missingInStorefront
  }

  package var name: Name {
    switch self {
    case .available: .available
    case .gone: .gone
    case .missingInStorefront: .missingInStorefront
    }
  }

  package var reason: String? {
    switch self {
    case .available: nil
    case .gone(let reason), .missingInStorefront(let reason): reason
    }
  }

  package var metadata: PlaylistMetadata? {
    if case .available(let metadata) = self { metadata } else { nil }
  }
}

/// `playlist.tracks.snapshotted`: the tracks of a playlist, as a difference to the list before.
package struct PlaylistTracksSnapshotted: Hashable, Sendable {
  /// What is known of a track.
  package struct Track: Hashable, Sendable {
    package var id: String
    /// `songs`, `music-videos`, or what else the API says.
    package var type: String
    package var title: String
    package var artist: String
    package var album: String?
    /// Seconds.
    package var duration: Double?
    package var artworkURL: String?

    package init(
      id: String, type: String, title: String, artist: String, album: String?, duration: Double?,
      artworkURL: String?
    ) {
      self.id = id
      self.type = type
      self.title = title
      self.artist = artist
      self.album = album
      self.duration = duration
      self.artworkURL = artworkURL
    }
  }

  package var item: EntityID
  package var playlistID: String
  package var storefront: String
  /// The sequence of the snapshot that this one is a difference to; nil for the first one.
  package var base: UInt64?
  /// How many tracks the list has.
  package var count: Int64
  /// The list: parts of the one before, and ids.
  package var runs: [ListRun<String>]
  /// Tracks that are new, or of which something else is said than before; in the order of the list.
  package var tracks: [Track]

  package init(
    item: EntityID, playlistID: String, storefront: String, base: UInt64?, count: Int64,
    runs: [ListRun<String>], tracks: [Track]
  ) {
    self.item = item
    self.playlistID = playlistID
    self.storefront = storefront
    self.base = base
    self.count = count
    self.runs = runs
    self.tracks = tracks
  }
}
