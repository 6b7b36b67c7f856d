import CatalogTestSupport
import EventLog
import Promises
import Testing

@testable import ConcertArchive

/// An archive as it was: its answers are those that it gave then.
@Suite(
  .promise(
    "The catalog as it was, the event behind each cell, and the changes between two "
      + "moments are what plain models find",
    by: "a concert archive"))
struct PastShowsTests {
  private static func answers(_ archive: ConcertArchive) async throws -> [String] {
    var answers: [String] = []
    for query in ["barn", "5-8-77", "dark", "lantern hall", "1977"] {
      answers.append("\(query) \(try await archive.shows.search(query, limit: 9))")
    }
    answers.append("\(try await archive.shows.list(limit: 50))")
    answers.append("\(try await archive.shows.version().map { "\($0)" } ?? "none")")
    return answers
  }

  @Test func itAnswersAsItDid() async throws {
    var package = GeneratedPackage()
    package.shows = (1...20).map { number in
      GeneratedPackage.Show(
        id: "show-\(number)", date: "1977-05-\(number + 10)",
        venue: number.isMultiple(of: 2) ? "The Barn" : "Lantern Hall", city: "Boston",
        songs: ["Dark Song \(number)", "Barn Dance"])
    }
    let test = try await TestArchive.containing(package)
    var known: [(sequence: UInt64, answers: [String])] = []
    for round in 1...4 {
      let head = try EventLogReader(directory: test.archive.catalog.directory.events).head()
      known.append((try #require(head).sequence, try await Self.answers(test.archive)))
      package.version = "1.\(round).0"
      package.shows[round].venue = "Darkened Barn \(round)"
      package.shows.removeLast()
      try await test.archive.packages.apply(test.written(package))
    }
    #expect(Set(known.map(\.answers)).count == known.count)
    for (sequence, answers) in known.shuffled() {
      let past = try await test.archive.past(after: sequence)
      let found = try await Self.answers(past)
      for (line, wanted) in zip(found, answers) {
        #expect(line == wanted, "after event \(sequence)")
      }
    }
  }
}
