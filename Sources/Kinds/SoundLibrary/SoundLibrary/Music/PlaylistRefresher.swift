import AppleMusic
import CatalogModel
import CatalogStore
import Foundation
import Projections
import Support

/// Asks Apple Music about an entry's playlist, and appends what is new.
///
/// All is asked before the log's lock is taken: a slow server keeps nobody from writing, and a page that does
/// not come leaves everything as it was.
struct PlaylistRefresher {
  private let library: SoundLibrary
  private let service: MusicService

  init(_ library: SoundLibrary, _ service: MusicService) {
    self.library = library
    self.service = service
  }

  /// What did it, in events.
  private static let source = "apple-music"

  func metadata(of itemId: UUID) async throws -> PlaylistRefresh {
    let playlist = try await playlist(of: itemId)
    return try await keep(
      try await answer(of: playlist), tracks: nil, of: EntityID(itemId), playlist)
  }

  func tracks(of itemId: UUID) async throws -> PlaylistRefresh {
    let playlist = try await playlist(of: itemId)
    let item = EntityID(itemId)
    let failure: AppleMusicError?
    do {
      let tracks = try await service.client.tracks(
        ofPlaylist: playlist, storefront: service.storefront)
      guard tracks.isEmpty else { return try await keep(nil, tracks: tracks, of: item, playlist) }
      failure = nil
    } catch let error as AppleMusicError where error.code == .notFound {
      failure = error
    }
    // No tracks, or a page of them that is not found: whether that is so because the playlist is gone is
    // told by itself alone.
    let answer = try await answer(of: playlist)
    if case .notFound = answer { return try await keep(answer, tracks: nil, of: item, playlist) }
    if let failure {
      throw AppleMusicError(
        .unexpectedContent,
        "a page of the tracks of \(playlist) was not found, but the playlist exists: it probably changed while it "
          + "was read; read it again", errors: failure.errors)
    }
    return try await keep(nil, tracks: [], of: item, playlist)
  }

  /// What Apple Music is asked for: rows that are proved say it.
  private func playlist(of itemId: UUID) async throws -> String {
    let item = EntityID(itemId)
    let library = library
    let playlist = try await Blocking.run {
      try library.readProved { rows in
        try rows.row(of: PlaylistReference.table, key: item)?.playlistID
      }
    }
    if let playlist { return playlist }
    // There is none, and the question says why.
    _ = try await library.music.playlistID(for: itemId)
    throw CatalogError(.notFound, "item \(item) has no playlist")
  }

  private func answer(of playlist: String) async throws -> PlaylistAnswer {
    do {
      return .available(
        try await service.client.playlist(playlist, storefront: service.storefront))
    } catch let error as AppleMusicError where error.code == .notFound {
      return .notFound(Self.reason(error))
    }
  }

  /// What the API says; the message of the error names the address as well.
  private static func reason(_ error: AppleMusicError) -> String {
    guard let item = error.errors.first else { return error.message }
    return "\(item.status) \(item.code) \(item.title)" + (item.detail.map { ": \($0)" } ?? "")
  }

  private func keep(
    _ answer: PlaylistAnswer?, tracks: [CatalogTrack]?, of item: EntityID, _ playlist: String
  ) async throws -> PlaylistRefresh {
    let service = service
    let library = library
    return try await Blocking.run {
      var state = PlaylistState.available
      var reason: String?
      let report = try library.change(by: Self.source) { rows in
        let plan = try PlaylistPlan(item, playlist, storefront: service.storefront, rows)
        var events: [SoundEvent] = []
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
        playlistID: playlist, state: state, reason: reason,
        trackCount: tracks?.count, outcome: report.outcome, failure: report.failure,
        events: report.events)
    }
  }
}

/// What the API said of a playlist.
enum PlaylistAnswer: Sendable {
  case available(CatalogPlaylist)
  /// Why, as the API said it.
  case notFound(String)
}
