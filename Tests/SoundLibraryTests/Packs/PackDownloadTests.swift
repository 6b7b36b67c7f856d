import CatalogModel
import CatalogStore
import CatalogTestSupport
import DownloadTestSupport
import Downloads
import EventLog
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// Packs from their manifest to their removal: events, rows and files.
@Suite(
  .promise(
    "Installed means that the hash is right, progress goes forward, deleted means gone",
    by: "packs from their manifest to their removal"))
struct PackDownloadTests {
  private let pack = ServedPack(sizes: [200_000, 50_000, 1_000])
  private let server: PackServer
  private let library: PackLibrary

  init() async throws {
    server = try PackServer([pack])
    library = try await PackLibrary([pack], at: server.address)
  }

  private func item(_ index: Int) throws -> UUID {
    try #require(UUID(uuidString: pack.assets[index].item))
  }

  /// Starts a download, and waits until it has brought this much.
  private func begin(
    _ manager: PackDownloadManager, bytes: Int64 = 20_000
  ) async throws -> PackDownload {
    let download = try await manager.startDownload(packId: pack.uuid)
    for await progress in download.progress where progress.bytesDownloaded >= bytes { break }
    return download
  }

  // MARK: The brief's scenarios

  @Test(
    """
    Pack list shows not-downloaded packs; downloading updates progress and then makes items playable.
    """)
  func packsAreListedDownloadedAndPlayable() async throws {
    let gate = server.halt(pack.assets[0], after: 20_000)
    try await library.manage { catalog, manager in
      let listed = try await catalog.packs.listPacks(kind: .sfx)
      #expect(listed.map(\.state) == [.notDownloaded])
      let before = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(before.status == .notDownloaded && !before.status.isPlayable)

      let download = try await begin(manager)
      let during = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(during.status == .downloading(bytesDownloaded: 0, bytesTotal: 251_000))
      gate.open()
      #expect(try await download.result().bytes == 251_000)

      let after = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(after.status == .available && after.status.isPlayable)
      #expect(after.audio?.path == pack.assets[0].path(in: pack))
      #expect(try await catalog.packs.isPackInstalled(packId: pack.uuid))
      let filter = Filters(availability: [.available])
      #expect(try await catalog.library.countItems(kind: .sfx, filters: filter) == 3)
    }
    try await library.expectInstalled(pack)
  }

  @Test(
    """
    Deleting a pack removes local files and marks items unavailable while keeping catalog entries visible.
    """)
  func deletingKeepsEntries() async throws {
    try await library.download(pack)
    try await library.manage { catalog, manager in
      try await manager.deletePack(packId: pack.uuid)
      try library.expectNothing(of: pack)
      #expect(try await catalog.library.countItems(kind: .sfx) == 3)
      let detail = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(detail.isVisible && detail.status == .notDownloaded && detail.audio == nil)
      #expect(try await !catalog.packs.isPackInstalled(packId: pack.uuid))
      // Once more: nothing to do, no event.
      let events = try library.packEvents()
      try await manager.deletePack(packId: pack.uuid)
      #expect(try library.packEvents() == events)
    }
    try await library.expectReplays()
  }

  @Test("Catalog updates do not break existing downloads (local_path preserved).")
  func catalogUpdatesKeepDownloads() async throws {
    try await library.download(pack)
    try await library.open { catalog in
      let seed = try ServedPack.seed([pack], at: "https://elsewhere.example.com")
      let text = String(decoding: seed, as: UTF8.self)
        .replacing("\"revision\":1", with: "\"revision\":2")
        .replacing("Sound 1", with: "Sound one")
      let report = try await catalog.importer.applyUpdates(
        .bytes(Array(text.utf8), name: "seed.json"))
      #expect(report.eventCount > 0)
      let detail = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(detail.item.title == "Sound one")
      #expect(detail.audio?.path == pack.assets[0].path(in: pack))
      #expect(detail.status == .available)
    }
    try await library.expectInstalled(pack)
    try await library.expectReplays()
  }

  // MARK: Updates

  private var update: ServedPack {
    var update = pack
    update.version = 2
    update.assets[0].bytes = [UInt8](repeating: 3, count: 80_000)
    update.assets[0].sha256 = ServedPack.hash(update.assets[0].bytes)
    return update
  }

  @Test func theOldVersionPlaysUntilTheNewOneIsWhole() async throws {
    try await library.download(pack)
    server.publish(update)
    let gate = server.halt(update.assets[0], after: 20_000)
    try await library.manage { catalog, manager in
      let download = try await begin(manager, bytes: 71_000)
      let during = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(during.status == .updateAvailable(installed: 1, newest: 2))
      #expect(during.status.isPlayable)
      #expect(try library.files(in: "AudioAssets/\(pack.id)").count == 3)
      gate.open()
      // What did not change is not fetched again.
      #expect(try await download.result().bytesReceived < 110_000)
    }
    try await library.expectInstalled(update)
    try await library.expectReplays()
  }

  @Test func anUpdateThatFailsLeavesTheOldVersion() async throws {
    try await library.download(pack)
    server.publish(update)
    server.script("/\(pack.assets[0].name)") { _ in .response(status: 410, body: []) }
    await #expect(throws: DownloadFailure.self) { try await library.download(pack) }
    let state = try await library.state(of: pack)
    #expect(state.state == .failed && state.installedVersion == 1 && state.version == 2)
    #expect(state.lastError?.contains("410") == true)
    let files = try library.files(in: "AudioAssets/\(pack.id)")
    #expect(files["\(pack.assets[0].id).wav"] == pack.assets[0].bytes)
    try await library.open { catalog in
      let detail = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(detail.status == .updateAvailable(installed: 1, newest: 2))
    }
    server.script("/\(pack.assets[0].name)", nil)
    try await library.download(update)
    try await library.expectInstalled(update)
    try await library.expectReplays()
  }

  // MARK: Cancelling and deleting

  @Test func aCancelledDownloadLeavesNothing() async throws {
    _ = server.halt(pack.assets[0], after: 20_000)
    try await library.manage { _, manager in
      let download = try await begin(manager)
      try await manager.cancelDownload(packId: pack.uuid)
      await #expect(throws: CancellationError.self) { try await download.result() }
      // Nothing runs any more: nothing to do, no event.
      try await manager.cancelDownload(packId: pack.uuid)
    }
    try library.expectNothing(of: pack)
    #expect(try await library.state(of: pack).state == .notDownloaded)
    #expect(
      try library.packEvents() == [
        "manifest.applied", "pack.download.started", "pack.download.cancelled",
      ])
    try await library.expectReplays()
  }

  @Test func cancellingAnUpdateKeepsTheInstalledVersion() async throws {
    try await library.download(pack)
    server.publish(update)
    _ = server.halt(update.assets[0], after: 20_000)
    try await library.manage { _, manager in
      _ = try await begin(manager, bytes: 71_000)
      try await manager.cancelDownload(packId: pack.uuid)
    }
    let state = try await library.state(of: pack)
    #expect(state.state == .downloaded && state.installedVersion == 1)
    #expect(try library.files(in: ".staging").isEmpty)
    #expect(try library.files(in: "AudioAssets").count == 3)
  }

  @Test func cancellingWhileTheManifestIsFetchedChangesNothing() async throws {
    server.script("/\(pack.manifestName)") { _ in .init(.hang) }
    try await library.manage { _, manager in
      let download = try await manager.startDownload(packId: pack.uuid)
      for await progress in download.progress where progress.phase == .preparing { break }
      try await manager.cancelDownload(packId: pack.uuid)
      await #expect(throws: CancellationError.self) { try await download.result() }
    }
    #expect(try library.packEvents().isEmpty)
    try library.expectNothing(of: pack)
  }

  /// Whatever a download is at when it is cancelled, it ends as not there at all or as installed.
  @Test(arguments: [PackProgress.Phase.waiting, .preparing, .downloading, .installing])
  func cancellingInEveryPhase(phase: PackProgress.Phase) async throws {
    let other = ServedPack(2, sizes: [10_000])
    let server = try PackServer([pack, other])
    let library = try await PackLibrary([pack, other], at: server.address)
    var policy = PackLibrary.policy
    policy.parallelPacks = 1
    let gate = server.halt(other.assets[0], after: 10)
    try await library.manage(policy: policy) { _, manager in
      if phase == .waiting { try await manager.startDownload(packId: other.uuid) }
      let download = try await manager.startDownload(packId: pack.uuid)
      for await progress in download.progress where progress.phase == phase { break }
      try await manager.cancelDownload(packId: pack.uuid)
      let result = try? await download.result()
      let state = try await library.state(of: pack)
      #expect(state.state == (result == nil ? .notDownloaded : .downloaded))
      if phase == .waiting || phase == .preparing { #expect(result == nil) }
      gate.open()
      await manager.interruptAll()
    }
    if try await library.state(of: pack).state == .notDownloaded {
      try library.expectNothing(of: pack)
    }
    try await library.download(pack)
    try await library.expectInstalled(pack)
    try await library.expectReplays()
  }

  @Test func deletingDuringADownloadEndsIt() async throws {
    _ = server.halt(pack.assets[0], after: 20_000)
    try await library.manage { _, manager in
      let download = try await begin(manager)
      try await manager.deletePack(packId: pack.uuid)
      await #expect(throws: CancellationError.self) { try await download.result() }
    }
    try library.expectNothing(of: pack)
    #expect(try library.packEvents().last == "pack.deleted")
    try await library.expectReplays()
  }

  /// Two catalogs of one folder are as two processes: their locks exclude each other.
  @Test(arguments: ["cancel", "delete"])
  func anotherProcessEndsADownload(how: String) async throws {
    _ = server.halt(pack.assets[0], after: 20_000)
    try await library.manage { _, manager in
      let download = try await begin(manager)
      try await library.manage { _, other in
        // While one has the pack in hand, the other cannot start.
        let second = try await other.startDownload(packId: pack.uuid)
        let error = await #expect(throws: CatalogError.self) { try await second.result() }
        #expect(error?.code == .busy)
        if how == "cancel" {
          try await other.cancelDownload(packId: pack.uuid)
        } else {
          try await other.deletePack(packId: pack.uuid)
        }
      }
      await #expect(throws: CancellationError.self) { try await download.result() }
    }
    try library.expectNothing(of: pack)
    #expect(try await library.state(of: pack).state == .notDownloaded)
    try await library.expectReplays()
  }

  /// A download has told the log nothing yet while it prepares: it ends all the same, and does not come
  /// back.
  @Test(arguments: ["cancel", "delete"], [false, true])
  func anotherProcessEndsADownloadThatPrepares(how: String, isInstalled: Bool) async throws {
    if isInstalled { try await library.download(pack) }
    let gate = FaultServer.Gate()
    server.script("/\(pack.manifestName)") { [server] request in
      var reply = server.right(request)
      reply.steps.insert(.hold(gate), at: 0)
      return reply
    }
    server.publish(update)
    try await library.manage { _, manager in
      let download = try await manager.startDownload(packId: pack.uuid)
      for await progress in download.progress where progress.phase == .preparing { break }
      try await library.manage { _, other in
        if how == "cancel" {
          try await other.cancelDownload(packId: pack.uuid)
        } else {
          try await other.deletePack(packId: pack.uuid)
        }
      }
      gate.open()
      await #expect(throws: CancellationError.self) { try await download.result() }
    }
    let state = try await library.state(of: pack)
    let stays = how == "cancel" && isInstalled
    #expect(state.state == (stays ? .downloaded : .notDownloaded))
    #expect(!(try library.packEvents().contains("pack.download.failed")))
    if stays {
      try await library.expectInstalled(pack)
    } else {
      try library.expectNothing(of: pack)
    }
    try await library.expectReplays()
  }

  /// While one manager hashes or fetches, the other asks for the pack again and again.
  @Test(arguments: 1...3)
  func whatIsDeletedAsItComesToItsEndIsNotInstalled(round: Int) async throws {
    let gate = server.halt(pack.assets[0], after: 20_000)
    try await library.manage { _, manager in
      let download = try await begin(manager)
      try await library.manage { _, other in
        let deleting = Task { try await other.deletePack(packId: pack.uuid) }
        try await Wait.until("the event") { try library.packEvents().last == "pack.deleted" }
        gate.open()
        await #expect(throws: CancellationError.self) { try await download.result() }
        try await deleting.value
      }
    }
    try library.expectNothing(of: pack)
    #expect(try library.packEvents().last == "pack.deleted")
    try await library.expectReplays()
  }

  // MARK: Relaunch

  @Test func aDownloadThatNobodyCarriesOnIsFailedAndGoneOnWith() async throws {
    let gate = server.halt(pack.assets[0], after: 150_000)
    // The process "dies": its events and files stay as they are.
    let copy = try await library.manage { _, manager in
      _ = try await begin(manager, bytes: 150_000 + 51_000)
      // Without its note, which is made once a part is durable, the part would be fetched again.
      let note = "\(library.directory.path)/.staging/\(pack.id)/\(pack.assets[0].id).wav.part.json"
      try await Wait.until(note) { FileManager.default.fileExists(atPath: note) }
      return try library.copy()
    }
    // Whoever reads sees what the log says, and leaves it so.
    #expect(try await copy.state(of: pack).state == .downloading)
    try await copy.manage { _, manager in try await manager.recover() }
    let state = try await copy.state(of: pack)
    #expect(state.state == .failed)
    #expect(state.lastError?.contains("can be resumed") == true)
    gate.open()
    let count = server.requests.count
    let result = try await copy.manage { _, manager in
      try await #require(try await manager.repairOrResume(packId: pack.uuid)).result()
    }
    try await copy.expectInstalled(pack)
    // The two whole assets were adopted, the part gone on with.
    #expect(result.bytesReceived < 100_000)
    #expect(server.requests[count...].map(\.path).dropFirst() == ["/\(pack.assets[0].name)"])
    #expect(server.requests.last?.range?.hasPrefix("bytes=") == true)
    try await copy.expectReplays()
  }

  @Test func anInstallationThatWasCommittedIsMovedByWhoeverWorksOnPacksNext() async throws {
    try await library.download(pack)
    // As a crash right after the commit leaves it.
    let audio = "\(library.directory.path)/AudioAssets/\(pack.id)"
    let staging = "\(library.directory.path)/.staging/\(pack.id)"
    try FileManager.default.moveItem(atPath: audio, toPath: staging)
    let old = "\(staging)/\(pack.assets[0].id).wav.part"
    try Data("rest".utf8).write(to: URL(filePath: old))
    try await library.open { catalog in
      let findings = try await catalog.doctor.findings()
      #expect(findings.map(\.problem) == [.missing, .missing, .missing])
      #expect(findings.allSatisfy { $0.message.contains("not moved into place yet") })
    }
    try await library.manage { catalog, manager in
      let download = try await manager.repairOrResume(packId: pack.uuid)
      #expect(download == nil)
      #expect(try await catalog.doctor.findings(hashing: true).isEmpty)
    }
    try await library.expectInstalled(pack)
  }

  @Test func aFileWithOtherBytesIsNotMovedIntoPlace() async throws {
    try await library.download(pack)
    let path = pack.assets[0].path(in: pack)
    try FileManager.default.createDirectory(
      atPath: "\(library.directory.path)/.staging/\(pack.id)", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: "\(library.directory.path)/\(path)",
      toPath: "\(library.directory.path)/.staging/\(pack.id)/\(pack.assets[0].id).wav")
    var wrong = pack.assets[0].bytes
    wrong[0] ^= 1
    try Data(wrong).write(
      to: URL(
        filePath: "\(library.directory.path)/.staging/\(pack.id)/\(pack.assets[0].id).wav"))
    try await library.manage { catalog, manager in
      #expect(try await catalog.doctor.findings().map(\.problem) == [.missing])
      let detail = try await catalog.library.fetchItemDetail(itemId: item(0))
      #expect(detail.status == .fileMissing)
      let result = try await manager.repairOrResume(packId: pack.uuid)?.result()
      #expect(result?.bytesReceived == 200_000)
    }
    try await library.expectInstalled(pack)
  }

  @Test func aStagedFileWithOtherBytesIsFetchedAgain() async throws {
    server.script("/\(pack.assets[2].name)") { [pack, server] request in
      // Once the others are there.
      let others = server.requests.filter { $0.path != "/\(pack.assets[2].name)" }
      return others.count < 3 ? .response(status: 500) : .response(status: 404)
    }
    var policy = PackLibrary.policy
    policy.parallelAssets = 1
    await #expect(throws: DownloadFailure.self) {
      try await library.download(pack, policy: policy)
    }
    let staged = "\(library.directory.path)/.staging/\(pack.id)/\(pack.assets[0].id).wav"
    var wrong = pack.assets[0].bytes
    #expect(try Array(Data(contentsOf: URL(filePath: staged))) == wrong)
    wrong[7] ^= 1
    try Data(wrong).write(to: URL(filePath: staged))
    server.script("/\(pack.assets[2].name)", nil)
    let result = try await library.manage { _, manager in
      try await manager.repairOrResume(packId: pack.uuid)?.result()
    }
    #expect(result?.bytesReceived == 201_000)
    try await library.expectInstalled(pack)
  }

  /// Without hashes, nothing but the manifest tells of which version staged files are.
  @Test(arguments: [false, true])
  func withoutHashesFilesOfAnotherVersionAreNotTaken(isApplied: Bool) async throws {
    var first = pack
    for index in first.assets.indices { first.assets[index].sha256 = nil }
    server.publish(first)
    server.script("/\(pack.assets[2].name)") { _ in .response(status: 404) }
    var policy = PackLibrary.policy
    policy.parallelAssets = 1
    await #expect(throws: DownloadFailure.self) {
      try await library.download(first, policy: policy)
    }
    let staged = try library.files(in: ".staging/\(pack.id)").keys
    #expect(staged.filter { $0.hasSuffix(".wav") }.count == 2)
    server.script("/\(pack.assets[2].name)", nil)
    var second = first
    second.version = 2
    second.assets[0].bytes = [UInt8](repeating: 8, count: 200_000)
    server.publish(second)
    if isApplied {
      let manifest = try second.manifest(at: server.address)
      try await library.open { catalog in
        _ = try await catalog.manifests.apply(.bytes(manifest, name: "manifest"))
      }
    }
    #expect(try await library.download(second).bytesReceived == 251_000)
    try await library.expectInstalled(second)
    // The same version again: what is staged for it is taken.
    try FileManager.default.removeItem(
      atPath: "\(library.directory.path)/\(second.assets[1].path(in: pack))")
    let repaired = try await library.manage { _, manager in
      try await manager.repairOrResume(packId: pack.uuid)?.result()
    }
    #expect(repaired?.bytesReceived == 50_000)
    try await library.expectReplays()
  }

  @Test func onePackThatCannotBeRecoveredDoesNotStopTheOthers() async throws {
    let packs = (1...3).map { ServedPack($0, sizes: [1_000]) }
    let server = try PackServer(packs)
    let library = try await PackLibrary(packs, at: server.address)
    for pack in packs { try await library.download(pack) }
    let files = FileManager.default
    for pack in packs {
      let staging = "\(library.directory.path)/.staging/\(pack.id)"
      try files.moveItem(
        atPath: "\(library.directory.path)/AudioAssets/\(pack.id)", toPath: staging)
    }
    // The first has a folder where its file should be.
    let bad = "\(library.directory.path)/.staging/\(packs[0].id)/\(packs[0].assets[0].id).wav"
    try files.removeItem(atPath: bad)
    try files.createDirectory(atPath: bad + "/inner", withIntermediateDirectories: true)
    try await library.manage { catalog, manager in
      try await manager.recover()
      let findings = try await catalog.doctor.findings()
      #expect(findings.map(\.packID) == [packs[0].uuid])
    }
    for pack in packs.dropFirst() { try await library.expectInstalled(pack) }
  }

  @Test func whatBelongsToNothingIsSwept() async throws {
    // As a crash between `pack.deleted` and the removal leaves it.
    try await library.download(pack)
    let copy = try library.copy()
    try await library.manage { _, manager in try await manager.deletePack(packId: pack.uuid) }
    for folder in ["AudioAssets", ".staging"] {
      let path = "\(library.directory.path)/\(folder)"
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(
        atPath: "\(copy.directory.path)/\(folder)", toPath: path)
    }
    #expect(try library.files(in: "AudioAssets").count == 3)
    try await library.open { _ in }
    #expect(try library.files(in: "AudioAssets").count == 3)
    try await library.manage { _, manager in try await manager.recover() }
    try library.expectNothing(of: pack)
  }

  // MARK: Repair

  @Test(arguments: ["missing", "wrongSize", "wrongHash", "notAFile"])
  func theDoctorFindsAndRepairBringsBack(problem: String) async throws {
    try await library.download(pack)
    let path = "\(library.directory.path)/\(pack.assets[1].path(in: pack))"
    switch problem {
    case "missing": try FileManager.default.removeItem(atPath: path)
    case "wrongSize": try Data([1, 2, 3]).write(to: URL(filePath: path))
    case "wrongHash":
      try Data([UInt8](repeating: 0, count: 50_000)).write(to: URL(filePath: path))
    default:
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/etc/hostname")
    }
    try await library.manage { catalog, manager in
      let findings = try await catalog.doctor.findings(hashing: true)
      #expect(findings.map(\.problem.rawValue) == [problem])
      #expect(findings.first?.path == pack.assets[1].path(in: pack))
      #expect(findings.first?.remedy.recoveries == EntityID(pack.id).map { [.repair(pack: $0)] })
      if problem == "notAFile" {
        let download = try await manager.repairOrResume(packId: pack.uuid)
        let failure = await #expect(throws: DownloadFailure.self) { try await download?.result() }
        #expect(failure?.code == .file && failure?.message.contains(path) == true)
        try FileManager.default.removeItem(atPath: path)
      }
      _ = try await manager.repairOrResume(packId: pack.uuid)?.result()
      let left = try await catalog.doctor.findings(hashing: true)
      #expect(left.isEmpty)
      let again = try await manager.repairOrResume(packId: pack.uuid)
      #expect(again == nil)
    }
    try await library.expectInstalled(pack)
    #expect(server.requests.filter { $0.path == "/\(pack.assets[0].name)" }.count == 1)
    try await library.expectReplays()
  }

  @Test func aPackThatWasNeverDownloadedHasNothingToRepair() async throws {
    try await library.manage { _, manager in
      let download = try await manager.repairOrResume(packId: pack.uuid)
      #expect(download == nil)
      await #expect(throws: CatalogError.self) {
        try await manager.repairOrResume(packId: UUID())
      }
      await #expect(throws: CatalogError.self) { try await manager.startDownload(packId: UUID()) }
      await #expect(throws: CatalogError.self) { try await manager.cancelDownload(packId: UUID()) }
      await #expect(throws: CatalogError.self) { try await manager.deletePack(packId: UUID()) }
    }
    #expect(server.requests.isEmpty)
    #expect(try library.packEvents().isEmpty)
  }

  // MARK: Events

  @Test func progressIsInTheLogNowAndThen() async throws {
    let large = ServedPack(2, sizes: [6_000_000])
    let server = try PackServer([large])
    let library = try await PackLibrary([large], at: server.address)
    let reader = EventLogReader(directory: library.directory.events)
    server.script("/\(large.assets[0].name)") { [server] request in
      let bytes = large.assets[0].bytes
      // The rest comes when the log has grown by the progress of the part before.
      let parts = stride(from: 0, to: bytes.count, by: 2_000_000).map {
        Array(bytes[$0..<min(bytes.count, $0 + 2_000_000)])
      }
      var reply = server.right(request)
      let started = (try? reader.head()?.sequence) ?? 0
      reply.steps = parts.enumerated().flatMap { index, part -> [FaultServer.Step] in
        guard index < parts.count - 1 else { return [.send(part)] }
        let due = started + UInt64(index) + 1
        return [.send(part), .wait { ((try? reader.head()?.sequence) ?? 0) >= due }]
      }
      return reply
    }
    try await library.download(large)
    let lines = try Program(
      "bash", "-c",
      "zstd -dc \(library.directory.events)/*.zst | jq -c 'select(.type==\"pack.download.progressed\")'"
    ).output.split(separator: "\n")
    #expect(lines.count >= 2)
    var times: [Timestamp] = []
    var bytes: [Int] = []
    for line in lines {
      let event = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let at = try #require(event["at"] as? String)
      times.append(try #require(Timestamp(at)))
      let data = event["data"] as? [String: Any]
      bytes.append(try #require(data?["bytesDownloaded"] as? Int))
    }
    // At most one a second, each at least 1 MiB further than the one before.
    for (one, next) in zip(times, times.dropFirst()) {
      #expect(next.milliseconds - one.milliseconds >= 900)
    }
    for (one, next) in zip([0] + bytes, bytes) { #expect(next - one >= 1 << 20) }
    try await library.expectReplays()
  }

  @Test func signedAddressesAreInNoEventAndNoError() async throws {
    var signed = pack
    for index in signed.assets.indices { signed.assets[index].name += "?signature=s3cr3t" }
    let server = try PackServer([])
    server.script("/\(signed.manifestName)") { [signed, server] _ in
      .response(body: (try? signed.manifest(at: server.address)) ?? [])
    }
    for asset in pack.assets {
      server.script("/\(asset.name)") { .file(asset.bytes, for: $0) }
    }
    server.script("/\(pack.assets[2].name)") { _ in .response(status: 404, body: []) }
    let library = try await PackLibrary([signed], at: server.address)
    let failure = await #expect(throws: DownloadFailure.self) {
      try await library.download(signed)
    }
    #expect(failure?.message.contains("s3cr3t") == false)
    server.script("/\(pack.assets[2].name)") { .file(pack.assets[2].bytes, for: $0) }
    try await library.download(signed)
    #expect(server.requests.contains { $0.target.contains("s3cr3t") })
    let log = try Program("bash", "-c", "zstd -dc \(library.directory.events)/*.zst").output
    #expect(!log.contains("s3cr3t"))
    #expect(
      try library.rows("SELECT remote_url FROM local_asset").allSatisfy { !$0.contains("?") })
  }
}
