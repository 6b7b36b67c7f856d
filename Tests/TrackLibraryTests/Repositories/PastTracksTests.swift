import CatalogEngine
import CatalogTestSupport
import EventLog
import Promises
import Testing
import TrackLibrary

/// A track library as it was: its answers are those that it gave then.
@Suite(
  .promise(
    "The catalog as it was, the event behind each cell, and the changes between two "
      + "moments are what plain models find",
    by: "a track library"))
struct PastTracksTests {
  private static func answers(_ library: TrackLibrary) async throws -> [String] {
    var answers: [String] = []
    for query in ["blue", "se", "the sea", "ä", "artist"] {
      answers.append("\(query) \(try await library.tracks.search(query, limit: 9))")
    }
    answers.append("\(try await library.tracks.list(.all, by: .artist, limit: 50))")
    answers.append("\(try await library.albums.list(limit: 20))")
    answers.append("\(try await library.playlists.list(limit: 20))")
    return answers
  }

  @Test(arguments: [11, 12] as [UInt64]) func itAnswersAsItDid(seed: UInt64) async throws {
    let test = try await TestLibrary()
    var random = SplitMix(seed: seed)
    let words = ["blue", "blues", "sea", "season", "the", "theme", "red", "ä"]
    func some(_ most: Int) -> String {
      (0..<1 + random.below(most)).map { _ in random.pick(words) }.joined(separator: " ")
    }
    var known: [(sequence: UInt64, answers: [String])] = []
    for round in 1...5 {
      let tracks = (1...30).filter { _ in random.below(3) > 0 }
      try await test.importing(
        LibraryText.library(
          tracks.map { LibraryText.track($0, some(3), some(2), some(2), file: "/\($0).mp3") },
          [LibraryText.collection(100, "List \(round)", Array(tracks.prefix(3)))]),
        as: "library.json")
      let head = try EventLogReader(directory: test.folder.file("library/events")).head()
      known.append((try #require(head).sequence, try await Self.answers(test.library)))
    }
    #expect(Set(known.map(\.answers)).count == known.count)
    for (sequence, answers) in known.shuffled() {
      let past = try await test.library.past(after: sequence)
      let found = try await Self.answers(past)
      for (line, wanted) in zip(found, answers) {
        #expect(line == wanted, "seed \(seed), after event \(sequence)")
      }
    }
    let past = try await test.library.past(after: known[0].sequence)
    await #expect(throws: CatalogError.self) {
      try await past.playlists.create(.number(200), name: "New")
    }
  }
}
