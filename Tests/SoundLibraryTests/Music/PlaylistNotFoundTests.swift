import AppleMusic
import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// What a catalog makes of "not found", which the API says of a playlist that is gone, of one that a storefront
/// never had, and of lists without tracks.
@Suite(
  .promise(
    "Only what the API itself says of a playlist is kept: not the 404 of another server, "
      + "nor that of a page"))
struct PlaylistNotFoundTests {
  @Test func aPlaylistThatIsGoneStaysListedWithTheReason() async throws {
    try await withMusic { music in
      let playlist = ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3)
      music.server.publish(playlist)
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      music.server.withdraw(playlist)
      for refresh in [
        try await music.repository.refreshPlaylistTrackCache(itemId: music.item),
        try await music.repository.refreshPlaylistMetadata(itemId: music.item),
      ] {
        #expect(refresh.state == .gone)
        #expect(refresh.reason?.contains("404") == true)
      }
      let entry = try await music.entry()
      #expect(entry.playlist?.state == .gone)
      #expect(entry.playlist?.title == playlist.title)
      #expect(try await music.repository.tracks(of: music.item)?.tracks.count == 3)
      let events = try music.events {
        if case .playlistMetadataRefreshed = $0 { true } else { false }
      }
      #expect(events == 2)
      // It comes back.
      music.server.publish(playlist)
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      #expect(try await music.entry().playlist?.state == .available)
      try await music.expectReplays()
    }
  }

  @Test func aStorefrontThatLacksItIsToldFromOneThatIsGone() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<1))
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      for events in [1, 0] {
        let refresh = try await music.refresher(storefront: "de").metadata(of: music.item)
        #expect(refresh.state == .missingInStorefront && refresh.events == events)
      }
    }
  }

  /// A wrong storefront at the first look must not say that all playlists are gone.
  @Test func aPlaylistThatWasNeverSeenIsNotGone() async throws {
    try await withMusic { music in
      let refresh = try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      #expect(refresh.state == .missingInStorefront && refresh.events == 1)
      #expect(try await music.entry().playlist?.state == .missingInStorefront)
      try await music.expectReplays()
    }
  }

  @Test func a404OfAnotherServerChangesNothing() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3))
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      let head = try music.scratch.head
      music.server.script { _ in .response(status: 404, body: Array("<html>".utf8)) }
      let error = await #expect(throws: AppleMusicError.self) {
        try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      }
      #expect(error?.code == .unexpectedContent)
      await #expect(throws: AppleMusicError.self) {
        try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      }
      #expect(try music.scratch.head == head)
    }
  }

  /// The tracks of a playlist that is gone may be answered as those of an empty one.
  @Test func aPlaylistThatIsGoneHasNoEmptyList() async throws {
    try await withMusic { music in
      let playlist = ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3)
      music.server.publish(playlist)
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      music.server.withdraw(playlist)
      music.server.script { $0.isForTracks ? AppleMusicServer.nothingRelated : nil }
      let refresh = try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      #expect(refresh.state == .gone && refresh.trackCount == nil && refresh.events == 1)
      #expect(try await music.repository.tracks(of: music.item)?.tracks.count == 3)
    }
  }

  @Test func aPageThatIsNotFoundIsNoPlaylistThatIsGone() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<500))
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      let head = try music.scratch.head
      music.server.script { $0.offset == 400 ? AppleMusicServer.notFound : nil }
      let error = await #expect(throws: AppleMusicError.self) {
        try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      }
      // Not `notFound`: it would say that the playlist is gone.
      #expect(error?.code == .unexpectedContent)
      #expect(error?.errors.map(\.code) == ["40400"])
      #expect(try music.scratch.head == head)
    }
  }
}
