import CatalogEngine
import CatalogTestSupport
import Promises
import Testing

@testable import TrackLibrary

@Suite(
  .promise(
    "A page of tracks, playlists, songs, albums and artists is found by an index, and is "
      + "that of a plain model"))
struct PlayedTrackTests {
  private struct Known {
    var first: Timestamp
    var last: Timestamp
    var count: Int64
  }

  /// Any plays give the lists of a plain model, page by page; a removed track keeps its plays and has no title.
  @Test(arguments: UInt64(1)...3)
  func listsAreThoseOfTheModel(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library((1...8).map { LibraryText.track($0, "T\($0)", file: "/\($0).mp3") }),
      as: "library.json")
    let tracks = test.library.tracks
    var random = SplitMix(seed: seed)
    var model: [EntityID: Known] = [:]
    for _ in 0..<40 {
      let id = EntityID.number(1 + random.below(7))
      try await tracks.play(id)
      // What the event says, and not what the list says.
      let time = try #require(
        Timestamp(try test.sql("SELECT max(last_played_at) FROM track_play")[0]))
      var known = model[id] ?? Known(first: time, last: time, count: 0)
      known.last = time
      known.count += 1
      model[id] = known
    }
    let gone = try #require(model.keys.min())
    try await tracks.remove(gone)
    for sort in PlaySort.allCases {
      let expected = model.sorted { left, right in
        switch sort {
        case .recent: left.value.last > right.value.last
        case .most: (left.value.count, left.key) > (right.value.count, right.key)
        }
      }
      var found: [PlayedTrack] = []
      var cursor: KeysetCursor?
      repeat {
        let page = try await tracks.played(by: sort, limit: 3, after: cursor)
        found += page.rows
        cursor = page.next
      } while cursor != nil
      #expect(found.map(\.id) == expected.map(\.key))
      #expect(found.map(\.playCount) == expected.map(\.value.count))
      #expect(found.map(\.firstPlayedAt) == expected.map(\.value.first))
      #expect(found.map(\.lastPlayedAt) == expected.map(\.value.last))
      #expect(found.filter { $0.title == nil }.map(\.id) == [gone])
    }
  }

  @Test(arguments: PlaySort.allCases)
  func everyPageIsFoundByAnIndex(_ sort: PlaySort) async throws {
    let test = try await TestLibrary()
    for isFirst in [true, false] {
      let plan = try await test.catalog.read {
        try $0.plan(of: PlayedTrack.list(by: sort), isFirst: isFirst)
      }
      #expect(plan[0].contains("projection_track_play_\(sort)"), "\(plan)")
      #expect(!plan.contains { $0.contains("B-TREE") }, "\(plan)")
    }
  }
}
