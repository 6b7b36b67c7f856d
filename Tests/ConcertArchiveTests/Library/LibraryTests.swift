import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "A library of shows keeps ratings, tags, notes, plays and pins as the person left them"))
struct LibraryTests {
  private func flags(_ test: TestArchive, _ show: String) throws -> [String] {
    try test.sql(
      "SELECT is_in_library, library_added_at IS (SELECT added_to_library_at FROM library_shows l "
        + "WHERE l.show_id = shows.show_id) FROM shows WHERE show_id = '\(show)'")
  }

  /// The library stands in two tables, which one event changes.
  @Test func bothTablesSayWhetherAShowIsInTheLibrary() async throws {
    let test = try await TestArchive.imported()
    let library = test.archive.library
    #expect(try flags(test, ID.barn) == ["0|1"])
    let added = try await library.add(ID.barn)
    #expect(added.events == 1)
    #expect(try flags(test, ID.barn) == ["1|1"])
    #expect(try await library.add(ID.barn).outcome == .unchanged)
    try await library.remove(ID.barn)
    #expect(try flags(test, ID.barn) == ["0|1"])
    #expect(try test.sql("SELECT count(*) FROM library_shows") == ["0"])
    #expect(try await library.remove(ID.barn).outcome == .unchanged)
  }

  @Test func whatIsNotInTheLibraryIsNotPinnedOrNoted() async throws {
    let test = try await TestArchive.imported()
    let library = test.archive.library
    await #expect(throws: NotInLibrary.self) { try await library.pin(ID.barn) }
    await #expect(throws: NotInLibrary.self) { try await library.note(ID.barn, "x") }
    await #expect(throws: NotInLibrary.self) { try await library.rate(ID.barn, 1) }
    await #expect(throws: NotInLibrary.self) { try await library.tag(ID.barn, ["x"]) }
    await #expect(throws: UnknownShow.self) { try await library.add("nowhere") }
    await #expect(throws: UnknownShow.self) { try await library.remove("nowhere") }
    await #expect(throws: UnknownShow.self) { try await library.pin("nowhere") }
    #expect(try test.sql("SELECT count(*) FROM library_shows") == ["0"])
  }

  /// The columns of the brief that packages say nothing of.
  @Test func ratingTagsAndTheLastPlayStandInTheLibrary() async throws {
    let test = try await TestArchive.imported()
    let library = test.archive.library
    try await library.add(ID.barn)
    #expect(
      try test.sql("SELECT custom_rating, last_accessed_at, tags FROM library_shows") == ["||"])
    try await library.rate(ID.barn, 4.5)
    try await library.tag(ID.barn, ["cold", "  road   trip ", "cold"])
    // A play of a show that is not in the library touches none of its rows.
    try await test.archive.recent.play(ID.lanternHall, seconds: 60, of: nil)
    #expect(try await library.show(ID.barn)?.lastAccessedAt == nil)
    try await test.archive.recent.play(ID.barn, seconds: 60, of: nil)
    let played = try #require(try await test.archive.recent.show(ID.barn)).lastPlayedTimestamp
    #expect(
      try test.sql("SELECT custom_rating, last_accessed_at, tags FROM library_shows") == [
        #"4.5|\#(played)|["cold","road trip"]"#
      ])
    let saved = try #require(try await library.list(limit: 9).rows.first)
    #expect(saved.tags == ["cold", "road trip"])
    #expect(saved.rating == 4.5)
    #expect(saved.lastAccessedAt == played)
    #expect(try await library.rate(ID.barn, 4.5).outcome == .unchanged)
    #expect(try await library.tag(ID.barn, ["cold", "road trip"]).outcome == .unchanged)
    try await library.rate(ID.barn, nil)
    try await library.tag(ID.barn, [])
    #expect(
      try test.sql("SELECT custom_rating IS NULL, tags IS NULL FROM library_shows") == ["1|1"])
    #expect(try await library.count() == 1)
  }

  @Test func whatIsNoRatingTagOrNoteIsRefused() async throws {
    let test = try await TestArchive.imported()
    let library = test.archive.library
    try await library.add(ID.barn)
    for rating in [-0.5, 5.1, .nan, .infinity] {
      await #expect(throws: RefusedInput.self) { try await library.rate(ID.barn, rating) }
    }
    for tag in [" ", "a\0b", String(repeating: "a", count: 1_025)] {
      await #expect(throws: RefusedInput.self) { try await library.tag(ID.barn, [tag]) }
    }
    await #expect(throws: RefusedInput.self) {
      try await library.note(ID.barn, String(repeating: "a", count: 65_537))
    }
    // Empty notes are none.
    #expect(try await library.note(ID.barn, "").outcome == .unchanged)
    #expect(try await library.rate(ID.barn, -0.0).events == 1)
    #expect(try test.sql("SELECT 1 / custom_rating FROM library_shows") == [""])
  }

  @Test func pinnedShowsComeFirstThenThoseAddedLast() async throws {
    let test = try await TestArchive.imported()
    let library = test.archive.library
    for show in [ID.barn, ID.lanternHall, ID.alameda] { try await library.add(show) }
    try await library.pin(ID.barn)
    try await library.note(ID.barn, "the cold one")
    #expect(
      try await library.list(limit: 9).rows.map(\.line.showID)
        == [ID.barn, ID.alameda, ID.lanternHall])
    #expect(try await library.list(limit: 9).rows[0].notes == "the cold one")
    #expect(try await library.list(isPinned: true, limit: 9).rows.map(\.line.showID) == [ID.barn])
    try await library.pin(ID.barn, false)
    try await library.note(ID.barn, nil)
    #expect(
      try await library.list(limit: 9).rows.map(\.line.showID)
        == [ID.alameda, ID.lanternHall, ID.barn])
    #expect(try test.sql("SELECT library_notes IS NULL FROM library_shows") == ["1", "1", "1"])
  }

  @Test(arguments: [
    (29.9, nil, false), (30, nil, true), (10, 300, false), (10, 20, true), (10, 20.1, false),
    (0, 0, false), (0, nil, false), (0.5, 1, true),
  ])
  func aPlayCountsFromThirtySecondsOrHalf(
    _ seconds: Double, _ total: Double?, _ counts: Bool
  ) async throws {
    let test = try await TestArchive.imported()
    let play = try await test.archive.recent.play(ID.barn, seconds: seconds, of: total)
    #expect((play.events == 1) == counts)
    #expect(try test.sql("SELECT count(*) FROM recent_shows") == [counts ? "1" : "0"])
  }

  /// One row a show: the first time stays, the last moves, the count grows.
  @Test func twoPlaysAreOneRow() async throws {
    let test = try await TestArchive.imported()
    let recent = test.archive.recent
    for show in [ID.barn, ID.lanternHall, ID.barn] {
      try await recent.play(show, seconds: 60, of: nil)
    }
    let rows = try await recent.list(limit: 9).rows
    #expect(rows.map(\.showID) == [ID.barn, ID.lanternHall])
    #expect(rows.map(\.totalPlayCount) == [2, 1])
    #expect(rows[0].lastPlayedTimestamp == rows[0].firstPlayedTimestamp + 2_000)
    // Whether it was long enough or not.
    for seconds in [2.0, 60] {
      await #expect(throws: UnknownShow.self) {
        try await recent.play("nowhere", seconds: seconds, of: nil)
      }
    }
    #expect(try await recent.mostPlayed(limit: 9).rows == rows)
  }

  /// "Clear history" hides rows: the plays stay in the log.
  @Test func whatIsClearedIsHiddenAndTheLogKeepsIt() async throws {
    let test = try await TestArchive.imported()
    let recent = test.archive.recent
    for show in [ID.barn, ID.lanternHall, ID.alameda] {
      try await recent.play(show, seconds: 60, of: nil)
    }
    try await recent.clear(show: ID.lanternHall)
    #expect(try await recent.list(limit: 9).rows.map(\.showID) == [ID.alameda, ID.barn])
    let last = try #require(try await recent.list(limit: 1).rows.first)
    try await recent.clear(before: Timestamp(milliseconds: last.lastPlayedTimestamp))
    #expect(try await recent.list(limit: 9).rows.map(\.showID) == [ID.alameda])
    try await recent.clear()
    #expect(try await recent.list(limit: 9).rows.isEmpty)
    #expect(try await recent.clear().outcome == .unchanged)
    let events = try Program(
      "bash", "-c", "zstd -dc '\(test.folder.file("archive/events"))'/*.zst | grep -c show.played")
    #expect(events.output == "3\n")
    #expect(try await recent.mostPlayed(limit: 9).rows.isEmpty)
    // Counting begins again.
    try await recent.play(ID.barn, seconds: 60, of: nil)
    #expect(try await recent.list(limit: 9).rows.map(\.totalPlayCount) == [1])
  }

  /// A recent show only names its show, which may be gone.
  @Test func aRecentShowOutlivesItsShow() async throws {
    let test = try await TestArchive.imported()
    try await test.archive.recent.play(ID.harborStage, seconds: 60, of: nil)
    try await test.archive.packages.apply(TestArchive.second, removesShows: true)
    #expect(try await test.archive.recent.list(limit: 9).rows.map(\.showID) == [ID.harborStage])
  }
}
