import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "Ids and times have one spelling each, and times that other programs print are read as "
      + "GNU `date` reads them",
    by: "random times, and every day of four centuries"))
struct TimestampTests {
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

  /// Compares with GNU `date` on the forms that git, GitHub, systemd, SQLite and PostgreSQL print.
  @Test func readsWhatOtherProgramsPrint() throws {
    var dice = Dice(seed: 22)
    var texts: [(typed: String, read: String)] = []
    for _ in 0..<200 {
      let time = Int64.random(in: 86_400_000...4_102_444_799_999, using: &dice)
      let minutes = Int64(dice.below(14 * 60))
      let isWest = dice.below(2) == 0
      let local = Timestamp(milliseconds: time + (isWest ? -minutes : minutes) * 60_000).description
      let (day, clock) = (local.prefix(10), local.dropFirst(11).prefix(12))
      let seconds = clock.prefix(8)
      let digits = "\(minutes / 60 + 100)\(minutes % 60 + 100)"
      let (hours, rest) = (digits.dropFirst().prefix(2), digits.suffix(2))
      let sign = isWest ? "-" : "+"
      let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][
        Int(Timestamp(String(day)).map { $0.milliseconds / 86_400_000 + 4 } ?? 0) % 7]
      for text in [
        "\(day) \(seconds) \(sign)\(hours)\(rest)", "\(day)T\(seconds)\(sign)\(hours):\(rest)",
        "\(day)T\(seconds)Z", "\(day)t\(clock)z", "\(day) \(clock)", "\(day) \(seconds)",
        "\(day) \(clock.prefix(5))", "\(day)T\(clock)\(sign)\(hours)\(rest)",
        "\(day) \(clock)456\(sign)\(hours)", "\(day) \(clock.replacing(".", with: ",")) +0000",
        "\(weekday) \(day) \(seconds) UTC", "\(day) \(seconds) GMT", "\(day)",
      ] { texts.append((text, text)) }
      // `date` does not read these.
      let (shortDay, shortClock) = (day.replacing("-", with: ""), clock.replacing(":", with: ""))
      texts += [
        ("\(shortDay)T\(shortClock.prefix(6))Z", "\(day)T\(seconds)Z"),
        ("\(shortDay)T\(shortClock.prefix(4))", "\(day)T\(clock.prefix(5))"),
        (
          "\(shortDay)T\(shortClock)\(sign)\(hours)\(rest)",
          "\(day)T\(clock)\(sign)\(hours):\(rest)"
        ),
      ]
    }
    let folder = try ScratchFolder()
    let file = try folder.write(texts.map(\.read).joined(separator: "\n") + "\n", to: "times")
    let read = try Program("date", "-u", "-f", file, "+%s%3N")
    #expect(read.status == 0, "\(read.errors)")
    let expected = read.output.split(separator: "\n").map { Int64($0) }
    try #require(expected.count == texts.count)
    for (text, milliseconds) in zip(texts, expected) {
      #expect(Timestamp.typed(text.typed)?.milliseconds == milliseconds, "\(text.typed)")
    }
  }

  @Test(arguments: [
    "", "20260316", "2026", "03/16/2026", "16.03.2026 09:00", "Mar 16 09:00:00", "09:00",
    "2026-03-16 09:00 CET", "Tue 2026-03-16 09:00:00 UTC", "Mon", "Mon ", "2026-03-16 09",
    "2026-03-16  09:00", "2026-03-16 0 9:00", "2026-03-16T 09:00", "2026-03-16 ", " 2026-03-16",
    "2026-03-16 +0100", "2026-03-16Z",
    "2026-03-16T", "2026-03-16T09:00:00 +01:00 x", "2026-03-16T09:00:00Z +01:00",
    "2026-03-16T09:00:00+1", "2026-03-16T09:00:00Z12", "20260316T09", "20260316T090", "2026-W12-1",
    "2026-075", "20260230T0900", "2026-03-16T0960", "2026-03-16T09:00,5Z", "1773651600.5",
    "2026-03-16 09:00:00 +٠١٠٠", "yesterday",
  ])
  func refusesWhatIsTyped(text: String) {
    #expect(Timestamp.typed(text) == nil)
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
