public import CatalogModel

/// `playlist.linked`: a music entry stands for this Apple Music playlist.
public struct PlaylistLinked: Hashable, PayloadObject {
  public var item: EntityID
  public var playlistID: String
  public var useSnapshot: Bool

  public static let payload = Payload(
    Member("item", \Self.item), Member("playlistId", \.playlistID, limit: .name),
    Member("useSnapshot", \.useSnapshot), make: Self.init)

  public init(item: EntityID, playlistID: String, useSnapshot: Bool) {
    self.item = item
    self.playlistID = playlistID
    self.useSnapshot = useSnapshot
  }
}

/// What Apple Music says of a playlist.
public struct PlaylistMetadata: Hashable, PayloadObject {
  public var title: String
  public var curator: String?
  public var description: String?
  /// As the API gives it, with `{w}` and `{h}` for the size.
  public var artworkURL: String?
  /// Opens the playlist in Apple Music.
  public var url: String?
  /// As the API gives it.
  public var modifiedAt: String?
  public var isPlayable: Bool

  public static let payload = Payload(
    Member("title", \Self.title, limit: .text), Member("curator", \.curator, limit: .text),
    Member("description", \.description, limit: .text),
    Member("artworkUrl", \.artworkURL, limit: .text), Member("url", \.url, limit: .text),
    Member("modifiedAt", \.modifiedAt, limit: .text), Member("playable", \.isPlayable),
    make: Self.init)

  public init(
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
public struct PlaylistMetadataRefreshed: Hashable, PayloadObject {
  public enum State: Hashable, Sendable {
    case available(PlaylistMetadata)
    /// The storefront had it and has it no more; why, as the API said it.
    case gone(reason: String)
    /// The storefront does not have it, and did not when it was looked at last, if ever; why, as the API
    /// said it.
    case missingInStorefront(reason: String)
  }

  public var item: EntityID
  public var playlistID: String
  /// Two letters: `us`.
  public var storefront: String
  public var state: State

  public static let payload = Payload(
    Member("item", \Self.item), Member("playlistId", \.playlistID, limit: .name),
    Member("storefront", \.storefront, limit: .name), Member("state", \.state.name),
    Member("reason", \.state.reason, limit: .text), Member("metadata", \.state.metadata),
    make: { (item, playlistID, storefront, name, reason, metadata) throws(PayloadReader.Problem) in
      Self(
        item: item, playlistID: playlistID, storefront: storefront,
        state: try State(name, reason, metadata))
    })

  public init(item: EntityID, playlistID: String, storefront: String, state: State) {
    self.item = item
    self.playlistID = playlistID
    self.storefront = storefront
    self.state = state
  }
}

extension PlaylistMetadataRefreshed.State {
  fileprivate init(
    _ name: PlaylistState, _ reason: String?, _ metadata: PlaylistMetadata?
  ) throws(PayloadReader.Problem) {
    switch (name, reason, metadata) {
    case (.available, nil, let metadata?): self = .available(metadata)
    case (.gone, let reason?, nil): self = .gone(reason: reason)
    case (.missingInStorefront, let reason?, nil): self = .missingInStorefront(reason: reason)
    default:
      throw PayloadReader.Problem(
        path: "",
        message:
          "an available playlist has metadata and no reason; any other has a reason and no metadata"
      )
    }
  }

  public var name: PlaylistState {
    switch self {
    case .available: .available
    case .gone: .gone
    case .missingInStorefront: .missingInStorefront
    }
  }

  public var reason: String? {
    switch self {
    case .available: nil
    case .gone(let reason), .missingInStorefront(let reason): reason
    }
  }

  public var metadata: PlaylistMetadata? {
    if case .available(let metadata) = self { metadata } else { nil }
  }
}

/// `playlist.tracks.snapshotted`: the tracks of a playlist, as a difference to the list before.
public struct PlaylistTracksSnapshotted: Hashable, PayloadObject {
  /// What is known of a track.
  public struct Track: Hashable, PayloadObject {
    public var id: String
    /// `songs`, `music-videos`, or what else the API says.
    public var type: String
    public var title: String
    public var artist: String
    public var album: String?
    /// Seconds.
    public var duration: Double?
    public var artworkURL: String?

    public static let payload = Payload(
      Member("id", \Self.id, limit: .name), Member("type", \.type, limit: .name),
      Member("title", \.title, limit: .text), Member("artist", \.artist, limit: .text),
      Member("album", \.album, limit: .text), Member("duration", \.duration, limit: .duration),
      Member("artworkUrl", \.artworkURL, limit: .text), make: Self.init)

    public init(
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

  public var item: EntityID
  public var playlistID: String
  public var storefront: String
  /// The sequence of the snapshot that this one is a difference to; nil for the first one.
  public var base: UInt64?
  /// How many tracks the list has.
  public var count: Int64
  /// The list: parts of the one before, and ids.
  public var runs: [ListRun<String>]
  /// Tracks that are new, or of which something else is said than before; in the order of the list.
  public var tracks: [Track]

  public static let payload = Payload(
    Member("item", \Self.item), Member("playlistId", \.playlistID, limit: .name),
    Member("storefront", \.storefront, limit: .name), Member("base", \.base),
    Member("count", \.count, limit: .tracks), Member("runs", \.runs, limit: .ids),
    Member("tracks", \.tracks), make: Self.init)

  public init(
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
