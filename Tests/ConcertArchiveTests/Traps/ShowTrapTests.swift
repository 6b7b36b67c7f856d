import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// What real packages hold that the brief does not expect, each on the hand-written one.
@Suite(
  .promise("What real packages of concerts contain is shown as it is meant"))
struct ShowTrapTests {
  /// The set list's `segue` is null in every package: unknown is left out, and is not false.
  @Test func anUnknownSegueIsLeftOut() async throws {
    let test = try await TestArchive.imported()
    #expect(
      try test.sql("SELECT setlist_raw FROM shows WHERE show_id = '\(ID.barn)'") == [
        #"[{"set":"Set 1","songs":[{"name":"Tin-a-Roe"}]}]"#
      ])
    #expect(try test.sql("SELECT count(*) FROM shows WHERE setlist_raw LIKE '%segue%'") == ["0"])
    // A set without a name has none.
    #expect(
      try test.sql("SELECT setlist_raw FROM shows WHERE show_id = '\(ID.alameda)'")[0]
        .hasSuffix(#"{"songs":[{"name":"Drums"}]}]"#))
  }

  @Test func aKnownSegueIsKept() async throws {
    let test = try await TestArchive()
    let package = try test.package {
      try $0.replace(
        #""segue_into_next": null"#, #""segue_into_next": true"#, in: "shows/\(ID.barn).json")
    }
    try await test.archive.packages.apply(package)
    #expect(
      try test.sql("SELECT setlist_raw FROM shows WHERE show_id = '\(ID.barn)'") == [
        #"[{"set":"Set 1","songs":[{"name":"Tin-a-Roe","segue":true}]}]"#
      ])
  }

  /// Songs hold commas and stars: the list cannot be split again.
  @Test func songsWithCommasAndStarsAreKept() async throws {
    let test = try await TestArchive.imported()
    #expect(
      try test.sql("SELECT song_list FROM shows WHERE show_id = '\(ID.lanternHall)'") == [
        "Half-Step Lullaby,Marlo-O,Fire, Wind, and Rain,River Song*,Marlo-O,"
          + "Fire, Wind, and Rain,River Song*"
      ])
  }

  /// Early before none before late, whatever the ids say.
  @Test func theShowsOfADayAreInTheOrderOfTheirTimes() async throws {
    let test = try await TestArchive.imported()
    let day = try await test.archive.shows.list(.onThisDay("02-13"), limit: 10).rows
    #expect(day.map(\.showID) == [ID.zephyrRoom, ID.mercuryRoom, ID.apolloRoom])
    #expect(day.map(\.showSequence) == [1, 2, 3])
  }

  /// The package says no country for them: DEFAULT 'USA' would be wrong.
  @Test func aStateThatIsACountryIsTheCountry() async throws {
    let test = try await TestArchive.imported()
    #expect(
      try test.sql(
        "SELECT city, state, country FROM shows WHERE state > 'Z' OR state = 'Jamaica' ORDER BY 1")
        == ["Kingston|Jamaica|Jamaica"])
    #expect(
      try test.sql("SELECT state, country FROM shows WHERE city = 'Stockholm'") == [
        "Sweden|Sweden"
      ])
    // A show without a state.
    #expect(
      try test.sql("SELECT country FROM shows WHERE state IS NULL") == ["Denmark"])
  }

  /// `recordings` has room for one show; the link table has both.
  @Test func aRecordingOfTwoShowsBelongsToTheFirst() async throws {
    let test = try await TestArchive.imported()
    let shared = "lk1970-02-13.all.hart.51"
    #expect(
      try test.sql("SELECT show_id FROM recordings WHERE identifier = '\(shared)'") == [
        ID.zephyrRoom
      ])
    #expect(
      try test.sql(
        "SELECT show_id FROM projection_show_recording WHERE identifier = '\(shared)' ORDER BY 1")
        == [ID.apolloRoom, ID.zephyrRoom])
  }

  /// 209 of a real package: they have no row, and are not passed over in silence.
  @Test func recordingsThatNoShowListsAreReported() async throws {
    let test = try await TestArchive()
    let report = try await test.archive.packages.apply(TestArchive.first)
    #expect(
      report.package.unlisted
        == ["lk1966-11-00.sbd.unknown.900", "lk1973-00-00.studio.rehearsal.901"])
    #expect(try test.sql("SELECT count(*) FROM recordings") == ["14"])
  }

  @Test func ratingsAreKeptToTheLastDigit() async throws {
    let test = try await TestArchive.imported()
    let show = try #require(try await test.archive.shows.show(ID.alameda))
    #expect(show.averageRating == 2.2738095238095237)
    #expect(
      try test.sql(
        "SELECT printf('%!.17g', rating) FROM recordings WHERE identifier = 'lk1971-12-05.fm.lund.77'"
      ) == ["3.4285714285714284"])
    // No ratings are not the rating 0.
    #expect(
      try test.sql("SELECT average_rating IS NULL FROM shows WHERE show_id = '\(ID.harborStage)'")
        == ["1"])
  }

  /// One id contains the other: LIKE on the JSON of a collection finds both.
  @Test func aShowWhoseIdContainsAnotherIsNotIt() async throws {
    let test = try await TestArchive.imported()
    #expect(
      try test.sql(
        "SELECT collection_id FROM projection_collection_show WHERE show_id = '\(ID.barn)'"
      ).isEmpty)
    #expect(
      try test.sql("SELECT count(*) FROM collections WHERE show_ids_json LIKE '%\(ID.barn)%'")
        == ["1"])
  }
}
