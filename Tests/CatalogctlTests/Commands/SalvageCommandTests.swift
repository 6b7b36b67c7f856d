import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(
  .promise("After gaps, lines of intact frames in a damaged batch are kept, and no others"),
  .promise(
    "A salvaged catalog passes `check`, `verify` and `doctor`, and receipts from before "
      + "the damage fit"),
  .promise(
    "A killed `salvage` is done again by the same command, and its folder belongs to one "
      + "process at a time"))
struct SalvageCommandTests {
  private func salvage(_ old: TestCatalog, _ out: String, _ options: String...) async -> Outcome {
    await InProcess.run(["salvage", out, "--catalog", old.path] + options)
  }

  /// The new catalog passes every check, and is made twice the same.
  private func expectSound(_ out: String, _ folder: ScratchFolder) async throws {
    let check = await InProcess.run(["check", "--catalog", out])
    #expect(check.status == 0, "\(check)")
    for name in ["one.sqlite", "two.sqlite"] {
      let rebuilt = await InProcess.run(["rebuild", "--out", folder.file(name), "--catalog", out])
      #expect(rebuilt.status == 0, "\(rebuilt)")
    }
    #expect(try folder.bytes("one.sqlite") == folder.bytes("two.sqlite"))
    #expect(await InProcess.run(["rebuild", "--catalog", out]).status == 0)
    let verify = try await Program.catalogctl(["verify", "--catalog", out])
    #expect(verify.status == 0, "\(verify)")
    let doctor = await InProcess.run(["doctor", "--catalog", out])
    #expect(doctor.status == 0, "\(doctor)")
  }

  @Test func theBeginningIsKeptAsItWas() async throws {
    let damaged = try await DamagedCatalog(damaging: 3)
    let before = try damaged.snapshot()
    let out = damaged.catalog.folder.file("rescued")
    let outcome = await salvage(damaged.catalog, out)
    #expect(outcome.status == 2, "\(outcome)")
    let first = damaged.imported + 3
    #expect(outcome.lines.contains("missing  events \(first) to \(first + 1)"), "\(outcome)")
    #expect(outcome.output.contains("intact   events \(first + 2) to \(damaged.lines.count), "))
    #expect(try damaged.snapshot() == before, "the old catalog was changed")

    #expect(try await DamagedCatalog.lines(of: out) == Array(damaged.lines.prefix(first - 1)))
    try await expectSound(out, damaged.catalog.folder)
    // The same id and chain: what was stated of an earlier moment can be held against it.
    let id = try EventLogReader(directory: out + "/events").logID()
    #expect(id == (try EventLogReader(directory: damaged.catalog.events).logID()))
  }

  @Test func aReceiptFromBeforeStillFits() async throws {
    let damaged = try await DamagedCatalog(damaging: 2)
    let out = damaged.catalog.folder.file("rescued")
    #expect(await salvage(damaged.catalog, out).status == 2)
    let verify = try await Program.catalogctl(
      ["verify", damaged.receipt, "--catalog", out])
    #expect(verify.status == 0, "\(verify)")
  }

  @Test func aWholeLogIsCopiedAndNothingIsMissing() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let folder = try ScratchFolder()
    let outcome = await salvage(catalog, folder.file("copy"), "--format", "json")
    #expect(outcome.status == 0, "\(outcome)")
    let head = try await catalog.head()
    #expect(try outcome.object()["chain"] as? String == head.chain)
    #expect((try outcome.object()["missing"] as? [Any])?.isEmpty == true)
    try await expectSound(folder.file("copy"), folder)
  }

  @Test(arguments: [1, 3, 4, 5])
  func behindGapsEventsAreNumberedAnewAndWhatContradictsIsListed(_ index: Int) async throws {
    let damaged = try await DamagedCatalog(damaging: index)
    let before = try damaged.snapshot()
    let out = damaged.catalog.folder.file("rescued")
    let outcome = await salvage(damaged.catalog, out, "--past-gaps", "--format", "json")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(try damaged.snapshot() == before, "the old catalog was changed")
    try await expectSound(out, damaged.catalog.folder)

    let report = try outcome.object()
    func numbers(_ key: String, _ name: String) throws -> [Int] {
      let objects = try #require(report[key] as? [[String: Any]])
      return try objects.map { try #require($0[name] as? Int) }
    }
    // Salvaged, missing or left out: every event is one of the three.
    var seen = try numbers("leftOut", "sequence")
    for (first, last) in zip(
      try numbers("missing", "firstSequence"), try numbers("missing", "lastSequence"))
    {
      seen += first...last
    }
    let new = try await DamagedCatalog.lines(of: out)
    let firsts = try numbers("stretches", "firstSequence")
    let lasts = try numbers("stretches", "lastSequence")
    let places = try numbers("stretches", "newFirstSequence")
    for (index, place) in places.enumerated() {
      for old in firsts[index]...lasts[index] {
        seen.append(old)
        // The same event under another number; the first one names the new log.
        let now = place + old - firsts[index]
        guard now > 1 else { continue }
        #expect(
          new[now - 1]
            == damaged.lines[old - 1].replacing("{\"seq\":\(old),", with: "{\"seq\":\(now),"))
      }
    }
    #expect(seen.sorted() == Array(1...damaged.lines.count))
    #expect(report["logId"] as? String != report["oldLogId"] as? String)
    #expect(new.first?.contains(report["logId"] as? String ?? "?") == true)
    // The import is lost: nothing of a person's changes has anything to stand on.
    if index == 1 { #expect(new.count < 6) }
  }

  /// The starter seed is one batch of two frames: a megabyte, and what is left.
  @Test(arguments: [0.3, 0.999])
  func wholeFramesOfADamagedBatchAreKeptBehindGaps(at share: Double) async throws {
    let catalog = try TestCatalog()
    let seed = Program.package + "/Seeds/starter.json"
    let imported = await catalog.run("import", seed, "--at", TestCatalog.time)
    #expect(imported.status == 0, "\(imported)")
    let old = try await DamagedCatalog.lines(of: catalog.path)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[Int(Double(bytes.count) * share)] ^= 1
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))

    // The beginning stays what it was: the first event, and nothing of the damaged batch.
    let beginning = await salvage(catalog, catalog.folder.file("beginning"), "--format", "json")
    #expect(beginning.status == 2)
    #expect(try beginning.object()["sequence"] as? Int == 1)
    #expect((try beginning.object()["ofDamagedBatches"] as? [Any])?.isEmpty == true)

    let out = catalog.folder.file("rescued")
    let outcome = await salvage(catalog, out, "--past-gaps", "--format", "json")
    #expect(outcome.status == 2, "\(outcome.errors)")
    let report = try outcome.object()
    func ranges(_ key: String) throws -> [ClosedRange<Int>] {
      try #require(report[key] as? [[String: Any]]).map {
        try #require($0["firstSequence"] as? Int)...(try #require($0["lastSequence"] as? Int))
      }
    }
    let parts = try ranges("ofDamagedBatches")
    let missing = try ranges("missing")
    let part = try #require(parts.first, "\(outcome)")
    #expect(parts.count == 1)
    if share > 0.9 {
      #expect(part.lowerBound == 2 && part.count > 3_000, "\(part)")
      #expect(missing == [part.upperBound + 1...old.count])
    } else {
      #expect(part.upperBound == old.count && part.count > 10, "\(part)")
      #expect(missing == [2...part.lowerBound - 1])
    }
    // Each event of the old log is kept, missing or left out, and what is kept is what it was.
    let new = try await DamagedCatalog.lines(of: out)
    let stretches = try ranges("stretches")
    let places = try #require(report["stretches"] as? [[String: Any]]).map {
      $0["newFirstSequence"] as? Int ?? 0
    }
    for (stretch, place) in zip(stretches, places) {
      for sequence in stretch where sequence > 1 {
        let now = place + sequence - stretch.lowerBound
        #expect(
          new[now - 1]
            == old[sequence - 1].replacing("{\"seq\":\(sequence),", with: "{\"seq\":\(now),"))
      }
    }
    let leftOut = try #require(report["leftOut"] as? [[String: Any]]).map {
      $0["sequence"] as? Int ?? 0
    }
    let all = stretches.flatMap(\.self) + missing.flatMap(\.self) + leftOut
    #expect(all.sorted() == Array(1...old.count))
    try await expectSound(out, catalog.folder)
  }

  @Test func aLogWhoseFirstEventIsLostHasNoBeginning() async throws {
    let damaged = try await DamagedCatalog(damaging: 0)
    let out = damaged.catalog.folder.file("rescued")
    let refused = await salvage(damaged.catalog, out)
    #expect(refused.status == 1 && refused.errors.contains("--past-gaps"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: out))
    let outcome = await salvage(damaged.catalog, out, "--past-gaps")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("created  event 1"), "\(outcome)")
    try await expectSound(out, damaged.catalog.folder)
    #expect(try await DamagedCatalog.lines(of: out).count == damaged.lines.count)
  }

  @Test func aCopiedFolderThatCannotBeWrittenIsEnough() async throws {
    let damaged = try await DamagedCatalog(damaging: 4)
    let copy = damaged.catalog.folder.file("copy")
    try FileManager.default.copyItem(atPath: damaged.catalog.events, toPath: copy)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: copy)
    let outcome = await InProcess.run(
      ["salvage", damaged.catalog.folder.file("rescued"), "--events", copy])
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy).count == 1)
  }

  @Test func aFolderThatIsTakenIsLeftAlone() async throws {
    let damaged = try await DamagedCatalog(damaging: 2)
    let folder = damaged.catalog.folder
    let before = try damaged.snapshot()
    let file = try folder.write("mine", to: "file")
    try FileManager.default.createDirectory(
      atPath: folder.file("full"), withIntermediateDirectories: false)
    try folder.write("mine", to: "full/file")
    for (out, word) in [
      (file, "is not a folder"), (folder.file("full"), "is not empty"),
      (damaged.catalog.events + "/new", "in the folder of an event log"),
      (folder.file("no/such/place"), "No such file"), (damaged.catalog.path, "is not empty"),
    ] {
      let outcome = await salvage(damaged.catalog, out)
      #expect(outcome.status == 1 && outcome.errors.contains(word), "\(out): \(outcome)")
    }
    #expect(try damaged.snapshot() == before)
    #expect(try folder.bytes("file") == Array("mine".utf8))
    let none = await InProcess.run(["salvage", folder.file("x"), "--events", folder.file("none")])
    #expect(none.status == 1 && !folder.exists("x"), "\(none)")
    // An empty one is as good as a new one.
    try FileManager.default.createDirectory(
      atPath: folder.file("empty"), withIntermediateDirectories: false)
    #expect(await salvage(damaged.catalog, folder.file("empty")).status == 2)
  }

  @Test func whatAKilledSalvageLeftIsClearedAndDoneAgain() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let folder = try ScratchFolder()
    for options in [[], ["--past-gaps"]] {
      let out = folder.file("rescued\(options.count)")
      try FileManager.default.createDirectory(
        atPath: out + "/.events.unfinished", withIntermediateDirectories: true)
      for name in [
        ".events.unfinished/00000000000000000001.jsonl.zst", ".events.unfinished/LOCK",
        ".salvage.sqlite", ".salvage.sqlite-journal", ".salvage.sqlite-wal",
      ] {
        try Data("left".utf8).write(to: URL(filePath: "\(out)/\(name)"))
      }
      let outcome = await InProcess.run(["salvage", out, "--catalog", catalog.path] + options)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["events"])
      #expect(await InProcess.run(["check", "--catalog", out]).status == 0)
    }
    // Killed after its log got its name: the same command finds its own work, another one does not.
    for options in [[], ["--past-gaps"]] {
      let out = folder.file("rescued\(options.count)")
      let log = try ScratchFolder.contents(out)
      let again = await InProcess.run(["salvage", out, "--catalog", catalog.path] + options)
      #expect(again.status == 0, "\(again)")
      #expect(
        try ScratchFolder.contents(out) == log)
      let other = try await TestCatalog.imported(revision: 2)
      let refused = await InProcess.run(["salvage", out, "--catalog", other.path] + options)
      #expect(refused.status == 1 && refused.errors.contains("is not empty"), "\(refused)")
      #expect(
        try ScratchFolder.contents(out) == log)
      #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["events"])
    }
    // Anything else beside it belongs to the user.
    let taken = folder.file("taken")
    try FileManager.default.createDirectory(
      atPath: taken + "/.events.unfinished", withIntermediateDirectories: true)
    try folder.write("mine", to: "taken/file")
    let refused = await salvage(catalog, taken)
    #expect(refused.status == 1 && refused.errors.contains("is not empty"), "\(refused)")
    #expect(folder.exists("taken/.events.unfinished"))
  }

  @Test func aFolderThatAnotherSalvageWritesToIsLeftAlone() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let folder = try ScratchFolder()
    let out = folder.file("rescued")
    try FileManager.default.createDirectory(
      atPath: out + "/.events.unfinished", withIntermediateDirectories: true)
    let lock = try HeldLock(folder: out)
    let refused = await salvage(catalog, out)
    #expect(refused.status == 1 && refused.errors.contains("another process"), "\(refused)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: out) == [".events.unfinished"])
    lock.release()
    #expect(await salvage(catalog, out).status == 0)
  }

  @Test(arguments: ["x", "./x", "x/"])
  func aFolderIsNamedAsAShellWould(_ name: String) async throws {
    let folder = try ScratchFolder()
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await Program.shell(
      "cd '\(folder.path)' && '\(Program.catalogctl)' salvage \(name) --events '\(catalog.events)'")
    #expect(outcome.status == 0, "\(outcome)")
    let check = await InProcess.run(["check", "--catalog", folder.file("x")])
    #expect(check.status == 0, "\(check)")
  }

  /// As docs/COMMAND_LINE.md tells it.
  @Test func theTourOfTheDocumentEndsWithASoundCatalog() async throws {
    let damaged = try await DamagedCatalog(damaging: 3)
    let catalog = damaged.catalog
    let rescued = catalog.folder.file("rescued")
    #expect(await catalog.run("check").status == 3)
    #expect(await salvage(catalog, rescued).status == 2)
    let script = """
      set -e
      cd \(catalog.path)
      mkdir damaged
      mv events catalog.sqlite* damaged/
      mv \(rescued)/events .
      """
    let moved = try await Program.shell(script, [:])
    #expect(moved.status == 0, "\(moved)")
    #expect(await catalog.run("rebuild").status == 0)
    #expect(try await catalog.program("verify").status == 0)
    #expect(await catalog.run("doctor").status == 0)
    let head = try await catalog.head()
    #expect(head.sequence == damaged.imported + 2)
    #expect(await catalog.run("tag", "add", SampleSeed.id(202), "--mood", "One").status == 0)
  }
}
