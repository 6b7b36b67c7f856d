public import AppleMusic
import CatalogModel
public import CatalogStore
import Projections
import Support

public import struct Foundation.UUID

/// The music entries and their playlists. All of them are always shown.
///
/// Nothing here downloads audio: playlists are read for what they are called and what they hold, and resolved
/// for playback by Apple's own player.
public struct MusicRepository: Sendable {
  private let library: SoundLibrary
  private let queries: PlaylistQueries

  init(_ library: SoundLibrary, _ queries: PlaylistQueries) {
    self.library = library
    self.queries = queries
  }

  // MARK: Reading

  /// All visible entries by title.
  public func listMusicEntries() async throws -> [MusicEntry] {
    try await queries.listMusicEntries()
  }

  /// The Apple Music playlist of an entry.
  ///
  /// - Throws: `StoreError` with `notFound` for an unknown item, `invalidRequest` for one that is no
  ///   music.
  public func playlistID(for itemId: UUID) async throws -> String {
    try await queries.playlistID(for: itemId)
  }

  /// The newest list of an entry's tracks; nil if `refreshPlaylistTrackCache` never read one.
  ///
  /// - Throws: as `playlistID`.
  public func tracks(of itemId: UUID) async throws -> PlaylistSnapshot? {
    try await queries.tracks(of: itemId)
  }

  /// The entries now and after each change.
  public func observeMusicEntries() -> CatalogObservation<[MusicEntry]> {
    queries.observeMusicEntries()
  }

  // MARK: Asking Apple Music

  /// The entries that a refresh of all is about: the visible ones by title, by rows that are proved.
  ///
  /// - Throws: `StoreError` with `drifted` if the rows are not what the log says.
  public func entriesToRefresh() async throws -> [UUID] {
    let library = library
    return try await Blocking.run {
      try library.readProved { rows in
        try rows.rows(of: LibraryItem.table, where: \.kind, is: .music).filter(\.isVisible)
          .map { (id: $0.id, title: SearchText($0.title).words) }
          .sorted { ($0.title, $0.id) < ($1.title, $1.id) }.map { UUID($0.id) }
      }
    }
  }

  /// Asks what the playlist of an entry is called now, and keeps that as an event where it is something else
  /// than before. The entry's own title, which its seed gives, stays.
  ///
  /// A playlist that is gone is no error: that is kept too, with the reason, and the entry stays visible.
  ///
  /// - Throws: as `playlistID`; `AppleMusicError`, with `noService` if the catalog was opened without one;
  ///   `CancellationError`.
  @discardableResult
  public func refreshPlaylistMetadata(itemId: UUID) async throws -> PlaylistRefresh {
    try await PlaylistRefresher(library, try service()).metadata(of: itemId)
  }

  /// Reads all tracks of an entry's playlist, and keeps them as an event where they are others than before:
  /// as a snapshot of their own where the entry uses snapshots, else in place of those before.
  ///
  /// Nothing changes unless every page came.
  ///
  /// - Throws: as `refreshPlaylistMetadata`.
  @discardableResult
  public func refreshPlaylistTrackCache(itemId: UUID) async throws -> PlaylistRefresh {
    try await PlaylistRefresher(library, try service()).tracks(of: itemId)
  }

  /// Finds a playlist at Apple Music, and whether it can be played: for a player, and for what it shows.
  ///
  /// - Parameter id: `pl.` and more; an entry's is told by `playlistID(for:)`.
  /// - Throws: `AppleMusicError` with `notFound` if the storefront does not have it, and with `noService`.
  public func resolvePlaylist(id: String) async throws -> ResolvedPlaylist {
    let service = try service()
    let playlist = try await service.client.playlist(id, storefront: service.storefront)
    guard playlist.isPlayable else {
      return ResolvedPlaylist(playlist: playlist, availability: .unavailableInStorefront)
    }
    let availability = await service.availability?.availability(ofPlaylist: id)
    return ResolvedPlaylist(playlist: playlist, availability: availability ?? .unknown)
  }

  private func service() throws -> MusicService {
    guard let service = library.options.music else {
      throw AppleMusicError(
        .noService,
        "this catalog was opened without a MusicService; open it with one to refresh playlists")
    }
    return service
  }
}

/// A playlist at Apple Music, and whether the listener can play it.
public struct ResolvedPlaylist: Hashable, Sendable {
  public let playlist: CatalogPlaylist
  public let availability: MusicAvailability
}

/// What a refresh found and changed.
public struct PlaylistRefresh: Hashable, Sendable {
  public let playlistID: String
  public let state: PlaylistInfo.State
  /// Why it is not available, as the API said it; nil if it is.
  public let reason: String?
  /// How many tracks there are; nil if they were not read.
  public let trackCount: Int?
  public let outcome: ChangeOutcome
  /// Why the database does not have the events yet; nil if it does.
  public let failure: String?
  /// How many events were appended; 0 if nothing is new.
  public let events: Int
}
