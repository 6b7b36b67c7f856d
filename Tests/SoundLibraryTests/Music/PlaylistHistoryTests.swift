import AppleMusic
import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// What the log tells of playlists later, and that the rows are what it tells.
@Suite(
  .promise(
    "What a server reports of a playlist is in the log with its history, the newest list "
      + "is shown, and a rebuild has the same rows",
    by: "lists, and any sequence of states of a playlist in two storefronts"))
struct PlaylistHistoryTests {
  /// Any sequence of lists: the last one is shown, the log tells what became of each, and a rebuild has the
  /// same rows; with snapshots all of them are kept, without the last alone.
  @Test(arguments: [true, false], [1, 2, 3] as [UInt64])
  func anySequenceOfListsIsKept(usesSnapshots: Bool, seed: UInt64) async throws {
    try await withMusic(usesSnapshots: usesSnapshots) { music in
      var random = SplitMix(seed: seed)
      var lists: [[Int]] = []
      var list = Array(0..<random.below(130))
      for _ in 0..<12 {
        for _ in 0..<random.below(5) {
          let place = random.below(list.count + 1)
          switch random.below(5) {
          case 0 where place < list.count: list.remove(at: place)
          case 1 where place < list.count: list.append(list.remove(at: place))
          case 2 where place < list.count: list.insert(list[place], at: 0)
          case 3: list.removeSubrange(place..<min(list.count, place + 20))
          default: list.insert(random.below(400), at: place)
          }
        }
        music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: list))
        let refresh = try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
        #expect(refresh.events == (list == lists.last ? 0 : 1))
        if list != lists.last { lists.append(list) }
      }
      func ids(_ list: [Int]) -> [String] { list.map { "\(1_000_000 + $0)" } }
      #expect(
        try await music.repository.tracks(of: music.item)?.tracks.map(\.id)
          == ids(lists.last ?? []))
      let kept = try music.scratch.rows(
        "SELECT count(DISTINCT snapshot_at) FROM playlist_track")
      let filled = lists.filter { !$0.isEmpty }.count
      #expect(kept == ["\(usesSnapshots ? filled : lists.last == [] ? 0 : 1)"])
      let history = try PlaylistHistory(of: EntityID(music.item), in: music.catalog.log.reader)
      #expect(history.snapshots.map { $0.tracks.map(\.id) } == lists.map(ids))
      for (index, snapshot) in history.snapshots.enumerated() {
        // What came and went, applied by hand to the list before, is the list.
        var place = index > 0 ? ids(lists[index - 1]) : []
        for went in snapshot.change.went.reversed() { place.remove(at: went.position) }
        #expect(
          (place + snapshot.change.came.map(\.id)).sorted() == ids(lists[index]).sorted())
        for move in snapshot.change.moved { #expect(snapshot.tracks[move.to].id == move.id) }
      }
      try await music.expectReplays()
    }
  }

  /// Any sequence of what can happen to a playlist in two storefronts, refreshed now and then: the entry shows
  /// what was said last, the log tells each change once, and a rebuild has the same rows.
  @Test(arguments: Array(1...6) as [UInt64])
  func anySequenceOfStatesIsKept(seed: UInt64) async throws {
    try await withMusic(usesSnapshots: seed % 2 == 0) { music in
      var random = SplitMix(seed: seed)
      var served: [String: ServedPlaylist] = [:]
      var model = PlaylistModel()
      for _ in 0..<60 {
        let storefront = random.pick(["us", "us", "de"])
        switch random.below(6) {
        case 0, 1:
          let first = random.below(4)
          var playlist = ServedPlaylist(
            id: MusicFixture.playlist, numbers: first..<(first + random.below(5)))
          playlist.storefront = storefront
          playlist.title = "Title \(random.below(3))"
          playlist.isPlayable = random.below(4) > 0
          music.server.publish(playlist)
          served[storefront] = playlist
        case 2:
          if let playlist = served.removeValue(forKey: storefront) {
            music.server.withdraw(playlist)
          }
        case 3, 4:
          let refresh = try await music.refresher(storefront: storefront).metadata(of: music.item)
          let events = model.look(at: served[storefront], in: storefront)
          #expect(refresh.events == events)
          #expect(refresh.state == model.said?.state)
        default:
          let refresh = try await music.refresher(storefront: storefront).tracks(of: music.item)
          let events = model.read(served[storefront], in: storefront)
          #expect(refresh.events == events)
          #expect(refresh.trackCount == served[storefront]?.tracks.count)
        }
      }
      let entry = try await music.entry()
      #expect(entry.playlist?.state == model.said?.state)
      #expect(entry.playlist?.storefront == model.said?.storefront)
      #expect(entry.playlist?.title == model.title)
      #expect(
        try await music.repository.tracks(of: music.item)?.tracks.map(\.id) == model.lists.last)
      let history = try PlaylistHistory(of: EntityID(music.item), in: music.catalog.log.reader)
      #expect(history.snapshots.map { $0.tracks.map(\.id) } == model.lists)
      #expect(
        history.states.map {
          PlaylistModel.PlaylistFact(state: $0.state, storefront: $0.storefront)
        }
          == model.states)
      try await music.expectReplays()
    }
  }

  @Test func anotherPlaylistBeginsAnew() async throws {
    try await withMusic { music in
      music.server.publish(ServedPlaylist(id: MusicFixture.playlist, numbers: 0..<3))
      music.server.publish(ServedPlaylist(id: "pl.other", numbers: 2..<4))
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      var seed = music.seed
      seed.revision += 1
      seed.music[0].appleMusicPlaylistId = "pl.other"
      try await music.catalog.importer.applyUpdates(seed.source)
      let relinked = try PlaylistHistory(of: EntityID(music.item), in: music.catalog.log.reader)
      #expect(relinked.snapshots.count == 1)
      // What `music tracks --at` shows: not the tracks of a playlist that it is no more.
      #expect(relinked.current == nil)
      #expect(try await music.repository.tracks(of: music.item) == nil)
      try await music.repository.refreshPlaylistTrackCache(itemId: music.item)
      let history = try PlaylistHistory(of: EntityID(music.item), in: music.catalog.log.reader)
      #expect(history.current?.tracks.map(\.id) == ["1000002", "1000003"])
      #expect(history.snapshots.last?.went.isEmpty == true)
      try await music.expectReplays()
    }
  }
}

/// What a catalog should know of one playlist: two looks told apart by what they said, and nothing of events or
/// rows.
private struct PlaylistModel {
  struct PlaylistFact: Hashable {
    let state: PlaylistInfo.State
    let storefront: String
  }

  private(set) var said: PlaylistFact?
  private(set) var states: [PlaylistFact] = []
  private(set) var lists: [[String]] = []
  private(set) var title: String?
  private var isPlayable: Bool?

  /// How many events a look makes.
  mutating func look(at playlist: ServedPlaylist?, in storefront: String) -> Int {
    let isGone =
      said?.state == .gone || said == PlaylistFact(state: .available, storefront: storefront)
    let state: PlaylistInfo.State =
      playlist != nil ? .available : isGone ? .gone : .missingInStorefront
    var isNew = said != PlaylistFact(state: state, storefront: storefront)
    if isNew { states.append(PlaylistFact(state: state, storefront: storefront)) }
    said = PlaylistFact(state: state, storefront: storefront)
    if let playlist {
      isNew = isNew || title != playlist.title || isPlayable != playlist.isPlayable
      title = playlist.title
      isPlayable = playlist.isPlayable
    }
    return isNew ? 1 : 0
  }

  mutating func read(_ playlist: ServedPlaylist?, in storefront: String) -> Int {
    guard let playlist else { return look(at: nil, in: storefront) }
    let list = playlist.tracks.map(\.id)
    if list == lists.last { return 0 }
    lists.append(list)
    return 1
  }
}
