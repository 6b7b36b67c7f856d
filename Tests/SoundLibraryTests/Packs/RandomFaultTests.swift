import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import Foundation
import Promises
import Synchronization
import Testing

@testable import SoundLibrary

/// Random faults of the server and random wishes of the user: whatever comes of them, what is installed is
/// right, progress goes forward, what is deleted is gone, and the log replays to the live database.
@Suite(
  .promise(
    "Installed means that the hash is right, progress goes forward, deleted means gone",
    by: "random faults of the server and random wishes of the user"))
struct RandomFaultTests {
  @Test func whateverHappensWhatIsInstalledIsRight() async throws {
    var seeds = SeededGenerator("RandomFaultTests")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<Sample.count(12, of: 24) {
        if index >= 3 { try await group.next() }
        let seed = seeds.next()
        group.addTask { try await History(seed: seed).run() }
      }
      try await group.waitForAll()
    }
  }
}

private final class History: Sendable {
  private let seed: UInt64
  private let server: PackServer
  private let random: Mutex<SeededGenerator>
  private let library: PackLibrary
  private let first: ServedPack
  private let note: Comment

  init(seed: UInt64) async throws {
    self.seed = seed
    note = "history \(seed)"
    var random = SeededGenerator(seed: seed)
    first = ServedPack(
      sizes: (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Int.random(in: 1...120_000, using: &random)
      })
    self.random = Mutex(random)
    server = try PackServer([first])
    library = try await PackLibrary([first], at: server.address)
    let faulty: FaultServer.Handler = { [weak self] in self?.reply(to: $0) ?? .init(.close) }
    for asset in first.assets { server.script("/\(asset.name)", faulty) }
    server.script("/\(first.manifestName)", faulty)
  }

  private func pick(_ range: Range<Int>) -> Int {
    random.withLock { Int.random(in: range, using: &$0) }
  }

  /// Right more often than not.
  private func reply(to request: FaultServer.Request) -> FaultServer.Reply {
    let right = server.right(request)
    let after = Int64(pick(0..<100_000))
    return switch pick(0..<26) {
    case 0: right.broken(after: after, by: .reset)
    case 1: right.broken(after: after, by: .close)
    case 2: right.broken(after: after, by: .hang)
    case 3: .response(status: 500)
    case 4: .response(status: 404)
    case 5: .response(status: 503, headers: ["Retry-After": "0"])
    case 6: .response(headers: ["Content-Type": "text/html"], body: Array("<p>".utf8))
    case 7: .response(body: [])
    case 8: .response(content: .pattern(count: 1_000, seed: 3), length: .absent)
    case 9: .response(status: 206, headers: ["Content-Range": "bytes 0-0/1"], body: [1])
    case 10: .response(status: 416)
    case 11: .init(.close)
    case 12: .raw("no HTTP at all\r\n\r\n")
    case 13: .response(status: 302, headers: ["Location": request.path])
    default: right
    }
  }

  private static var policy: DownloadPolicy {
    var policy = PackLibrary.policy
    policy.headTimeout = .milliseconds(300)
    policy.stallWindow = .milliseconds(150)
    policy.attempts = 3
    return policy
  }

  func run() async throws {
    var version = first
    for _ in 0..<6 {
      try await library.manage(policy: Self.policy) { catalog, manager in
        for _ in 0..<pick(1..<4) {
          try await step(manager, &version)
          try await expectRight(catalog)
        }
        await manager.interruptAll()
      }
    }
    // In the end the server is right, and so is the pack.
    for asset in version.assets + first.assets { server.script("/\(asset.name)", nil) }
    server.script("/\(first.manifestName)", nil)
    // But a connection that was kept may still hang.
    var policy = Self.policy
    policy.headTimeout = .seconds(3)
    policy.stallWindow = .seconds(3)
    policy.attempts = 20
    try await library.download(version, policy: policy)
    try await library.expectInstalled(version)
    try await library.manage { _, manager in try await manager.deletePack(packId: first.uuid) }
    try library.expectNothing(of: first)
    try await library.expectReplays()
  }

  private func step(_ manager: PackDownloadManager, _ version: inout ServedPack) async throws {
    switch pick(0..<10) {
    case 0:
      version.version += 1
      let index = pick(0..<version.assets.count)
      version.assets[index].bytes = random.withLock { random in
        ServedPack.bytes(Int.random(in: 1...90_000, using: &random), &random)
      }
      version.assets[index].sha256 = ServedPack.hash(version.assets[index].bytes)
      server.publish(version)
    case 1: try await manager.deletePack(packId: first.uuid)
    case 2: try await manager.cancelDownload(packId: first.uuid)
    case 3:
      let download = try await manager.startDownload(packId: first.uuid)
      try await Task.sleep(for: .milliseconds(pick(0..<60)))
      switch pick(0..<3) {
      case 0: try await manager.cancelDownload(packId: first.uuid)
      case 1: try await manager.deletePack(packId: first.uuid)
      default: await manager.interruptAll()
      }
      _ = try? await download.result()
    case 4:
      if let download = try await manager.repairOrResume(packId: first.uuid) {
        await watch(download)
      }
    default: await watch(try await manager.startDownload(packId: first.uuid))
    }
  }

  /// Follows a download to its end, which may be a failure, but a known one.
  private func watch(_ download: PackDownload) async {
    var last: PackProgress?
    for await progress in download.progress {
      #expect(progress.bytesDownloaded >= last?.bytesDownloaded ?? 0, note)
      #expect(progress.bytesDownloaded <= progress.bytesTotal ?? .max, note)
      #expect(progress.assetsDone >= last?.assetsDone ?? 0, note)
      last = progress
    }
    do {
      _ = try await download.result()
    } catch is DownloadFailure {
    } catch is DocumentError {
      // A manifest that a fault made of other bytes.
    } catch {
      Issue.record("\(error), \(note)")
    }
  }

  /// What rows say is installed lies there with its hash, whatever runs.
  private func expectRight(_ catalog: SoundLibrary) async throws {
    let state = try await catalog.packs.packDetail(packId: first.uuid).pack
    #expect(state.state != .downloading, note)
    #expect((state.state == .downloaded) ? state.isInstalled : true, note)
    let rows = try library.rows("SELECT local_path, sha256 FROM local_asset")
    #expect(rows.isEmpty == !state.isInstalled, note)
    for row in rows {
      let parts = row.split(separator: "|")
      let bytes = try Data(contentsOf: URL(filePath: "\(library.directory.path)/\(parts[0])"))
      #expect(ServedPack.hash(Array(bytes)) == parts[1], note)
    }
    if state.state == .notDownloaded { try library.expectNothing(of: first) }
  }
}
