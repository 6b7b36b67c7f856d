import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

@testable import TrackLibrary

/// Edits of long playlists are short events, and saves take work by the number of tracks.
@Suite(
  .promise(
    "Any sequence of edits and states of a playlist gives the last one, and an edit of a "
      + "long playlist is a short event"))
struct PlaylistDifferenceTests {
  private func library(tracks: Int) async throws -> (TestLibrary, [EntityID]) {
    let test = try await TestLibrary()
    let ids = (1...tracks).map(EntityID.number)
    try await test.catalog.change(by: "test") { _ in
      ids.enumerated().map { place, id in .trackUpserted(Self.facts(id, at: "/\(place).mp3")) } + [
        .collectionUpserted(CollectionFacts(id: .number(9_001), name: "Long")),
        .collectionTracksSet(.number(9_001), ids),
      ]
    }
    return (test, ids)
  }

  private static func facts(_ id: EntityID, at path: String) -> TrackFacts {
    TrackFacts(
      id: id, title: "T", artist: "A", album: "B", duration: 1, fileURL: "file://\(path)",
      source: "local", uri: "file://\(path)")
  }

  /// Forty edits of 400 tracks, each whole list of which takes 15,600 bytes, and the same rows in the other implementation.
  @Test(arguments: UInt64(1)...2)
  func anEditOfALongListIsAShortEvent(_ seed: UInt64) async throws {
    let (test, ids) = try await library(tracks: 400)
    var random = SplitMix(seed: seed)
    var model = ids
    let before = try test.log().values.reduce(0) { $0 + $1.count }
    let playlists = test.library.playlists
    let id = EntityID.number(9_001)
    for _ in 0..<40 {
      let place = random.below(model.count - 2)
      switch random.below(3) {
      case 0:
        let track = random.pick(ids)
        model.insert(track, at: place)
        try await playlists.add([track], to: id, at: place)
      case 1:
        model.remove(at: place)
        try await playlists.remove(at: place, from: id)
      default:
        let target = random.below(model.count - 1)
        model.insert(model.remove(at: place), at: target)
        try await playlists.move(from: place, to: target, in: id)
      }
    }
    #expect(try await playlists.playlist(id)?.tracks.map(\.id) == model)
    let after = try test.log().values.reduce(0) { $0 + $1.count }
    #expect(after - before < 40 * 900, "\(after - before)")
    let rows = try test.rows()
    _ = try await test.catalog.rebuild()
    #expect(try test.rows() == rows)
    try test.expectTheReducerAgrees()
  }

  /// The shorter way is taken, and a difference is never one that grows by itself.
  @Test func theShorterWayIsTaken() throws {
    let ids = (1...50).map(EntityID.number)
    func event(_ old: [EntityID], _ new: [EntityID]) -> TrackEvent {
      .collectionTracks(of: .number(99), from: old, to: new)
    }
    #expect(event([], ids) == .collectionTracksSet(.number(99), ids))
    #expect(event(ids, Array(ids.reversed())) == .collectionTracksSet(.number(99), ids.reversed()))
    #expect(event(ids, ids + ids) == .collectionTracksSet(.number(99), ids + ids))
    guard case .collectionTracksChanged(let change) = event(ids, Array(ids.dropFirst())) else {
      Issue.record("a whole list")
      return
    }
    #expect(change.runs == [.kept(from: 1, count: 49)] && change.count == 49)
  }

  /// New ids for all tracks of a playlist: the old ones leave it at once, and not one by one.
  @Test(arguments: [true, false])
  func aSaveThatReplacesAllTracksTakesThemOutAtOnce(_ savesList: Bool) async throws {
    let (test, ids) = try await library(tracks: 60)
    let repository = test.library.repository()
    let (tracks, lists) = (
      try await repository.loadTracks(), try await repository.loadCollections()
    )
    let renamed = tracks.enumerated().map { place, track in
      var track = track
      track.id = .number(5_000 + place)
      return track
    }
    var list = lists[0]
    list.trackIDs = renamed.map(\.id)
    let collections = savesList ? [list] : nil
    let known = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0) })
    let events = try await test.catalog.readProved { rows in
      var plan = SavePlan(rows)
      try plan.add(renamed, known)
      if let collections { try plan.save(collections, [lists[0].id: lists[0]]) }
      try plan.remove(renamed, known)
      return plan.events
    }
    // Rows of playlists that the removals have to write: a removal writes each list that has the track.
    var current = ids
    var written = 0
    for event in events {
      switch event {
      case .trackRemoved(let id):
        if current.contains(id) { written += current.count }
        current.removeAll { $0 == id }
      case .collectionTracksSet(_, let tracks): current = tracks
      case .collectionTracksChanged(let change):
        current = try #require(change.tracks(from: current))
      default: break
      }
    }
    #expect(written == 0)
    #expect(current == (savesList ? list.trackIDs : []))
    try await repository.save(tracks: renamed, collections: collections)
    #expect(try await repository.loadTracks().map(\.id) == renamed.map(\.id))
    #expect(try await repository.loadCollections()[0].trackIDs == current)
  }

  /// A list that an app changed, of which tracks go in the same save that others took the places of.
  @Test(arguments: UInt64(1)...6)
  func savesBringTheRowsToWhatTheAppHas(_ seed: UInt64) async throws {
    let (test, _) = try await library(tracks: 30)
    let repository = test.library.repository()
    var random = SplitMix(seed: seed)
    for round in 0..<6 {
      var (tracks, lists) = (
        try await repository.loadTracks(), try await repository.loadCollections()
      )
      for place in tracks.indices.reversed() where random.below(4) == 0 {
        if random.below(2) == 0 {
          tracks[place].id = .number(6_000 + 100 * round + place)
        } else {
          tracks.remove(at: place)
        }
      }
      let left = tracks.map(\.id)
      lists[0].trackIDs = (0..<random.below(40)).map { _ in random.pick(left) }
      try await repository.save(tracks: tracks, collections: lists)
      #expect(Set(try await repository.loadTracks().map(\.id)) == Set(left))
      #expect(try await repository.loadCollections()[0].trackIDs == lists[0].trackIDs)
    }
    try test.expectTheReducerAgrees()
  }

  /// A picture of a document, and one of the rows, is hashed once in an import.
  @Test func eachPictureIsHashedOnce() async throws {
    let test = try await TestLibrary()
    let tracks = (1...3).map { number in
      """
      {"id": "\(EntityID.number(number))", "title": "T", "artist": "A", "album": "B", "duration": 1, \
      "fileURL": "file:///\(number).mp3", "artworkData": "AQI\(number)"}
      """
    }.joined(separator: ",")
    try await test.importing("{\"tracks\": [\(tracks)], \"collections\": []}", as: "library.json")
    let again = try test.folder.write(
      "{\"tracks\": [\(tracks)], \"collections\": [ ]}", to: "library-2.json")
    let document = try TrackDocumentReader.read(again)
    let count = try await test.catalog.readProved { rows in
      let plan = try ImportPlan([document], rows: rows)
      #expect(plan.events.isEmpty)
      return plan.hashes.count
    }
    #expect(count == 6)
  }
}

@Suite(
  .promise(
    "Any sequence of edits and states of a playlist gives the last one, and an edit of a "
      + "long playlist is a short event",
    by: "longest common order"))
struct CommonSubsequenceTests {
  /// As long as the standard library finds, which the lists' lengths allow for short lists only.
  @Test(arguments: UInt64(1)...8)
  func itIsAsLongAsItCanBe(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<150 {
      let kinds = 1 + random.below(12)
      let lists = (0..<2).map { _ in (0..<random.below(14)).map { _ in random.below(kinds) } }
      let pairs = CommonSubsequence.pairs(lists[0], lists[1], candidates: 64)
      #expect(pairs.allSatisfy { lists[0][$0.old] == lists[1][$0.new] }, "\(lists)")
      #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.old < $1.old && $0.new < $1.new })
      let removals = lists[1].difference(from: lists[0]).removals.count
      #expect(pairs.count == lists[0].count - removals, "\(lists)")
      // With few candidates it may be shorter, and is as valid.
      let few = CommonSubsequence.pairs(lists[0], lists[1], candidates: 0)
      #expect(few.count <= pairs.count && few.allSatisfy { lists[0][$0.old] == lists[1][$0.new] })
      #expect(zip(few, few.dropFirst()).allSatisfy { $0.old < $1.old && $0.new < $1.new })
    }
  }

  @Test func longListsInDifferentOrdersAreCompared() {
    let list = Array(0..<20_000)
    #expect(CommonSubsequence.pairs(list, list.reversed()).count == 1)
    // One element everywhere: pairs by their number.
    let same = Array(repeating: 7, count: 20_000)
    #expect(CommonSubsequence.pairs([1] + same + [2], [3] + same + [4]).count == 20_000)
  }
}
