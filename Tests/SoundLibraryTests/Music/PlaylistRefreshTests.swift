import AppleMusic
import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import DownloadsOverCurl
import Foundation
import Projections
import Promises
import StoreTestSupport
import Synchronization
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// What a refresh appends, against a server on this machine that speaks as Apple Music's does.
@Suite(
  .promise(
    "What a server reports of a playlist is in the log with its history, the newest list "
      + "is shown, and a rebuild has the same rows",
    by: "a refresh against a server on this machine"))
struct PlaylistRefreshTests {
  @Test func metadataIsKeptOnceAndAgainWhereItChanges() async throws {
    try await withMusic { music in
      var playlist = ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3)
      playlist.curator = "Somebody"
      music.server.publish(playlist)
      let first = try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      #expect(first.events == 1 && first.state == .available)
      #expect(try await music.repository.refreshPlaylistMetadata(itemId: music.item).events == 0)
      playlist.title = "Another name"
      music.server.publish(playlist)
      #expect(try await music.repository.refreshPlaylistMetadata(itemId: music.item).events == 1)
      let entry = try await music.entry()
      #expect(entry.playlist?.title == "Another name")
      #expect(entry.playlist?.curator == "Somebody")
      #expect(entry.playlist?.storefront == "us")
      #expect(entry.lastSyncAt != nil)
      // The seed's own title stays, and a seed that says the same appends nothing.
      #expect(entry.item.title == music.title)
      let again = try await music.catalog.importer.applyUpdates(
        .bytes(try music.seed.bytes + Array("\n".utf8), name: "again.json"))
      #expect(again.outcome == .unchanged)
      try await music.expectReplays()
    }
  }

  @Test func tracksStayInTheirOrderWithDoublesVideosAndSuchAsNothingIsKnownOf() async throws {
    try await withMusic { music in
      var playlist = ServedPlaylist(id: MusicFixture.playlist, numbers: [3, 1, 3, 2])
      playlist.tracks[1].kind = "music-videos"
      playlist.tracks[3].title = nil
      music.server.publish(playlist)
      let refresh = try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      #expect(refresh.trackCount == 4 && refresh.events == 1)
      let tracks = try #require(try await music.repository.tracks(of: music.item)).tracks
      #expect(tracks.map(\.id) == ["1000003", "1000001", "1000003", "1000002"])
      #expect(tracks.map(\.type) == ["songs", "music-videos", "songs", "songs"])
      #expect(tracks.map(\.title) == ["Track 3", "Track 1", "Track 3", ""])
      #expect(tracks[0].album == nil && tracks[1].album == "Album 0")
      #expect(tracks[0].duration == 180.003)
      #expect(try await music.repository.refreshPlaylistTrackCache(itemId: music.item).events == 0)
      // What is told later is kept; what is not told any more stays known.
      playlist.tracks[3].title = "Track 2"
      playlist.tracks[1].title = nil
      music.server.publish(playlist)
      #expect(try await music.repository.refreshPlaylistTrackCache(itemId: music.item).events == 1)
      #expect(
        try await music.repository.tracks(of: music.item)?.tracks.map(\.title)
          == ["Track 3", "Track 1", "Track 3", "Track 2"])
      try await music.expectReplays()
    }
  }

  @Test func anEmptyPlaylistIsAListToo() async throws {
    try await withMusic { music in
      #expect(try await music.repository.tracks(of: music.item) == nil)
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<0))
      for events in [1, 0] {
        let refresh = try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
        #expect(refresh.trackCount == 0 && refresh.events == events)
      }
      #expect(try await music.repository.tracks(of: music.item)?.tracks == [])
      try await music.expectReplays()
    }
  }

  @Test func aPageThatFailsChangesNothing() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<120))
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      let before = try await music.catalog.receipt()
      let head = try music.scratch.head
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<2_000))
      music.server.script { $0.offset == 400 ? AppleMusicServer.json("[]") : nil }
      await #expect(throws: AppleMusicError.self) {
        try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      }
      #expect(try await music.catalog.receipt() == before)
      #expect(try music.scratch.head == head)
      music.server.script(nil)
      let refresh = try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      #expect(refresh.trackCount == 2_000 && refresh.events == 1)
      try await music.expectReplays()
    }
  }

  @Test func aCatalogWithoutAServiceSaysSo() async throws {
    try await withMusic { music in
      music.catalog.close()
      let catalog = try await music.scratch.open()
      let error = await #expect(throws: AppleMusicError.self) {
        try await catalog.music.refreshPlaylistMetadata(itemId: music.item)
      }
      #expect(error?.code == .noService)
      await #expect(throws: StoreError.self) {
        try await music.reopened().music.refreshPlaylistMetadata(itemId: UUID())
      }
      catalog.close()
    }
  }

  @Test func aPlaylistIsResolvedForAPlayer() async throws {
    try await withMusic { music in
      var playlist = ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<1)
      music.server.publish(playlist)
      let id = try await music.repository.playlistID(for: music.item)
      let found = try await music.repository.resolvePlaylist(id: id)
      #expect(found.playlist.title == playlist.title && found.availability == .unknown)
      playlist.isPlayable = false
      music.server.publish(playlist)
      #expect(
        try await music.repository.resolvePlaylist(id: id).availability == .unavailableInStorefront)
      // Nobody's catalog changed for it.
      #expect(try music.events { _ in true } == music.importedEvents)
    }
  }

  @Test(arguments: ["state = 'lost'", "storefront = NULL"])
  func aRowThatWasChangedByHandIsSaidToBe(change: String) async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<1))
      try await music.repository.refreshPlaylistMetadata(itemId: music.item)
      try music.scratch.execute("UPDATE projection_playlist SET \(change)")
      let error = await #expect(throws: StoreError.self) {
        try await music.repository.listMusicEntries()
      }
      #expect(error?.code == .drifted)
    }
  }

  @Test func aPlaceThatWasChangedByHandIsSaidToBe() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3))
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      try music.scratch.execute("UPDATE playlist_track SET position = 7 WHERE position = 1")
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<4))
      let head = try music.scratch.head
      let error = await #expect(throws: StoreError.self) {
        try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      }
      #expect(error?.code == .drifted)
      #expect(try music.scratch.head == head)
    }
  }
}
