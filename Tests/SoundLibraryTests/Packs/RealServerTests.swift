import CatalogStore
import DownloadTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// Downloads from nginx.
@Suite(
  .promise(
    "A pack of a real server is downloaded, resumed, updated, repaired and deleted",
    by: "nginx"))
struct RealServerTests {
  @Test func aPackComesWholeIsUpdatedAndGoes() async throws {
    let server = try FolderServer()
    var pack = ServedPack(sizes: [100_000, 2, 1, 3_000_000, 65_536])
    pack.assets[0].tags = ["moods": ["Sudden"]]
    try pack.write(to: server.folder, at: server.address)
    let library = try await PackLibrary([pack], at: server.address)
    let result = try await library.download(pack)
    #expect(result.bytesReceived == Int64(pack.totalBytes))
    try await library.expectInstalled(pack)
    #expect(
      try library.packEvents() == [
        "manifest.applied", "pack.download.started", "pack.download.completed",
      ])

    // Once more: nothing to do, no event.
    #expect(try await library.download(pack).wasInstalled)
    #expect(try library.packEvents().count == 3)

    // A new version with one changed asset, one that is gone and a codec of another kind.
    var next = pack
    next.version = 2
    var other = ServedPack(9, sizes: [70_000])
    next.assets[0].bytes = other.assets[0].bytes
    next.assets[0].sha256 = other.assets[0].sha256
    next.assets.remove(at: 2)
    next.assets[1].codec = "flac"
    other.assets = []
    try next.write(to: server.folder, at: server.address)
    let update = try await library.download(next)
    // What has another codec has another name, and comes anew.
    #expect(update.bytesReceived == 70_002)
    try await library.expectInstalled(next)
    try await library.expectReplays()

    try await library.manage { catalog, manager in
      try await manager.deletePack(packId: pack.uuid)
      #expect(try await catalog.packs.packDetail(packId: pack.uuid).pack.state == .notDownloaded)
    }
    try library.expectNothing(of: pack)
    try await library.expectReplays()
    library.shutdown()
  }

  @Test func aStoppedDownloadGoesOnWhereItWas() async throws {
    let server = try FolderServer(rate: "2m")
    let pack = ServedPack(sizes: [4_000_000, 3_000_000])
    try pack.write(to: server.folder, at: server.address)
    let library = try await PackLibrary([pack], at: server.address)
    let received = try await library.manage { _, manager in
      let download = try await manager.startDownload(packId: pack.uuid)
      for await progress in download.progress where progress.bytesDownloaded > 1_500_000 { break }
      await manager.interruptAll()
      await #expect(throws: CancellationError.self) { try await download.result() }
      for await progress in download.progress { return progress.bytesDownloaded }
      return 0
    }
    let state = try await library.state(of: pack)
    #expect(state.state == .failed)
    #expect(state.lastError == "stopped by the user; it can be resumed")
    #expect(received > 1_500_000)

    let result = try await library.manage { _, manager in
      try await #require(try await manager.repairOrResume(packId: pack.uuid)).result()
    }
    // All that was made durable as it stopped is there.
    #expect(result.bytesReceived <= Int64(pack.totalBytes) - received)
    try await library.expectInstalled(pack)
    #expect(
      try library.packEvents() == [
        "manifest.applied", "pack.download.started", "pack.download.interrupted",
        "pack.download.started", "pack.download.completed",
      ])
    try await library.expectReplays()
    library.shutdown()
  }

  @Test func aPackOfTwoHundredAssets() async throws {
    let server = try FolderServer()
    let pack = ServedPack(sizes: (0..<200).map { 1_000 + $0 * 977 % 50_000 })
    try pack.write(to: server.folder, at: server.address)
    let library = try await PackLibrary([pack], at: server.address)
    try await library.manage { _, manager in
      let download = try await manager.startDownload(packId: pack.uuid)
      var last: PackProgress?
      for await progress in download.progress {
        #expect(progress.bytesDownloaded >= last?.bytesDownloaded ?? 0)
        #expect(progress.assetsDone >= last?.assetsDone ?? 0)
        last = progress
      }
      #expect(last?.assetsDone == 200)
      #expect(try await download.result().bytes == Int64(pack.totalBytes))
    }
    try await library.expectInstalled(pack)
    library.shutdown()
  }

  @Test func severalPacksAtOnceAndTwoStartsOfOne() async throws {
    let server = try FolderServer()
    let packs = (1...5).map { ServedPack($0, sizes: [50_000, 20_000, 10]) }
    for pack in packs { try pack.write(to: server.folder, at: server.address) }
    let library = try await PackLibrary(packs, at: server.address)
    try await library.manage { _, manager in
      try await withThrowingTaskGroup(of: PackDownloadResult.self) { group in
        for pack in packs + packs {
          group.addTask { try await manager.startDownload(packId: pack.uuid).result() }
        }
        for try await result in group { #expect(result.assets == 3) }
      }
    }
    for pack in packs { try await library.expectInstalled(pack) }
    #expect(try library.packEvents().filter { $0 == "pack.download.completed" }.count == 5)
    try await library.expectReplays()
    library.shutdown()
  }
}
