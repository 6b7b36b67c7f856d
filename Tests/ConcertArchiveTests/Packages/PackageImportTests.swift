import CatalogEngine
import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "A package of concerts is imported once, an update keeps what a person added, and an "
      + "older package is refused"))
struct PackageImportTests {
  @Test func aPackageIsImportedOnce() async throws {
    let test = try await TestArchive()
    let report = try await test.archive.packages.apply(TestArchive.first)
    #expect(report.outcome == .imported)
    #expect(report.eventCount == 33)
    #expect(report.events["show.upserted"] == 14)
    let again = try await test.archive.packages.apply(TestArchive.first)
    #expect(again.outcome == .unchanged)
    #expect(again.eventCount == 0)
    #expect(again.sequence == report.sequence)
  }

  /// A package may be named by a file URL, and an archive and its export, too.
  @Test func placesAreNamedByFileURLs() async throws {
    let test = try await TestArchive()
    let package = URL(filePath: TestArchive.first, directoryHint: .isDirectory)
    #expect(try await test.archive.packages.plan(package).outcome == .planned)
    #expect(try await test.archive.packages.apply(package).eventCount == 33)
    let parent = URL(filePath: test.folder.path, directoryHint: .isDirectory)
    let report = try await test.archive.export(to: parent.appending(path: "An export, 100 %"))
    #expect(
      report.findings.isEmpty && report.documents.contains { $0.path.hasSuffix("/manifest.json") })
    let other = try await ConcertArchive.open(parent.appending(path: "other"))
    defer { other.close() }
    let again = try await other.packages.apply(test.folder.file("An export, 100 %"))
    #expect(again.eventCount == 33)
    let web = try #require(URL(string: "https://example.com/package"))
    let error = await #expect(throws: DocumentError.self) {
      try await test.archive.packages.apply(web)
    }
    #expect(
      error?.description.contains("https://example.com/package: it is not a file URL") == true)
  }

  @Test func aDryRunSaysWhatWouldChangeAndChangesNothing() async throws {
    let test = try await TestArchive.imported()
    let before = try test.sql("SELECT * FROM shows")
    let plan = try await test.archive.packages.plan(TestArchive.second)
    #expect(plan.outcome == .planned)
    #expect(plan.events["collection.removed"] == 1)
    #expect(plan.events["recording.removed"] == 1)
    #expect(plan.events["show.removed"] == 0)
    #expect(plan.keptShows == 1)
    #expect(try test.sql("SELECT * FROM shows") == before)
    let report = try await test.archive.packages.apply(TestArchive.second)
    #expect(report.events == plan.events)
  }

  @Test func anUpdateKeepsWhatAPersonAdded() async throws {
    let test = try await TestArchive.imported()
    try await test.archive.library.add(ID.lanternHall)
    try await test.archive.library.pin(ID.lanternHall)
    try await test.archive.library.note(ID.lanternHall, "the harvest one")
    try await test.archive.recent.play(ID.lanternHall, seconds: 40, of: nil)
    let library = try test.sql("SELECT * FROM library_shows")
    try await test.archive.packages.apply(TestArchive.second)
    #expect(try test.sql("SELECT * FROM library_shows") == library)
    #expect(
      try test.sql(
        "SELECT is_in_library, library_added_at = (SELECT added_to_library_at FROM library_shows) "
          + "FROM shows WHERE show_id = '\(ID.lanternHall)'") == ["1|1"])
    #expect(try test.sql("SELECT total_play_count FROM recent_shows") == ["1"])
  }

  @Test func showsThatAPackageLacksStayUntilTheyAreToBeRemoved() async throws {
    let test = try await TestArchive.imported()
    try await test.archive.library.add(ID.harborStage)
    try await test.archive.packages.apply(TestArchive.second)
    #expect(try await test.archive.shows.show(ID.harborStage) != nil)
    // Its recording, which the package lacks too, stays with it.
    #expect(
      try test.sql("SELECT count(*) FROM recordings WHERE show_id = '\(ID.harborStage)'") == ["1"])
    let report = try await test.archive.packages.apply(TestArchive.second, removesShows: true)
    #expect(report.lostFromLibrary == [ID.harborStage])
    #expect(report.events == ["show.removed": 1, "recording.removed": 1])
    for table in ["shows", "recordings", "library_shows", "projection_show_recording"] {
      #expect(
        try test.sql("SELECT count(*) FROM \(table) WHERE show_id = '\(ID.harborStage)'") == ["0"])
    }
    #expect(try await test.found("jamaica").isEmpty)
    // No foreign key is left without its row.
    #expect(try test.sql("PRAGMA foreign_key_check").isEmpty)
  }

  /// A show moves to another day between two packages: both days are numbered anew.
  @Test func aShowThatChangesItsDateIsNumberedOnItsNewDay() async throws {
    let test = try await TestArchive.imported()
    try await test.archive.library.add(ID.mercuryRoom)
    let package = try test.package {
      try $0.replace(
        "\"date\": \"1970-02-13\"", "\"date\": \"1969-01-05\"", in: "shows/\(ID.mercuryRoom).json")
    }
    let report = try await test.archive.packages.apply(package)
    #expect(report.events["show.upserted"] == 1)
    let numbered = "SELECT show_id || ' ' || show_sequence FROM shows WHERE date = "
    #expect(
      try test.sql(numbered + "'1970-02-13' ORDER BY show_sequence") == [
        "\(ID.zephyrRoom) 1", "\(ID.apolloRoom) 2",
      ])
    #expect(
      try test.sql(numbered + "'1969-01-05' ORDER BY show_sequence")
        == ["\(ID.barn) 1", "\(ID.mercuryRoom) 2", "\(ID.lateBarn) 3"])
    #expect(try await test.found("1-5-69").contains(ID.mercuryRoom))
    #expect(try await test.archive.library.show(ID.mercuryRoom) != nil)
    #expect(try await test.archive.packages.apply(package).outcome == .unchanged)
  }

  /// Each of two shows has the other's recording now: neither row is lost on the way.
  @Test func recordingsThatTwoShowsSwapMoveWithTheirRows() async throws {
    let test = try await TestArchive.imported()
    let (first, second) = ("lk1977-05-08.sbd.hart.101.flac16", "lk1977-05-09.mtx.lund.7")
    let package = try test.package {
      try $0.replace("\"\(first)\"", "\"\(second)\"", in: "shows/\(ID.lanternHall).json")
      try $0.replace("\"\(second)\"", "\"\(first)\"", in: "shows/\(ID.civicArena).json")
    }
    try await test.archive.packages.apply(package)
    #expect(
      try test.sql(
        "SELECT show_id FROM recordings WHERE identifier IN ('\(first)', '\(second)') ORDER BY identifier"
      ) == [ID.civicArena, ID.lanternHall])
    #expect(try test.sql("SELECT count(*) FROM recordings") == ["14"])
    #expect(try await test.archive.packages.apply(package).outcome == .unchanged)
  }

  @Test func theVersionIsThatOfTheLastPackage() async throws {
    let test = try await TestArchive.imported()
    try await test.archive.packages.apply(TestArchive.second)
    let version = try #require(try await test.archive.shows.version())
    #expect(version.dataVersion == "1.1.0")
    #expect(version.totalShows == 13)
    #expect(version.gitTag == "data-v1.1.0")
    #expect(try test.sql("SELECT count(*), min(id) FROM data_version") == ["1|1"])
  }

  /// The hash that anybody can compute without this program.
  @Test func theHashIsThatOfSha256sum() async throws {
    let test = try await TestArchive()
    let report = try await test.archive.packages.apply(TestArchive.first)
    let sum = try Program(
      "bash", "-c",
      "find manifest.json collections.json shows recordings -type f | LC_ALL=C sort "
        + "| xargs sha256sum | sha256sum", in: TestArchive.first)
    #expect(sum.output.hasPrefix(report.package.sha256))
  }
}
