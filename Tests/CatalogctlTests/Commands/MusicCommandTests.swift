import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// `music refresh`, `music tracks` and `music history` of the real program, against a server on this machine.
@Suite(
  .promise(
    "A missing libcurl is an error of the first request, at once and with what to install",
    by: "`strace` hides the library"),
  .promise(
    "`music` commands show a playlist with its history, and what a server refuses changes "
      + "nothing"))
struct MusicCommandTests {
  /// Three parts, as a token has; the server takes any.
  static let token = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"

  private let server: AppleMusicServer
  private let catalog: TestCatalog
  private let entry = SampleSeed.id(1)

  init() async throws {
    server = try AppleMusicServer()
    catalog = try await TestCatalog.imported()
  }

  private func music(_ arguments: String..., token: String = token) async throws -> Outcome {
    try await Program.catalogctl(
      ["music"] + arguments + ["--catalog", catalog.path],
      environment: [
        "APPLE_MUSIC_API": server.address, "APPLE_MUSIC_TOKEN": token, "APPLE_MUSIC_KEY_FILE": "",
      ])
  }

  /// As every program over libcurl does. Linux only: elsewhere the system's settings count.
  #if os(Linux)
    @Test func theProxyOfTheEnvironmentIsAsked() async throws {
      let proxy = try FaultServer { _ in .response(status: 403) }
      let refreshed = try await Program.catalogctl(
        ["music", "refresh", entry, "--catalog", catalog.path],
        environment: [
          "APPLE_MUSIC_API": "https://music.example.test", "APPLE_MUSIC_TOKEN": Self.token,
          "https_proxy": proxy.address(), "no_proxy": "",
        ])
      #expect(refreshed.status == 1)
      #expect(proxy.requests.first?.method == "CONNECT")
      #expect(proxy.requests.first?.target == "music.example.test:443")
    }

    @Test(.enabled(if: Strace.works, "strace cannot trace here"))
    func aMissingLibraryIsNamedAtOnce() async throws {
      // The same files under both names of their folder: /lib is a link.
      let known = try await Program.run("/sbin/ldconfig", ["-p"])
      let libraries = known.lines.filter { $0.contains("libcurl") }.compactMap {
        $0.split(separator: " ").last.map(String.init)
      }
      try #require(!libraries.isEmpty)
      let refreshed = try await Program.run(
        "strace",
        ["-f", "-o", "/dev/null", "-e", "trace=openat", "-e", "inject=openat:error=ENOENT"]
          + libraries.flatMap { ["-P", $0, "-P", "/usr\($0)"] }
          + [Program.catalogctl, "music", "refresh", entry, "--catalog", catalog.path],
        environment: ["APPLE_MUSIC_API": server.address, "APPLE_MUSIC_TOKEN": Self.token])
      #expect(refreshed.status == 1)
      #expect(refreshed.errors.contains("libcurl is not installed"), "\(refreshed)")
      #expect(refreshed.errors.contains("apt-get install libcurl4"))
      #expect(!refreshed.errors.contains("times without progress"))
    }
  #endif

  @Test func aPlaylistIsReadAndItsHistoryTold() async throws {
    var playlist = ServedPlaylist(id: "pl.sample-1", numbers: 1...3)
    server.publish(playlist)
    let first = try await music("refresh", entry, "--tracks")
    #expect(first.status == 0)
    #expect(first.lines == ["\(entry)  pl.sample-1  appended 2 events, 3 tracks"])
    let then = try await catalog.head().sequence
    #expect(
      try await music("refresh", entry, "--tracks").lines
        == ["\(entry)  pl.sample-1  nothing new, 3 tracks"])
    playlist.tracks = [2, 3, 1, 7].flatMap { ServedPlaylist(id: "", numbers: $0...$0).tracks }
    server.publish(playlist)
    #expect(try await music("refresh", entry, "--tracks").status == 0)

    let tracks = try await music("tracks", entry)
    #expect(
      tracks.lines == [
        "   1  1000002  An Artist – Track 2", "   2  1000003  An Artist – Track 3",
        "   3  1000001  An Artist – Track 1", "   4  1000007  An Artist – Track 7",
      ])
    #expect(tracks.errors.hasPrefix("4 tracks, read at "))
    #expect(
      try await music("tracks", entry, "--at", "\(then)").lines.map { $0.suffix(7) }
        == ["Track 1", "Track 2", "Track 3"])
    let early = try await music("tracks", entry, "--at", "1")
    #expect(early.status == 1 && early.errors.contains("never had a playlist"))

    let history = try await music("history", entry)
    #expect(history.lines.count == 8, "\(history)")
    #expect(history.lines[1].hasSuffix("pl.sample-1: 3 tracks, +3 -0 ~0"))
    #expect(history.lines[5].hasSuffix("pl.sample-1: 4 tracks, +1 -0 ~1"))
    #expect(history.lines[6] == "  + 4  1000007  An Artist – Track 7")
    #expect(history.lines[7] == "  ~ 1 → 3  1000001  An Artist – Track 1")
    for command in ["tracks", "history"] {
      let named = try await music(command, "song", "1")
      #expect(try await music(command, entry).output == named.output, "\(named)")
      let none = try await music(command, "nope")
      #expect(none.status == 64 && none.errors.contains("is called \"nope\""), "\(none)")
    }
    let schemas = try await Program.run(
      "\(Program.package)/Tools/check-events", [catalog.events])
    #expect(schemas.status == 0, "\(schemas)")
    server.stop()
  }

  @Test func allEntriesAreAskedAndWhatIsNotFoundStaysListed() async throws {
    server.publish(ServedPlaylist(id: "pl.sample-2", numbers: 1...1))
    let refresh = try await music("refresh")
    #expect(refresh.status == 0 && refresh.lines.count == 4)
    #expect(
      refresh.lines.count { $0.contains("not in storefront us: 404 40400 Resource Not Found") } == 3
    )
    let list = try await music("list")
    #expect(list.lines.count == 4)
    #expect(list.lines.count { $0.contains("(not in storefront us: 404 40400") } == 3)
    // What was found once is not told again.
    #expect(try await music("refresh").lines.allSatisfy { $0.contains("nothing new") })
    server.withdraw(ServedPlaylist(id: "pl.sample-2", numbers: 1...1))
    #expect(try await music("refresh").lines.count { $0.contains("gone: 404 40400") } == 1)
    server.stop()
  }

  @Test func whatIsRefusedSaysWhyAndChangesNothing() async throws {
    let head = try await catalog.head()
    server.accept(tokens: [])
    let refused = try await music("refresh", entry)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("401") && !refused.errors.contains(Self.token))
    let none = try await music("refresh", token: "")
    #expect(none.status == 1 && none.errors.contains("set APPLE_MUSIC_TOKEN"))
    let sound = try await music("refresh", SampleSeed.id(201))
    #expect(sound.status == 1 && sound.errors.contains("has no playlist"))
    #expect(try await music("refresh", "--storefront", "USA").status == 64)
    #expect(try await music("tracks", entry).errors.contains("catalogctl music refresh --tracks"))
    #expect(try await catalog.head() == head)
    server.stop()
  }
}
