import CatalogEngine
import CatalogTestSupport
import Foundation
import KindConformance
import Testing

@testable import ConcertArchive

@Suite struct ConcertConformanceTests {
  /// The program that is built with these tests.
  private var catalogctl: String { BuiltProgram.path("catalogctl") }

  @Test func concertArchivesKeepWhatTheEnginePromises() async throws {
    let first = try PackageFolder(TestArchive.first).read()
    let second = try PackageFolder(TestArchive.second).read()
    func events(_ package: ConcertPackage) -> [ConcertEvent] {
      package.shows.map { .showUpserted($0) } + package.recordings.map { .recordingUpserted($0) }
        + package.collections.map { .collectionUpserted($0) } + [.packageImported(package.imported)]
    }
    var segue = first.shows[0]
    segue.setlist = [ConcertSet(name: nil, songs: [Song(name: "Untitled*", segue: true)])]
    segue.showTime = .late
    let batches: [[ConcertEvent]] = [
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
    let findings = try await KindConformance(
      ConcertArchiveKind(), batches: batches, program: catalogctl
    ).findings()
    #expect(findings.isEmpty, "\(findings)")
  }
}
