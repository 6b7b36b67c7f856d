import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// What real packages do to a search, each on the hand-written one.
@Suite(
  .promise(
    "Shows are found by any spelling of a day, a month, a place or words, and nothing that "
      + "is typed is an error",
    by: "traps of real packages"))
struct SearchTrapTests {
  /// No text says "May": the month is the beginning of a date.
  @Test(arguments: ["May 1977", "may 1977", "May, 1977", "1977 may", "May 77", "1977-05*"])
  func aMonthIsFoundThoughNoTextSaysIt(_ query: String) async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found(query) == [ID.lanternHall, ID.civicArena])
    #expect(try test.sql("SELECT count(*) FROM show_search WHERE show_search MATCH 'may'") == ["0"])
  }

  /// `Maybe Tomorrow` is a song, and May a word as any other where no year stands beside it.
  @Test func aMonthWithoutAYearIsAWord() async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found("maybe") == [ID.broomeArena])
    #expect(try await test.found("may").isEmpty)
    #expect(try await test.found("may*") == [ID.broomeArena])
  }

  /// Unquoted, `5-8-77` is an error of FTS5 ("no such column: 8").
  @Test(arguments: [
    "5-8-77", "5/8/77", "5.8.77", "1977-05-08", "5\u{2011}8\u{2011}77",
    "1977\u{2013}05\u{2013}08", "1977\u{2212}05\u{2212}08", "May 8 1977", "May 8th, 1977",
    "8 May 1977", "lantern 5-8-77", "5-8-77 lantern",
  ])
  func shortDatesFindExactlyTheirShows(_ query: String) async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found(query) == [ID.lanternHall])
  }

  @Test func everyShortDateOfEveryShowFindsTheShowsOfItsDay() async throws {
    let test = try await TestArchive.imported()
    let all = try await test.archive.shows.list(limit: 100).rows
    for line in all {
      let sameDay = all.filter { $0.date == line.date }.map(\.showID)
      let parts = line.date.split(separator: "-").map(String.init)
      let (month, day, year) = (Int(parts[1]) ?? 0, Int(parts[2]) ?? 0, parts[0].suffix(2))
      for mark in ["-", "/", "."] {
        let query = "\(month)\(mark)\(day)\(mark)\(year)"
        #expect(try await test.found(query) == sameDay, "\(query)")
      }
    }
  }

  /// A month with two digits of the year found days of other months that end in them (`3/5/77`).
  @Test(arguments: ["5/77", "05/1977", "1977-05", "1977/5", "5-77"])
  func aMonthInNumbersIsTheWholeMonth(_ query: String) async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found(query) == [ID.lanternHall, ID.civicArena])
  }

  /// `tokenchars '-.'` makes `Half-Step` one word; the second index has its parts.
  @Test(arguments: [
    ("half step", [ID.zephyrRoom, ID.alameda, ID.lanternHall, ID.civicArena]),
    (
      "marlo o",
      [ID.apolloRoom, "1972-04-14-tivoli-kobenhavn-denmark", ID.lanternHall]
    ),
    ("tin a roe", [ID.barn, ID.apolloRoom, ID.alameda, ID.civicArena]),
    ("alameda", [ID.alameda]), ("st louis", [ID.stLouis]),
  ])
  func wordsThatTheTokenizerHidesAreFound(_ query: String, _ shows: [String]) async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found(query) == shows)
    let quoted = query.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ")
    let hidden = try test.sql(
      "SELECT count(*) FROM show_search WHERE show_search MATCH '\(quoted)'")
    #expect(hidden == ["0"], "the first index alone hides them")
  }

  @Test func exactHitsComeFirst() async throws {
    let test = try await TestArchive.imported()
    // "Fire, Wind, and Rain" is of 1977; so is the token "st." of St. Louis of 1971.
    let hits = try await test.archive.shows.search("st.", limit: 10).rows
    #expect(hits.map(\.isExact) == [true])
    let mixed = try await test.archive.shows.search("boston", limit: 10).rows
    #expect(mixed.map(\.line.showSequence) == [1, 2, 3])
  }

  @Test func accentsAndCaseDoNotMatter() async throws {
    let test = try await TestArchive.imported()
    for query in ["CAFÉ SEÑORA", "cafe senora", "Cafe\u{301}"] {
      #expect(
        try await test.found(query) == ["1972-04-14-tivoli-kobenhavn-denmark"], "\(query)")
    }
  }

  /// No input is an error, and nothing in it is an operator.
  @Test(arguments: [
    "", " ", "\"", "\"\"", "*", "-", "a OR", "NOT", "NEAR(", "show_id:x", "{a b}:c", "^a", "a^",
    "col:", "a \"b", "-5", "+", "(", ")", "\u{0}", "a\u{0}b", "'", ";--", "5-", "…", "💀", "AND AND",
    "**", "a**", String(repeating: "x ", count: 5_000),
  ])
  func nothingThatIsTypedIsAnError(_ query: String) async throws {
    let test = try await TestArchive.imported()
    _ = try await test.found(query)
  }

  /// Dates, marks, stars and quotes in any order.
  @Test func noMixtureOfDatesAndMarksIsAnError() async throws {
    let test = try await TestArchive.imported()
    var random = SeededGenerator("search queries")
    let pieces = [
      "5", "8", "77", "1977", "1977-05-08", "5/8/77", "May", "of", "th", "'", "\u{2019}", "\"", "*",
      "-", "/", ".", ",", " ", " ", "(", ")", "OR", "NEAR", "^", ":", "half", "U.S.", "\u{345}",
      "\u{AD}", "林", "💀", "é", "+", "&", "#", "\u{0}", "\u{2044}", "st", "00", "32",
    ]
    for _ in 0..<400 {
      let query = (0..<random.below(9)).map { _ in pieces[random.below(pieces.count)] }.joined()
      let hits = try await test.archive.shows.search(query, limit: 100).rows
      #expect(hits.map { $0.isExact ? 0 : 1 } == hits.map { $0.isExact ? 0 : 1 }.sorted())
      #expect(Set(hits.map(\.line.showID)).count == hits.count, "\(query)")
    }
  }

  @Test func pagesOfASearchAreTheWholeSearch() async throws {
    let test = try await TestArchive.imported()
    let whole = try await test.archive.shows.search("usa", limit: 100).rows
    #expect(whole.count == 11)
    var pages: [ShowHit] = []
    var page = try await test.archive.shows.search("usa", limit: 3)
    pages += page.rows
    while let next = page.next {
      page = try await test.archive.shows.search("usa", limit: 3, after: next)
      pages += page.rows
    }
    #expect(pages == whole)
  }
}
