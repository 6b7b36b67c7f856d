import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// `download`, `cancel`, `repair`, `delete` and `doctor`, against nginx.
@Suite(
  .promise(
    "A pack of a real server is downloaded, resumed, updated, repaired and deleted",
    by: "the real program over nginx"))
struct DownloadCommandTests {
  private let server: FolderServer
  private let pack: ServedPack
  private let other: ServedPack
  private let catalog: TestCatalog

  init() async throws {
    server = try FolderServer()
    pack = ServedPack(1, sizes: [300_000, 20_000])
    other = ServedPack(2, sizes: [10_000])
    for pack in [pack, other] { try pack.write(to: server.folder, at: server.address) }
    catalog = try TestCatalog()
    let seed = try catalog.folder.write(
      ServedPack.seed([pack, other], at: server.address), to: "seed.json")
    try #require(await catalog.run("import", seed).status == 0)
  }

  @Test func aPackComesIsLookedAtAndGoes() async throws {
    let downloaded = await catalog.run("download", pack.id)
    #expect(downloaded.status == 0, "\(downloaded)")
    #expect(
      downloaded.lines == [
        "\(pack.id)  Pack 1: version 1 installed, 2 assets, 312.5 KiB, 312.5 KiB received"
      ])
    #expect(
      await catalog.run("download", pack.id).lines == [
        "\(pack.id)  Pack 1: version 1 is already installed"
      ])
    let item = await catalog.run("item", pack.assets[0].item)
    #expect(item.output.contains("availability      available"))
    #expect(item.output.contains(pack.assets[0].path(in: pack)))
    #expect(
      await catalog.run("items", "sfx", "--availability", "available").lines.count == 2)

    let doctor = await catalog.run("doctor", "--hash")
    #expect(doctor.status == 0 && doctor.errors == "0 findings\n")
    let path = pack.assets[1].path(in: pack)
    try FileManager.default.removeItem(atPath: "\(catalog.path)/\(path)")
    let missing = await catalog.run("doctor")
    #expect(missing.status == 2)
    #expect(
      missing.lines == ["missing  \(path): the file is missing", "  catalogctl repair \(pack.id)"])
    let json = try await catalog.run("doctor", "--format", "json").objects()
    #expect(json.first?["problem"] as? String == "missing")
    #expect(json.first?["packId"] as? String == pack.id)
    let repaired = await catalog.run("repair", "--all")
    #expect(
      repaired.lines == [
        "\(pack.id)  Pack 1: version 1 installed, 2 assets, 312.5 KiB, 19.5 KiB received"
      ])
    #expect(
      await catalog.run("repair", pack.id).lines == [
        "\(pack.id)  Pack 1: nothing to repair"
      ])

    let deleted = await catalog.run("delete", pack.id)
    #expect(
      deleted.lines == ["\(pack.id)  sfx  Pack 1  2 items, version 1, not_downloaded"])
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func allOfThemAsJSON() async throws {
    let outcome = await catalog.run("download", "--all", "--format", "json")
    #expect(outcome.status == 0)
    let packs = try outcome.objects()
    #expect(packs.map { $0["packId"] as? String } == [pack.id, other.id])
    #expect(packs.map { $0["outcome"] as? String } == ["installed", "installed"])
    #expect(packs.map { $0["bytesReceived"] as? Int } == [320_000, 10_000])
    #expect(try await catalog.run("download", "--all", "--format", "json").objects().isEmpty)
  }

  @Test func oneThatFailsDoesNotStopTheOthers() async throws {
    try FileManager.default.removeItem(atPath: "\(server.folder)/\(pack.assets[1].name)")
    let outcome = await catalog.run("download", pack.id, other.id)
    #expect(outcome.status == 1)
    #expect(outcome.lines.map { $0.prefix(36) } == [other.id.prefix(36)])
    #expect(
      outcome.errors.contains(
        "catalogctl: \(pack.id)  Pack 1: asset \(pack.assets[1].id): the server answered 404"))
    #expect(await catalog.run("packs", "sfx").output.contains("failed"))
    // What came is kept.
    try pack.write(to: server.folder, at: server.address)
    let json = try await catalog.run("repair", pack.id, "--format", "json").objects()
    #expect(json.first?["outcome"] as? String == "installed")
    #expect((json.first?["bytesReceived"] as? Int ?? .max) <= 320_000)
  }

  @Test func aManifestFromAFile() async throws {
    let file = try catalog.folder.write(
      pack.manifest(at: server.address), to: "manifest.json")
    try FileManager.default.removeItem(atPath: "\(server.folder)/\(pack.manifestName)")
    #expect(await catalog.run("download", pack.id).status == 1)
    #expect(await catalog.run("download", pack.id, "--manifest", file).status == 0)
    let wrong = await catalog.run("download", other.id, "--manifest", file)
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("manifest.json: $.packId"))
  }

  @Test(arguments: [
    ["download"], ["download", "--all", "00000000-0000-4000-8000-000000000001"],
    ["download", "not-a-uuid"], ["repair"], ["cancel"], ["delete"],
    ["download", "--manifest", "x.json", "--all"],
  ])
  func whatMakesNoSenseIsWrongUsage(arguments: [String]) async throws {
    let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
    #expect(outcome.status == 64, "\(outcome)")
  }

  @Test func aPackIsNamedByItsTitleOrTheBeginningOfItsID() async throws {
    let downloaded = await catalog.run("download", "Pack 1", "Pack 2")
    #expect(downloaded.status == 0, "\(downloaded)")
    #expect(Set(downloaded.lines.map { String($0.prefix(36)) }) == [pack.id, other.id])
    let beginning = String(pack.id.prefix(35))
    #expect(await catalog.run("delete", beginning).lines.first?.hasPrefix(pack.id) == true)
    #expect(await catalog.run("repair", "Pack 2").status == 0)
    let twice = await catalog.run("cancel", "Pack 1", pack.id)
    #expect(twice.status == 64 && twice.errors.contains("named twice"), "\(twice)")
    let unknown = await catalog.run("delete", "Pack 9")
    #expect(unknown.status == 64 && unknown.errors.contains("Pack 9"), "\(unknown)")
  }

  @Test(arguments: ["download", "repair", "cancel", "delete"])
  func aPackThatIsNoneIsAnErrorBeforeAnythingIsDone(command: String) async throws {
    let head = try await catalog.head()
    let outcome = await catalog.run(command, other.id, "00000000-0000-4000-8000-000000000001")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("there is no pack 00000000-0000-4000-8000-000000000001"))
    #expect(try await catalog.head() == head)
  }

  @Test func theDoctorTellsOfWhatItCannotLookAt() async throws {
    #expect(await catalog.run("download", other.id).status == 0)
    let audio = "\(catalog.path)/AudioAssets"
    try FileManager.default.moveItem(atPath: audio, toPath: audio + ".moved")
    try FileManager.default.createSymbolicLink(
      atPath: audio, withDestinationPath: audio + ".moved")
    // Reading looks at no files.
    let packs = await catalog.run("packs", "sfx")
    #expect(packs.status == 0 && packs.errors == "2 packs\n")
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2)
    #expect(doctor.lines.contains { $0.hasPrefix("unusable  \(other.id): ") })
    #expect(doctor.output.contains("AudioAssets is a symbolic link"))
    #expect(await catalog.run("download", pack.id).status == 1)
    try FileManager.default.removeItem(atPath: audio)
    try FileManager.default.moveItem(atPath: audio + ".moved", toPath: audio)
    #expect(await catalog.run("doctor", "--hash").lines.allSatisfy { $0.contains(pack.id) })
    #expect(await catalog.run("repair", pack.id).status == 0)
    #expect(await catalog.run("doctor", "--hash").status == 0)
  }

  @Test func cancellingWhatFailedTakesAwayWhatItLeft() async throws {
    try FileManager.default.removeItem(atPath: "\(server.folder)/\(pack.assets[1].name)")
    #expect(await catalog.run("download", pack.id).status == 1)
    let doctor = await catalog.run("doctor")
    #expect(doctor.lines.first?.hasPrefix("unfinished  \(pack.id): the download failed") == true)
    let cancelled = await catalog.run("cancel", pack.id)
    #expect(cancelled.lines.first?.hasSuffix("not_downloaded") == true)
    #expect(!FileManager.default.fileExists(atPath: "\(catalog.path)/.staging/\(pack.id)"))
    #expect(await catalog.run("doctor").status == 0)
  }
}

/// What the machine does to a download: signals, limits, a volume that is full, a file that is large.
@Suite(
  .promise(
    "A full volume, a limit on file sizes, a signal and a gigabyte do not damage a download"))
struct DownloadOnAMachineTests {
  private func catalog(_ pack: ServedPack, at address: String) async throws -> TestCatalog {
    let catalog = try TestCatalog()
    let seed = try catalog.folder.write(
      ServedPack.seed([pack], at: address), to: "seed.json")
    try #require(await catalog.run("import", seed).status == 0)
    return catalog
  }

  /// Waits until so much of the first asset is there as the server sends before it comes to a halt.
  private func waitForPart(_ size: Int, of pack: ServedPack, in catalog: TestCatalog) async throws {
    let part = "\(catalog.path)/.staging/\(pack.id)/\(pack.assets[0].id).wav.part"
    try await Wait.until("\(size) bytes of \(part)") {
      let info = try? FileManager.default.attributesOfItem(atPath: part)
      return info?[.size] as? Int ?? 0 >= size
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalLeavesAPackThatCanBeGoneOnWith(number: Int32) async throws {
    let pack = ServedPack(sizes: [3_000_000])
    let server = try PackServer([pack])
    let gate = server.halt(pack.assets[0], after: 1_000_000)
    let catalog = try await catalog(pack, at: server.address)
    let run = try Program.interruptible(["download", pack.id, "--catalog", catalog.path])
    try await waitForPart(1_000_000, of: pack, in: catalog)
    kill(run.process.processIdentifier, number)
    let outcome = try await run.finish()
    gate.open()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.errors.contains("stopped; run the same command again to resume"))
    let packs = await catalog.run("packs", "sfx")
    #expect(packs.output.contains("stopped by the user; it can be resumed"))
    let repair = try await catalog.run("repair", "--all", "--format", "json").objects()
    #expect(repair.first?["outcome"] as? String == "installed")
    #expect(repair.first?["bytesReceived"] as? Int == 2_000_000)
    #expect(await catalog.run("doctor", "--hash").status == 0)
  }

  /// Another process writes to the log: `--wait 0` does not wait for it.
  @Test func aWriterIsWaitedForAsLongAsTheUserSays() async throws {
    let pack = ServedPack(sizes: [1_000])
    let server = try PackServer([pack])
    let catalog = try await catalog(pack, at: server.address)
    try #require(await catalog.run("download", pack.id).status == 0)
    let lock = try HeldLock(folder: catalog.events)
    for command in ["delete", "cancel"] {
      let outcome = await catalog.run(command, pack.id, "--wait", "0")
      #expect(outcome.status == 1, "\(command): \(outcome)")
      #expect(outcome.errors.contains("is being written by"), "\(command): \(outcome)")
    }
    let audio = try #require(
      try ScratchFolder.contents("\(catalog.path)/AudioAssets").keys.first)
    try FileManager.default.removeItem(atPath: "\(catalog.path)/AudioAssets/\(audio)")
    for command in ["repair", "download"] {
      let outcome = await catalog.run(command, pack.id, "--wait", "0")
      #expect(outcome.status == 1, "\(command): \(outcome)")
      #expect(outcome.errors.contains("is being written by"), "\(command): \(outcome)")
    }
    lock.release()
    #expect(await catalog.run("repair", pack.id, "--wait", "0").status == 0)
    #expect(await catalog.run("delete", pack.id, "--wait", "0.5").status == 0)
  }

  /// The log goes while a download runs: that is a loss of events, not an empty catalog.
  @Test func aSegmentThatIsRemovedMeanwhileIsALoss() async throws {
    let pack = ServedPack(sizes: [3_000_000])
    let server = try PackServer([pack])
    let gate = server.halt(pack.assets[0], after: 1_000_000)
    let catalog = try await catalog(pack, at: server.address)
    let run = try Program.interruptible(["download", pack.id, "--catalog", catalog.path])
    try await waitForPart(1_000_000, of: pack, in: catalog)
    let kept = try Data(contentsOf: URL(filePath: catalog.firstSegment))
    try FileManager.default.removeItem(atPath: catalog.firstSegment)
    gate.open()
    let outcome = try await run.finish()
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.errors.contains("there is no event log in"), "\(outcome)")
    #expect(!outcome.errors.contains("is empty"), "\(outcome)")
    // The segment comes back from a copy, and the download is resumed.
    try kept.write(to: URL(filePath: catalog.firstSegment))
    #expect(await catalog.run("repair", pack.id).status == 0)
    #expect(await catalog.run("doctor", "--hash").status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test func aLimitOnTheSizeOfFilesIsAnErrorThatSaysSo() async throws {
    let server = try FolderServer()
    let pack = ServedPack(sizes: [6_000_000, 1_000])
    try pack.write(to: server.folder, at: server.address)
    let catalog = try await catalog(pack, at: server.address)
    let outcome = try await Program.shell(
      "ulimit -f 4096; exec \(Program.catalogctl) download \(pack.id) --catalog \(catalog.path)")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("cannot write"))
    #expect(outcome.errors.contains("File too large"))
    #expect(await catalog.run("packs").output.contains("it can be resumed"))
    #expect(await catalog.run("repair", pack.id).status == 0)
    #expect(await catalog.run("doctor", "--hash").status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }

  @Test(.enabled(if: MemoryVolume.isAvailable, "no file system can be mounted here"))
  func aVolumeThatFillsUpMeanwhile() async throws {
    let pack = ServedPack(sizes: [12_000_000])
    let server = try PackServer([pack])
    let gate = server.halt(pack.assets[0], after: 1_000_000)
    let seed = try ServedPack.seed([pack], at: server.address)
    let catalog = try TestCatalog()
    let file = try catalog.folder.write(seed, to: "seed.json")
    let volume = try MemoryVolume(at: catalog.path, size: "50m")
    do {
      #expect(await catalog.run("import", file).status == 0)
      // There is room when it begins, and none soon after.
      let fill = Task {
        try await waitForPart(1_000_000, of: pack, in: catalog)
        defer { gate.open() }
        return try await Program.shell("fallocate -l 40m \(catalog.path)/other")
      }
      let outcome = await catalog.run("download", pack.id)
      #expect(try await fill.value.status == 0)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("No space left on device"), "\(outcome)")
      // The log had room for the failure.
      #expect(
        try await catalog.query("SELECT state FROM pack_state") == "failed", "\(outcome)")
      // Too little room is seen before anything is fetched.
      let early = await catalog.run("download", pack.id)
      #expect(early.status == 1)
      #expect(early.errors.contains("more bytes"), "\(early)")
      try FileManager.default.removeItem(atPath: "\(catalog.path)/other")
      let repair = await catalog.run("repair", pack.id)
      #expect(repair.status == 0, "\(repair)")
      #expect(await catalog.run("doctor", "--hash").status == 0)
      #expect(try await catalog.program("verify").status == 0)
    } catch {
      Issue.record(error)
    }
    try volume.unmount()
  }

  @Test func aLargeFileNeedsNoMoreMemoryThanASmallOne() async throws {
    let server = try FolderServer()
    let size = 1 << 30
    var pack = ServedPack(sizes: [1])
    let made = try await Program.shell(
      """
      cd \(server.folder)
      truncate -s \(size) large.wav && printf 'end' | dd of=large.wav conv=notrunc bs=1 \
        seek=\(size - 3) status=none
      sha256sum large.wav | cut -d' ' -f1
      """)
    pack.assets[0].sha256 = made.lines.first
    let manifest = String(decoding: try pack.manifest(at: server.address), as: UTF8.self)
      .replacing(pack.assets[0].name, with: "large.wav")
      .replacing("\"bytes\":1,", with: "\"bytes\":\(size),")
      .replacing("\"totalBytes\":1,", with: "\"totalBytes\":\(size),")
    try Data(manifest.utf8).write(to: URL(filePath: "\(server.folder)/\(pack.manifestName)"))
    let catalog = try await catalog(pack, at: server.address)

    func memory(_ arguments: String...) async throws -> Int {
      let script = """
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """
      let outcome = try await Program.run(
        "python3", ["-c", script, Program.catalogctl] + arguments + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
      return try #require(Int(outcome.lines.last ?? ""))
    }
    let idle = try await memory("packs")
    let busy = try await memory("download", pack.id)
    print("a download of 1 GiB: \(busy) KiB resident at most, an idle process \(idle)")
    #expect(busy - idle < 64 << 10)
    #expect(await catalog.run("doctor", "--hash").status == 0)
  }
}
