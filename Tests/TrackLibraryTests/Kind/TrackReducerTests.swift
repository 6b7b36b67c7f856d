import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// The rows against a second implementation, in Python, written from docs/TRACKS.md.
@Suite(
  .promise(
    "The rows are what the documents say, in a second implementation in Python",
    by: "`Tools/track-reducer.py` over generated histories"))
struct TrackReducerTests {
  /// Events of every type in any order, many of which contradict what was before.
  @Test(arguments: UInt64(1)...6)
  func theReducerMakesTheSameRows(_ seed: UInt64) async throws {
    let test = try await TestLibrary()
    var dice = TrackDice(seed: seed)
    for _ in 0..<60 {
      let event = dice.event()
      // What contradicts the rows is refused before it is appended.
      do {
        try await test.catalog.change(by: "test") { _ in [event] }
      } catch let error as ProjectionError where error.code == .contradiction {
        continue
      }
    }
    try test.expectTheReducerAgrees()
    _ = try await test.catalog.rebuild()
    try test.expectTheReducerAgrees()
  }

  @Test func theReducerReadsWhatTheImportersWrite() async throws {
    let test = try await TestLibrary()
    let examples = ScratchFolder.repository + "/Examples/Tracks/"
    for name in ["library.json", "spotify", "apple", "iTunes.xml", "morning.m3u8"] {
      try await test.library.imports.apply(examples + name)
    }
    try await test.library.tags.set(["Favorites"], of: "1500000001")
    try test.expectTheReducerAgrees()
  }

  @Test func theReducerSeesADifference() async throws {
    let test = try await TestLibrary()
    try await test.importing(LibraryText.small, as: "library.json")
    _ = try test.sql("UPDATE tracks SET title = 'x' WHERE title = 'Field'")
    let outcome = try test.reduced()
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("title: log \"Field\", database \"x\""))
  }
}

extension TestLibrary {
  func reduced() throws -> Program {
    try Program(
      "python3", ScratchFolder.repository + "/Tools/track-reducer.py",
      folder.file("library/events"), folder.file("library/catalog.sqlite"))
  }

  func expectTheReducerAgrees(_ location: SourceLocation = #_sourceLocation) throws {
    let outcome = try reduced()
    #expect(
      outcome.status == 0, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
  }
}

/// Events that meet each other: few ids, few names.
struct TrackDice {
  private var random: SplitMix

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  private mutating func id(_ first: Int) -> EntityID { .number(first + random.below(4)) }
  private mutating func song() -> String {
    random.pick(["31", "32", "33", "XXL010000001", "XXL010000002"])
  }

  mutating func event() -> TrackEvent {
    switch random.below(20) {
    case 0, 1, 2, 3: .trackUpserted(track())
    case 4: .trackRemoved(id(1))
    case 5: .trackPlayed(id(1))
    case 6: .artworkAdded(Artwork([UInt8(random.below(3))]))
    case 7:
      .collectionUpserted(
        CollectionFacts(
          id: id(10), name: random.pick(["A", "B"]), description: random.pick([nil, "x"])))
    case 8: .collectionRemoved(id(10))
    case 9: .collectionTracksSet(id(10), (0..<random.below(5)).map { _ in id(1) })
    case 10: change()
    case 11, 12: .songUpserted(SongFacts(id: song(), title: random.pick(["S", "T"]), artist: ""))
    case 13, 14: .songIdentified(from: song(), to: song())
    case 15: .songRemoved(song())
    case 16:
      .songTagsSet(
        song: song(), source: random.pick(["person", "analysis"]),
        tags: (0..<random.below(3)).map { _ in id(20) })
    case 17: .songSynced(song: song(), through: Int64(random.below(90)))
    case 18:
      .tagAdded(
        LibraryTag(
          id: id(20), name: random.pick(["a", "b", "c", "d"]), hexColor: "#000000",
          isSystemTag: random.below(4) == 0))
    default:
      random.below(2) == 0
        ? .tagRemoved(id(20))
        : .tagChanged(id(20), name: random.pick(["a", "b", "e"]), hexColor: "#FFFFFF")
    }
  }

  /// A difference that often fits, and often not.
  private mutating func change() -> TrackEvent {
    let base = (0..<random.below(2)).map { _ in id(1) }
    let runs: [ListRun<EntityID>] = (0..<random.below(3)).map { _ in
      random.below(2) == 0
        ? .new((0..<random.below(3)).map { _ in id(1) })
        : .kept(from: Int64(random.below(3)) - 1, count: Int64(random.below(3)))
    }
    return .collectionTracksChanged(
      CollectionTracksChange(
        id: id(10), base: CollectionTracksChange.hash(of: base), count: Int64(random.below(4)),
        runs: runs))
  }

  private mutating func track() -> TrackFacts {
    TrackFacts(
      id: id(1), title: random.pick(["One", "Two"]), artist: "A", album: "",
      duration: Double(random.below(3)), fileURL: "file:///x",
      artwork: random.below(3) == 0 ? Artwork([UInt8(random.below(3))]).sha256 : nil,
      source: "local", uri: "file:///\(random.below(6))", song: random.below(2) == 0 ? song() : nil,
      dateAdded: random.below(3) == 0 ? Timestamp(milliseconds: 1_000) : nil)
  }
}
