import AppleMusic
import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import EventLog
import Foundation
import Synchronization
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// A catalog with one music entry, and a server that has its playlist.
struct MusicFixture {
  static let playlist = "pl.refreshed"

  let scratch: ScratchCatalog
  let catalog: SoundLibrary
  let server: AppleMusicServer
  let transport: CurlTransport
  let seed: TestSeed
  let item: UUID
  let title: String
  let importedEvents: Int

  var repository: MusicRepository { catalog.music }

  /// Each look at it is a second later.
  private static func clock() -> CatalogClock {
    let ticks = Mutex(Int64(1_767_225_600_000))
    return CatalogClock {
      ticks.withLock {
        $0 += 1_000
        return Timestamp(milliseconds: $0)
      }
    }
  }

  fileprivate init(usesSnapshots: Bool) async throws {
    server = try AppleMusicServer()
    transport = CurlTransport()
    scratch = try ScratchCatalog()
    var seed = TestSeed.sample()
    seed.music[0].appleMusicPlaylistId = Self.playlist
    seed.music[0].useSnapshot = usesSnapshots
    self.seed = seed
    item = try #require(UUID(uuidString: seed.music[0].id))
    title = seed.music[0].title
    let service = try Self.service(server, transport, storefront: "us")
    catalog = try await scratch.open {
      $0.music = service
      $0.clock = Self.clock()
    }
    try await catalog.importer.applyUpdates(seed.source)
    importedEvents = Int(try scratch.head?.sequence ?? 0)
  }

  private static func service(
    _ server: AppleMusicServer, _ transport: CurlTransport, storefront: String
  ) throws -> MusicService {
    var policy = DownloadPolicy()
    policy.pauses = (first: .milliseconds(1), longest: .milliseconds(2))
    let token = try FixedDeveloperToken("eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl")
    return MusicService(
      client: try AppleMusicClient(
        transport: transport, tokens: token, baseURL: server.address, policy: policy),
      storefront: storefront)
  }

  /// The catalog once more, asking another storefront.
  func reopened(storefront: String = "us") async throws -> SoundLibrary {
    let service = try Self.service(server, transport, storefront: storefront)
    return try await scratch.open { $0.music = service }
  }

  /// Asks another storefront for the same open catalog.
  func refresher(storefront: String) throws -> PlaylistRefresher {
    PlaylistRefresher(catalog, try Self.service(server, transport, storefront: storefront))
  }

  func entry() async throws -> MusicEntry {
    try #require(try await repository.listMusicEntries().first { $0.id == item })
  }

  func events(_ isCounted: (SoundEvent) -> Bool) throws -> Int {
    var count = 0
    let replay = try EventReplay(catalog.log)
    while try replay.nextRecords({ if isCounted($0.event) { count += 1 } }) != nil {}
    return count
  }

  /// The rows are what a projector in another language makes of the log, and a rebuild changes nothing.
  func expectReplays() async throws {
    let before = try await catalog.receipt()
    let reducer = try scratch.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output) \(reducer.errors)")
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before)
  }
}

/// Runs a test with a catalog and a server, and ends both.
func withMusic(
  usesSnapshots: Bool = true, _ body: (MusicFixture) async throws -> Void
) async throws {
  let music = try await MusicFixture(usesSnapshots: usesSnapshots)
  do {
    try await body(music)
  } catch {
    music.catalog.close()
    music.server.stop()
    music.transport.shutdown()
    throw error
  }
  music.catalog.close()
  music.server.stop()
  music.transport.shutdown()
}
