import CatalogEngine
import CatalogModel
import Promises
import Testing

/// The forms in which a person names a moment or a range.
@Suite(
  .promise(
    "A time means the last batch of the log that is not later; a moment that is rounded or "
      + "ambiguous is reported as such",
    by: "words, ages, days and months, operations"))
struct MomentNameTests {
  /// A Thursday.
  private static let now = Timestamp("2026-11-26T15:30:00Z")

  private func moment(_ text: String) throws -> Moment? {
    Moment(text, now: try #require(Self.now))
  }

  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  @Test func wordsNameTheEndsOfTheLog() throws {
    for text in ["head", "HEAD", "last", "latest", "head~0"] {
      #expect(try moment(text) == .head(back: 0), "\(text)")
    }
    #expect(try moment("head~") == .head(back: 1))
    #expect(try moment("HEAD~12") == .head(back: 12))
    #expect(try moment("live") == .live)
    #expect(try moment("start") == .start)
    #expect(try moment("3533") == .sequence(3533))
  }

  @Test func agesAreTimesBeforeNow() throws {
    for (text, expected) in [
      ("now", "2026-11-26T15:30:00Z"), ("-7d", "2026-11-19T15:30:00Z"),
      ("now-7d", "2026-11-19T15:30:00Z"), ("1 week ago", "2026-11-19T15:30:00Z"),
      ("2w ago", "2026-11-12T15:30:00Z"), ("-90m", "2026-11-26T14:00:00Z"),
      ("3 hours ago", "2026-11-26T12:30:00Z"), ("-30s", "2026-11-26T15:29:30Z"),
    ] {
      #expect(try moment(text) == .time(try time(expected)), "\(text)")
    }
  }

  @Test func aDayAndAMonthAreWhole() throws {
    for (text, first, last) in [
      ("2026-11-26", "2026-11-26T00:00:00Z", "2026-11-26T23:59:59.999Z"),
      ("today", "2026-11-26T00:00:00Z", "2026-11-26T23:59:59.999Z"),
      ("Yesterday", "2026-11-25T00:00:00Z", "2026-11-25T23:59:59.999Z"),
      ("2026-04", "2026-04-01T00:00:00Z", "2026-04-30T23:59:59.999Z"),
      ("2028-02", "2028-02-01T00:00:00Z", "2028-02-29T23:59:59.999Z"),
      ("1969-12", "1969-12-01T00:00:00Z", "1969-12-31T23:59:59.999Z"),
      ("1960-07-04", "1960-07-04T00:00:00Z", "1960-07-04T23:59:59.999Z"),
    ] {
      guard case .span(let span) = try moment(text) else {
        Issue.record("\(text) is not a day or a month")
        continue
      }
      #expect(try span == TimeSpan(first: time(first), last: time(last)), "\(text)")
    }
    #expect(
      try moment("2026-11-26")?.asBeginning == .time(try time("2026-11-25T23:59:59.999Z")),
      "a range that begins with a day has all of it")
  }

  @Test func operationsAreNamedByTheirFirstCharacters() throws {
    #expect(try moment("1318f01b") == .operation(.prefix("1318f01b")))
    #expect(try moment("BEEF") == .operation(.prefix("beef")))
    let id = "1318f01b-4b08-85f6-8b0e-6a0f7c2f9d11"
    #expect(try moment(id) == .operation(.id(try #require(EntityID(id)))))
  }

  @Test(arguments: [
    "", "bb0", "head~x", "head^", "heads", "-7", "-1", "7 ago", "-d", "7d", "-7y", "2026-13",
    "2026-13-01", "2026-02-30", "27.04.2026", "1,120", "1066-1120", "last monday",
    "-9999999999999999d", "99999999999999999999999", "head~99999999999999999999999",
  ])
  func otherTextsAreRefused(text: String) throws {
    #expect(try moment(text) == nil)
  }

  @Test func aRangeHasTwoMoments() throws {
    let range = try #require(MomentRange("head~3..head"))
    #expect(range.from == .head(back: 3) && range.to == .head(back: 0))
    #expect(MomentRange("3533..")?.to == .head(back: 0))
    for text in ["..", "..5", "1-2", "x..y", "live..head", "3533"] {
      #expect(MomentRange(text) == nil, "\(text)")
    }
  }

  /// Against a search over all batches of a log.
  @Test func rangesAreWholeBatches() async throws {
    let history = try await LedgerHistory(seed: 641, batches: 30)
    let log = history.log
    let ends = history.batches.map(\.upperBound)
    let count = ends.count
    for (text, first, last) in [
      ("head", count - 1, count - 1), ("head~2", count - 3, count - 3),
      ("head~\(count - 1)", 0, 0),
    ] {
      let events = try #require(MomentRange(whole: text)).events(in: log)
      #expect(events == (first == 0 ? 1 : ends[first - 1] + 1)...ends[last], "\(text)")
    }
    #expect(
      try MomentRange("head~3..head")?.events(in: log) == ends[count - 4] + 1...ends[count - 1])
    let (first, last) = (history.batches[count / 2].lowerBound, ends[count / 2])
    #expect(
      try MomentRange("\(last)..\(last)")?.events(in: log) == first...last,
      "an event means its batch, from its beginning on")
    #expect(try Moment.head(back: UInt64(count)).found(in: log).sequence == 0)
    let error = #expect(throws: CatalogError.self) {
      try Moment.head(back: UInt64(count) + 1).found(in: log)
    }
    #expect(error?.code == .noMoment)
    let none = #expect(throws: CatalogError.self) {
      try MomentRange("head..head~1")?.events(in: log)
    }
    #expect(none?.code == .noMoment)
  }
}
