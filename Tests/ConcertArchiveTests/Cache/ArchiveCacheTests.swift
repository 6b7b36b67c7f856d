import CatalogTestSupport
import ConcertArchive
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Synchronization
import Testing

@Suite(
  .promise(
    "The cache of an archive asks once a day for each recording, shows an older file if no "
      + "new one comes, and keeps no broken one"))
struct ArchiveCacheTests {
  private static let recording = "lk1977-05-09.mtx.lund.7"
  private static let answer = """
    {"metadata": {"identifier": "x"}, "reviews": [{"stars": "5"}], "files": [
      {"name": "d1t01.flac", "title": "Tin-a-Roe", "track": "01", "format": "Flac", "length": "4:32"},
      {"name": "d1t01.mp3", "track": 1}, {"name": "cover.jpg"}, {"title": "no name"}]}
    """

  /// A server that counts, and says what a test wants.
  private final class Server: Sendable {
    let asked = Mutex<[String]>([])
    var addresses: [String] { asked.withLock { $0 } }
    var count: Int { addresses.count }

    let answer = Mutex<(status: Int, text: String)>((200, ArchiveCacheTests.answer))

    var service: ArchiveService {
      var policy = DownloadPolicy()
      policy.attempts = 1
      policy.pauses = (.zero, .zero)
      return ArchiveService(
        address: "https://archive.example/",
        transport: ScriptedTransport { request in
          self.asked.withLock { $0.append(request.address) }
          let (status, text) = self.answer.withLock { $0 }
          if status == 0 { throw TransportFailure(.unreachable, "no network") }
          return TransportResponse(
            status: status, headers: [.init("Content-Type", "application/json")],
            body: ScriptedBody(chunks: [Array(text.utf8)]))
        }, policy: policy)
    }
  }

  private func cache(
    _ server: Server, in folder: ScratchFolder, later: Int64 = 0
  ) -> ArchiveCache {
    ArchiveCache(
      folder: folder.path, service: server.service,
      clock: CatalogClock {
        Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000) + later * 1_000)
      })
  }

  @Test func oneRequestGivesThreeFilesOfTheBriefsNames() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    let cache = cache(server, in: folder)
    let tracks = try await cache.tracks(of: Self.recording)
    #expect(tracks.map(\.name) == ["d1t01.flac", "d1t01.mp3"])
    #expect(tracks.map(\.track) == ["01", "1"])
    for part in RecordingPart.allCases {
      _ = try await cache.document(part, of: Self.recording)
      #expect(folder.exists("archive/\(Self.recording).\(part.rawValue).json"))
    }
    #expect(server.addresses == ["https://archive.example/metadata/\(Self.recording)"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("archive")).count == 3)
  }

  /// A blank title is none, and a file that was made from another one has the other's title.
  @Test func aTrackHasTheTitleOfItsOriginal() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    server.answer.withLock {
      $0.text = """
        {"metadata": {"identifier": "x"}, "files": [
          {"name": "t1.flac", "title": " "}, {"name": "t1.mp3", "original": "t1.flac", "title": ""},
          {"name": "t2.mp3", "original": "t2.shn"}, {"name": "t2.shn", "title": "Row"},
          {"name": "t3.mp3", "original": "t2.shn", "title": "Own"}, {"name": "t4.mp3", "original": "no.flac"}]}
        """
    }
    let tracks = try await cache(server, in: folder).tracks(of: Self.recording)
    #expect(tracks.map(\.title) == [nil, nil, "Row", "Row", "Own", nil])
  }

  @Test func aFileIsGoodForADay() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    _ = try await cache(server, in: folder).tracks(of: Self.recording)
    _ = try await cache(server, in: folder, later: 24 * 3_600 - 60).tracks(of: Self.recording)
    #expect(server.count == 1)
    _ = try await cache(server, in: folder, later: 24 * 3_600 + 60).tracks(of: Self.recording)
    #expect(server.count == 2)
    // A file from the future: a clock was wrong.
    _ = try await cache(server, in: folder, later: -60).tracks(of: Self.recording)
    #expect(server.count == 3)
    _ = try await cache(server, in: folder).tracks(of: Self.recording, refreshing: true)
    #expect(server.count == 4)
  }

  @Test func anOldFileIsBetterThanNoneAndSaysSo() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    _ = try await cache(server, in: folder).tracks(of: Self.recording)
    server.answer.withLock { $0 = (0, "") }
    let later = cache(server, in: folder, later: 48 * 3_600)
    let document = try await later.document(.tracks, of: Self.recording)
    #expect(document.isStale)
    await #expect(throws: DownloadFailure.self) {
      _ = try await later.document(.tracks, of: "other")
    }
  }

  @Test(arguments: [
    (200, "{}"), (200, "[]"), (200, "{\"files\": []}"), (200, "not JSON"),
    (200, "{\"a\":1,\"a\":2}"),
    (404, "{}"), (500, ""), (200, ""),
  ])
  func anAnswerThatIsNoneIsAnErrorAndLeavesNoFile(_ status: Int, _ text: String) async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    server.answer.withLock { $0 = (status, text) }
    await #expect(throws: (any Error).self) {
      _ = try await cache(server, in: folder).tracks(of: Self.recording)
    }
    #expect(!folder.exists("archive"))
  }

  /// Nothing is asked, and no file outside of the cache is read or written.
  @Test(arguments: ["../x", "..", "", "a/b", ".x", "a b", "a\u{0}"])
  func anIdentifierThatIsNotAFileNameIsRefused(_ identifier: String) async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    await #expect(throws: ArchiveCacheError.notAnIdentifier(identifier)) {
      _ = try await cache(server, in: folder).tracks(of: identifier)
    }
    #expect(server.count == 0)
  }

  @Test func aFileThatWasCutIsFetchedAgainAndALinkIsReplaced() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    let cache = cache(server, in: folder)
    _ = try await cache.tracks(of: Self.recording)
    let name = "archive/\(Self.recording).tracks.json"
    try folder.write("[{\"na", to: name)
    #expect(try await cache.tracks(of: Self.recording).count == 2)
    try folder.write("[]", to: "outside.json")
    try FileManager.default.removeItem(atPath: folder.file(name))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(name), withDestinationPath: folder.file("outside.json"))
    #expect(try await cache.tracks(of: Self.recording).count == 2)
    #expect(try folder.bytes("outside.json") == Array("[]".utf8))
    #expect(server.count == 3)
  }

  @Test func expiredFilesAreRemovedAndOthersNot() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    _ = try await cache(server, in: folder).tracks(of: Self.recording)
    try folder.write("x", to: "archive/notes.txt")
    #expect(try cache(server, in: folder).removeExpired() == 0)
    #expect(try cache(server, in: folder, later: 25 * 3_600).removeExpired() == 3)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("archive")) == ["notes.txt"])
  }

  @Test func manyWhoAskForOneRecordingAskOnce() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    let cache = cache(server, in: folder)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await cache.tracks(of: Self.recording).count } }
      for try await count in group { #expect(count == 2) }
    }
    #expect(server.count == 1)
  }

  /// Two shows on each side, the best recording of each; a show without recordings has none.
  @Test func neighboursAreFetchedBeforeSomebodyAsks() async throws {
    let (server, folder) = (Server(), try ScratchFolder())
    let test = try await TestArchive.imported()
    let cache = cache(server, in: folder)
    let (recordings, failures) = try await test.archive.prefetch(
      around: ID.lanternHall, into: cache)
    #expect(
      recordings == [
        "lk1974-07-19.aud.pell.62", "lk1977-05-09.mtx.lund.7", "lk1977-11-06.sbd.hart.15",
      ])
    #expect(failures.isEmpty)
    #expect(server.count == 3)
    try await test.archive.prefetch(around: ID.lanternHall, into: cache)
    #expect(server.count == 3)
  }
}
