import CatalogEngine
import CatalogTestSupport
import Foundation
import KindConformance
import PastViewsTestSupport
import Promises
import Testing

@testable import ConcertArchive

@Suite(
  .promise(
    "The views that other programs use over a history have the rows of each moment, or fail"),
  .promise(
    "A kind keeps what the engine promises of all kinds, and a kind that does not is found"))
struct ConcertConformanceTests {
  /// The program that is built with these tests.
  private var catalogctl: String { BuiltProgram.path("catalogctl") }

  @Test func concertArchivesKeepWhatTheEnginePromises() async throws {
    let findings = try await KindConformance(
      ConcertArchiveKind(), batches: Self.batches(), program: catalogctl
    ).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  /// Statements in Python over the views have the answers of the databases that replays make.
  @Test func plainViewsShowEachMoment() throws {
    let folder = try ScratchFolder()
    let trial = try ViewsTrial.catalog(ConcertArchiveKind(), Self.batches(), in: folder)
    let found = try trial.compare(
      moments: 50, statements: Sample.count(2, of: 10), label: "views of concerts")
    #expect(found.contains(" statements, "), "\(found)")
  }

  /// All events, contradictions among them.
  private static func batches() throws -> [[ConcertEvent]] {
    let first = try PackageFolder(TestArchive.first).read()
    let second = try PackageFolder(TestArchive.second).read()
    func events(_ package: ConcertPackage) -> [ConcertEvent] {
      package.shows.map { .showUpserted($0) } + package.recordings.map { .recordingUpserted($0) }
        + package.collections.map { .collectionUpserted($0) } + [.packageImported(package.imported)]
    }
    var segue = first.shows[0]
    segue.setlist = [ConcertSet(name: nil, songs: [Song(name: "Untitled*", segue: true)])]
    segue.showTime = .late
    return [
      events(first),
      [
        .libraryShowAdded(ID.lanternHall), .libraryShowAdded(ID.barn),
        .libraryShowPinned(ID.lanternHall, true), .libraryShowNoted(ID.barn, "cold, but short"),
        .libraryShowRated(ID.barn, 4.5), .libraryShowTagged(ID.barn, ["winter", "étude"]),
      ],
      [.showPlayed(ID.lanternHall), .showPlayed(ID.barn)],
      [.showPlayed(ID.lanternHall), .libraryShowTagged(ID.barn, [])],
      // What contradicts the rows changes nothing.
      [.libraryShowAdded("nowhere"), .showPlayed("nowhere"), .recordingRemoved("nothing")],
      [
        .collectionRemoved("best-of-boston"), .recordingRemoved("lk1977-05-08.aud.pell.102.flac16"),
      ],
      events(second) + [.showUpserted(segue)],
      [
        .showRemoved(ID.barn), .libraryShowNoted(ID.lanternHall, nil),
        .libraryShowRated(ID.lanternHall, nil),
      ],
      [.showRemoved(ID.zephyrRoom), .libraryShowRemoved(ID.lanternHall)],
      [
        .recentCleared(.show(ID.barn)),
        .recentCleared(.before(Timestamp(milliseconds: 1_900_000_000_000))),
      ],
    ]
  }
}
