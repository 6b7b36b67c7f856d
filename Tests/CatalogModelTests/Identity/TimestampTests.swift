import CatalogModel
import Foundation
import Testing

@testable import SoundLibraryKind

@Suite struct TimestampTests {
  @Test func agreesWithFoundationOnRandomTimes() throws {
    var dice = Dice(seed: 21)
    // From 1600 on: before 1582 calendars disagree on what a date is called.
    for _ in 0..<5_000 {
      let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &dice)
      let milliseconds = Int64(dice.below(1_000))
      let time = Timestamp(milliseconds: seconds * 1_000 + milliseconds)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let theirs = date.formatted(.iso8601)
      #expect(time.description.prefix(19) == theirs.prefix(19), "\(seconds)")
      #expect(Timestamp(theirs)?.milliseconds == seconds * 1_000)
      #expect(Timestamp(time.description) == time)
    }
  }

  @Test(arguments: [
    ("1970-01-01", 0), ("1970-01-01T00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1),
    ("1970-01-01T00:00:01.2345Z", 1_234), ("1970-01-01T02:00:00+02:00", 0),
    ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00.000Z", 951_782_400_000),
    ("2026-01-31T12:00:00", 1_769_860_800_000), ("1970-01-01T00:00:00-01:30", 5_400_000),
    ("0000-01-01T00:00:00.000Z", Timestamp.range.lowerBound),
    ("9999-12-31T23:59:59.999Z", Timestamp.range.upperBound),
  ])
  func reads(text: String, milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-1-31", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29", "2026-04-31",
    "2026-01-32", "2026-01-31T", "2026-01-31T24:00Z", "2026-01-31T12:60Z", "2026-01-31T12:00:60Z",
    "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00Zx", " 2026-01-31", "2026-01-31T12:00:00+2:00",
    "2026-01-31t12:00:00Z", "0000-01-01T00:00+01:00", "9999-12-31T23:59-00:01", "٢٠٢٦-01-31",
  ])
  func refuses(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func everyDayOfFourCenturiesFollowsTheOneBefore() throws {
    var before = Timestamp(milliseconds: 946_684_800_000 - 86_400_000).description
    for day in 0..<146_097 {
      let time = Timestamp(milliseconds: 946_684_800_000 + Int64(day) * 86_400_000)
      let text = time.description
      #expect(text > before && text.utf8.count == 24 && Timestamp(text) == time)
      before = text
    }
  }

  @Test func momentsOutsideTheYearsOfFourDigitsAreMovedToTheirEnds() {
    #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
    #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
  }
}
