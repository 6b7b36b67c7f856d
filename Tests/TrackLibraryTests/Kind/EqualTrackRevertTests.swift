import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

/// Reverts in playlists that have a track twice: each of the two is the one that it was.
@Suite(
  .promise(
    "A revert in a list keeps the members and places that others changed, and of equal "
      + "members finds the right one",
    by: "generated edits of playlists"))
struct EqualTrackRevertTests {
  struct Story: Sendable, CustomTestStringConvertible {
    let states: [String]
    /// The changes that are reverted, by their places, and the list after each.
    let reverts: [(change: Int, list: String)]

    var testDescription: String { states.joined(separator: " → ") }
  }

  private static let playlist = EntityID(high: 0, low: 99)

  private func library(_ tracks: String) async throws -> TestLibrary {
    let test = try await TestLibrary()
    _ = try await test.catalog.change(by: "test") { _ in
      "abcd".map { track in
        let uri = "file:///\(track).m4a"
        return .trackUpserted(
          TrackFacts(
            id: Self.id(track), title: String(track), artist: "A", album: "B", duration: 1,
            fileURL: uri, source: "local", uri: uri))
      } + [.collectionUpserted(CollectionFacts(id: Self.playlist, name: "Evening"))]
    }
    _ = try await set(tracks, in: test)
    return test
  }

  private static func id(_ track: Character) -> EntityID {
    EntityID(high: 0, low: UInt64(track.asciiValue ?? 0))
  }

  private func set(_ tracks: String, in test: TestLibrary) async throws -> UInt64 {
    try await test.catalog.change(by: "test") { _ in
      [.collectionTracksSet(Self.playlist, tracks.map(Self.id))]
    }.sequence
  }

  private func list(_ test: TestLibrary) throws -> String {
    try test.sql(
      "SELECT title FROM collection_tracks JOIN tracks ON id = track_id ORDER BY position"
    ).joined()
  }

  @Test(arguments: [
    // The second of two equal tracks was moved after the first one had come.
    Story(states: ["abcda", "dabcda", "dabcad"], reverts: [(1, "abcad")]),
    Story(states: ["abcda", "dabcda", "dabcbda"], reverts: [(1, "abcbda")]),
    // Both were removed, one after the other.
    Story(states: ["abcda", "abcd", "bcd"], reverts: [(1, "bcda")]),
    Story(states: ["abcda", "abcdaa", "bcdaa"], reverts: [(1, "bcda"), (2, "abcda")]),
    Story(states: ["abcda", "abcdaa", "bcdaa"], reverts: [(2, "abcdaa"), (1, "abcda")]),
  ])
  func theTrackThatTheOperationChangedIsTheOne(_ story: Story) async throws {
    let test = try await library(story.states[0])
    var changes: [UInt64] = []
    for state in story.states.dropFirst() { changes.append(try await set(state, in: test)) }
    for (change, expected) in story.reverts {
      let sequence = changes[change - 1]
      let report = try await test.catalog.revert(.events(sequence...sequence))
      #expect(report.conflicts.isEmpty, "\(report.conflicts)")
      #expect(try list(test) == expected)
    }
  }

  /// Whatever a person did with a list, taking it all back in turn leads to its beginning.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func changesAreTakenBackFromTheLastToTheFirst(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    var tracks = (0..<5).map { _ in random.pick(["a", "b", "c", "d"]) }
    let test = try await library(tracks.joined())
    var states = [tracks.joined()]
    var changes: [UInt64] = []
    while changes.count < 5 {
      switch random.below(3) {
      case 0: tracks.insert(random.pick(["a", "b", "c", "d"]), at: random.below(tracks.count + 1))
      case 1 where tracks.count > 1: tracks.remove(at: random.below(tracks.count))
      default:
        let track = tracks.remove(at: random.below(tracks.count))
        tracks.insert(track, at: random.below(tracks.count + 1))
      }
      guard tracks.joined() != states.last else { continue }
      states.append(tracks.joined())
      changes.append(try await set(tracks.joined(), in: test))
    }
    for (change, before) in zip(changes, states).reversed() {
      let report = try await test.catalog.revert(.events(change...change))
      #expect(report.conflicts.isEmpty, "\(states)")
      #expect(try list(test) == before, "\(states)")
    }
  }
}
