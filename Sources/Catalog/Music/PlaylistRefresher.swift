import AppleMusic
import CatalogModel
import CatalogStore
import Foundation

/// Asks Apple Music about an entry's playlist, and appends what is new.
///
/// All is asked before the log's lock is taken: a slow server keeps nobody from writing, and a page that does
/// not come leaves everything as it was.
struct PlaylistRefresher {
  private let catalog: SoundCatalog
  private let service: MusicService

  init(_ catalog: SoundCatalog, _ service: MusicService) {
    self.catalog = catalog
    self.service = service
  }

  /// What did it, in events.
  private static let source = "apple-music"

  func metadata(of itemId: UUID) async throws -> PlaylistRefresh {
    let playlist = try await catalog.music.playlistID(for: itemId)
    let answer: PlaylistAnswer
    do {
      answer = .available(
        try await service.client.playlist(playlist, storefront: service.storefront))
    } catch let error as AppleMusicError where error.code == .notFound {
      answer = .notFound(Self.reason(error))
    }
    return try await keep(answer, tracks: nil, of: EntityID(itemId), playlist)
  }

  func tracks(of itemId: UUID) async throws -> PlaylistRefresh {
    let playlist = try await catalog.music.playlistID(for: itemId)
    do {
      let tracks = try await service.client.tracks(
        ofPlaylist: playlist, storefront: service.storefront)
      return try await keep(nil, tracks: tracks, of: EntityID(itemId), playlist)
    } catch let error as AppleMusicError where error.code == .notFound {
      return try await keep(
        .notFound(Self.reason(error)), tracks: nil, of: EntityID(itemId), playlist)
    }
  }

  /// The same for a playlist and for its tracks: a message names the address as well.
  private static func reason(_ error: AppleMusicError) -> String {
    guard let item = error.errors.first else { return error.message }
    return "\(item.status) \(item.code) \(item.title)" + (item.detail.map { ": \($0)" } ?? "")
  }

  private func keep(
    _ answer: PlaylistAnswer?, tracks: [CatalogTrack]?, of item: EntityID, _ playlist: String
  ) async throws -> PlaylistRefresh {
    let service = service
    let catalog = catalog
    return try await Blocking.run {
      var state = PlaylistMetadataRefreshed.State.Name.available
      var reason: String?
      let report = try catalog.change(by: Self.source) { rows in
        let plan = try PlaylistPlan(item, playlist, storefront: service.storefront, rows)
        var events: [CatalogEvent] = []
        if let answer {
          let found = plan.state(of: answer)
          state = found.name
          reason = found.reason
          if let event = plan.refreshed(found) { events.append(event) }
        }
        if let tracks, let event = try plan.snapshotted(tracks) { events.append(event) }
        return events
      }
      return PlaylistRefresh(
        playlistID: playlist, state: PlaylistInfo.State(rawValue: state.rawValue) ?? .available,
        reason: reason, trackCount: tracks?.count, events: report.events)
    }
  }
}

/// What the API said of a playlist.
enum PlaylistAnswer: Sendable {
  case available(CatalogPlaylist)
  /// Why, as the API said it.
  case notFound(String)
}
