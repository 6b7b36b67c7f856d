import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// Each spelling of each day and month of a generated archive, checked against SQL.
@Suite(
  .promise(
    "Shows are found by any spelling of a day, a month, a place or words, and nothing that "
      + "is typed is an error",
    by: "each spelling of each day of a generated archive, compared with SQL"))
struct DateSpellingTests {
  private struct Day {
    let year, month, day: Int

    var iso: String { String(format: "%04d-%02d-%02d", year, month, day) }
    /// A year with two digits that can be nothing else.
    var hasPlainYear: Bool { year % 100 > 31 }
  }

  private static let names = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// Spellings with the whole year.
  private static func whole(_ date: Day) -> [String] {
    let (y, m, d) = (date.year, date.month, date.day)
    let name = names[m - 1]
    let short = String(name.prefix(3))
    var all = ["%04d-%02d-%02d", "%d-%d-%d", "%d/%d/%d", "%04d.%02d.%02d", "%04d%02d%02d"].map {
      String(format: $0, y, m, d)
    }
    all += ["%d/%d/%d", "%02d/%02d/%d", "%02d-%02d-%d", "%d.%d.%d", "%d %d %d", "(%d/%d/%d)"].map {
      String(format: $0, m, d, y)
    }
    let ordinal = "\(d)\(d % 10 == 1 ? "st" : d % 10 == 2 ? "nd" : d % 10 == 3 ? "rd" : "th")"
    all += [
      "\(d) \(name) \(y)", "\(name) \(d), \(y)", "\(name) \(d) \(y)", "\(name) \(ordinal) \(y)",
      "\(short) \(d),\(y)", "\(ordinal) of \(name), \(y)", "\(short). \(d), \(y)",
      "\(d)-\(short)-\(y)", "\(y) \(name) \(d)", "\(name.uppercased()) \(d) \(y)",
      "\(m)\u{2011}\(d)\u{2011}\(y)", "\(m)\u{2044}\(d)\u{2044}\(y)",
    ]
    if d > 12 { all += ["\(d)/\(m)/\(y)", "\(d).\(m).\(y)"] }
    return all
  }

  /// Spellings with two digits of the year, which mean it in each century.
  private static func shortened(_ date: Day) -> [String] {
    let (m, d) = (date.month, date.day)
    let y = String(format: "%02d", date.year % 100)
    let name = names[m - 1]
    var all = [
      "\(m)/\(d)/\(y)", "\(m)-\(d)-\(y)", "\(m).\(d).\(y)",
      String(format: "%02d/%02d/", m, d) + y, String(format: "%02d-%02d-", m, d) + y,
      "\(name) \(d), '\(y)", "\(d) \(name) \u{2019}\(y)", "\(m)/\(d)/'\(y)",
      "\(name) \(d) \(y)",
    ]
    if date.hasPlainYear { all += ["\(y)-\(m)-\(d)", "\(y)/\(m)/\(d)", "\(m) \(d) \(y)"] }
    if d > 12 { all.append("\(d)/\(m)/\(y)") }
    return all
  }

  private static func months(_ date: Day) -> (whole: [String], shortened: [String]) {
    let (year, m) = (date.year, date.month)
    let y = String(format: "%02d", year % 100)
    let name = names[m - 1]
    let whole = [
      "\(m)/\(year)", String(format: "%02d/%d", m, year), String(format: "%d-%02d", year, m),
      "\(year)/\(m)", "\(year)-\(m)", "\(m)-\(year)", "\(m).\(year)", "\(name) \(year)",
      "\(name), \(year)", "\(year) \(name)", "\(name.prefix(3)) \(year)", "\(m) \(year)",
      "\(name) of \(year)", "\(name)-\(year)",
    ]
    var shortened = ["\(name) '\(y)", "\(m)/'\(y)", "\(name.prefix(3)). \u{2018}\(y)"]
    if date.hasPlainYear {
      shortened += ["\(m)/\(y)", "\(m)-\(y)", "\(m).\(y)", "\(y)-\(m)", "\(name) \(y)"]
    }
    return (whole, shortened)
  }

  private static func dates(_ random: inout SeededGenerator) -> [Day] {
    // Days whose numbers can be taken for each other, and days of other centuries.
    var days = [
      Day(year: 1977, month: 5, day: 8), Day(year: 1977, month: 8, day: 5),
      Day(year: 1905, month: 5, day: 8), Day(year: 2005, month: 5, day: 8),
      Day(year: 2008, month: 5, day: 7), Day(year: 1972, month: 2, day: 29),
      Day(year: 2012, month: 12, day: 12), Day(year: 1999, month: 12, day: 31),
      Day(year: 2000, month: 1, day: 1), Day(year: 1877, month: 5, day: 8),
    ]
    while days.count < 70 {
      days.append(
        Day(
          year: 1959 + random.below(58), month: 1 + random.below(12), day: 1 + random.below(28)))
    }
    return days
  }

  private static func archive(of days: [Day]) async throws -> TestArchive {
    var package = GeneratedPackage()
    for (number, day) in days.enumerated() {
      package.shows.append(
        .init(
          id: "show-\(number)", date: day.iso, venue: number % 5 == 0 ? "Club 5" : "Lantern Hall",
          city: "Boston", state: "MA", country: "USA", songs: ["Space", "Eight Miles", "12 8"]))
    }
    return try await TestArchive.containing(package)
  }

  private static func ids(_ test: TestArchive, where condition: String) throws -> [String] {
    try test.sql(
      "SELECT show_id FROM shows WHERE \(condition) ORDER BY date, show_sequence, show_id")
  }

  private static func expect(
    _ queries: [String], toFind ids: [String], in test: TestArchive
  ) async throws {
    for query in queries {
      let hits = try await test.archive.shows.search(query, limit: 1_000).rows
      #expect(hits.map(\.line.showID) == ids, "\(query)")
      #expect(!hits.contains { !$0.isExact }, "\(query)")
    }
  }

  @Test func eachSpellingOfADayFindsTheShowsOfThatDay() async throws {
    var random = SeededGenerator("spellings of days")
    let days = Self.dates(&random)
    let test = try await Self.archive(of: days)
    for day in days {
      let whole = try Self.ids(test, where: "date = '\(day.iso)'")
      try await Self.expect(Self.whole(day), toFind: whole, in: test)
      let ofCenturies = try Self.ids(test, where: "substr(date, 3) = '\(day.iso.dropFirst(2))'")
      try await Self.expect(Self.shortened(day), toFind: ofCenturies, in: test)
      let ofYears = try Self.ids(test, where: "substr(date, 6) = '\(day.iso.dropFirst(5))'")
      let name = Self.names[day.month - 1]
      try await Self.expect(
        [
          "\(day.month)/\(day.day)", "\(day.month)-\(day.day)", "\(name) \(day.day)",
          "\(day.day) \(name)",
        ], toFind: ofYears, in: test)
    }
  }

  @Test func eachSpellingOfAMonthAndOfAYearFindsItsShows() async throws {
    var random = SeededGenerator("spellings of months")
    let days = Self.dates(&random)
    let test = try await Self.archive(of: days)
    for day in days {
      let months = Self.months(day)
      let whole = try Self.ids(
        test, where: "year_month = '\(day.iso.prefix(7))'")
      try await Self.expect(months.whole, toFind: whole, in: test)
      let ofCenturies = try Self.ids(
        test, where: "substr(year_month, 3) = '\(day.iso.dropFirst(2).prefix(5))'")
      try await Self.expect(months.shortened, toFind: ofCenturies, in: test)
      try await Self.expect(
        ["\(day.year)"], toFind: try Self.ids(test, where: "year = \(day.year)"), in: test)
      if day.hasPlainYear {
        let short = day.year % 100
        try await Self.expect(
          ["\(short)", "'\(short)", "\u{2019}\(short)"],
          toFind: try Self.ids(test, where: "year % 100 = \(short)"), in: test)
      }
    }
  }

  /// A date that no calendar has is words.
  @Test(arguments: [
    "2/30/1977", "13/13/1977", "1977-02-30", "19771332", "May 32nd 1977", "5/8/977", "32/1977",
    "1977-05-00",
  ])
  func whatIsNotADayFindsNothing(_ query: String) async throws {
    let test = try await TestArchive.imported()
    #expect(try await test.found(query).isEmpty)
  }

  @Test func datesAndWordsAreFoundTogether() async throws {
    let test = try await TestArchive.imported()
    for query in ["lantern 5/8/1977", "May 8th, 1977 lantern", "hall 5/77 lantern", "lantern '77"] {
      #expect(try await test.found(query) == [ID.lanternHall], "\(query)")
    }
    #expect(try await test.found("civic 5/8/1977").isEmpty)
  }
}
