import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A log that is not what was written: refused with status 3, and never touched.
@Suite(
  .promise(
    "A segment that is not named by its first event is a finding, open or sealed, under "
      + "any other number"),
  .promise(
    "A file that is one too many in a log's folder is damage to readers, writers and "
      + "`check` alike, and no event is called missing",
    by: "`verify`, `log`, `stats`, `history make`, `rebuild --out`, with the status of "
      + "`check`"),
  .promise(
    "Damage in any segment stops `import` and `seal` before anything is written",
    by: "the exit status is 3"),
  .promise(
    "Events that the database has applied and the log has lost are reported by every "
      + "command, with status 3",
    by: "a log cut below the checkpoint, a folder that is gone"))
struct DamagedLogTests {
  /// Offset and length of the sample's second batch, the import itself.
  private func importBatch(of catalog: TestCatalog) async throws -> (offset: Int, size: Int) {
    let place = try #require(
      await catalog.run("event", "2").lines.first { $0.hasPrefix("stored: ") })
    let offset = try #require(Int(place.split(separator: " ").last ?? ""))
    return (offset, try #require(try catalog.eventBytes().values.first).count - offset)
  }

  private func flip(_ catalog: TestCatalog, at offset: Int) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[offset] ^= 0x10
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))
  }

  @Test(arguments: [0.02, 0.3, 0.5, 0.9, 0.999])
  func aFlippedByteIsNamedAndStopsEveryWriter(at share: Double) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let batch = try await importBatch(of: catalog)
    try flip(catalog, at: batch.offset + Int(Double(batch.size) * share))
    let damaged = try ScratchFolder.contents(catalog.path)
    let rows = try await catalog.query(".dump")

    let check = try await catalog.program("check")
    #expect(check.status == 3, "\(check)")
    #expect(check.errors.contains(catalog.firstSegment))
    #expect(check.errors.contains("offset "))
    #expect(check.errors.contains("sequence 2"), "\(check)")
    #expect(check.errors.contains("restore this file from a copy"))
    #expect(!check.output.contains("whole"))
    let json = try await catalog.program("check", "--format", "json")
    #expect(json.status == 3)
    let object = try json.object()
    #expect(object["whole"] as? Bool == false)
    #expect((object["damage"] as? [String])?.first?.contains(catalog.firstSegment) == true)
    let finding = try #require((object["findings"] as? [[String: Any]])?.first)
    #expect(finding["file"] as? String == catalog.firstSegment)
    #expect(finding["offset"] as? Int == batch.offset)
    #expect(finding["firstMissing"] as? Int == 2)

    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in [["import", seed], ["import", seed, "--dry-run"], ["rebuild"], ["seal"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      #expect(outcome.errors.contains(catalog.firstSegment), "\(command): \(outcome)")
    }
    let after = try ScratchFolder.contents(catalog.path)
    for (name, bytes) in damaged where name.hasPrefix("events/") {
      #expect(after[name] == bytes, "\(name) was changed")
    }
    #expect(try await catalog.query(".dump") == rows)
  }

  @Test func damageInSealedBytesIsFoundToo() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    let size = try #require(try catalog.eventBytes().values.first).count
    for share in [0.1, 0.5, 0.95] {
      let other = try catalog.copy()
      try flip(other, at: Int(Double(size) * share))
      let check = try await other.program("check")
      #expect(check.status == 3, "\(share): \(check)")
      #expect(check.errors.contains(other.firstSegment))
    }
  }

  /// A sealed segment copied beside itself: every command that reads or writes the log says the same.
  @Test func aSegmentThatIsOneTooManyIsStatus3Everywhere() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "One").status == 0)
    let stray = "00000000000000000002.jsonl.zst"
    try FileManager.default.copyItem(
      atPath: catalog.firstSegment, toPath: "\(catalog.events)/\(stray)")
    let out = catalog.folder.file("out.sqlite")
    for command in [
      ["check"], ["doctor"], ["verify"], ["log"], ["stats"], ["history", "make"],
      ["rebuild", "--out", out], ["rebuild"], ["seal"],
      ["tag", "add", SampleSeed.id(202), "--mood", "One"],
    ] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      let words = outcome.errors + outcome.output
      #expect(words.contains(stray), "\(command): \(outcome)")
      #expect(
        !words.replacing("no event is missing", with: "").contains("missing"),
        "\(command): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: out))
    try FileManager.default.removeItem(atPath: "\(catalog.events)/\(stray)")
    #expect(try await catalog.program("verify").status == 0)
  }

  /// Every segment but the last is read by its headers alone where little is changed (decision 0016).
  @Test func damageInAnEarlierSegmentStopsWhatChangesMuch() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    let size = try Data(contentsOf: URL(filePath: catalog.firstSegment)).count
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "One").status == 0)
    try flip(catalog, at: size * 3 / 4)
    let damaged = try catalog.eventBytes()
    #expect(try await catalog.program("check").status == 3)

    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in [["import", seed], ["rebuild"], ["seal"], ["verify"], ["stats"], ["log"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      #expect(outcome.errors.contains(catalog.firstSegment), "\(command): \(outcome)")
    }
    let doctor = try await catalog.program("doctor")
    #expect(doctor.status == 3, "\(doctor)")
    #expect(try catalog.eventBytes() == damaged)
    // Nothing more is promised of a small change, and nothing less: it goes on behind the log's true end.
    #expect(await catalog.run("tag", "add", SampleSeed.id(202), "--mood", "One").status == 0)
  }

  @Test func aSegmentUnderALowerNumberIsNamedByCheckAndDoctor() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "One").status == 0)
    let names = try catalog.eventBytes().keys.sorted()
    let last = try #require(names.last)
    let other = "00000000000000000007.jsonl.zst"
    try FileManager.default.moveItem(
      atPath: "\(catalog.events)/\(last)", toPath: "\(catalog.events)/\(other)")
    let check = try await catalog.program("check", "--format", "json")
    #expect(check.status == 3, "\(check)")
    #expect(try check.object()["whole"] as? Bool == false)
    let finding = try #require((try check.object()["findings"] as? [[String: Any]])?.first)
    #expect(finding["problem"] as? String == "name")
    #expect(finding["file"] as? String == "\(catalog.events)/\(other)")
    let doctor = try await catalog.program("doctor", "--format", "json")
    #expect(doctor.status == 3, "\(doctor)")
    let findings = try doctor.objects()
    #expect(findings.map { $0["problem"] as? String } == ["damaged"], "\(doctor)")
    #expect(findings.first?["remedy"] as? String == "name the file \(last)", "\(doctor)")
    // Which mends it.
    try FileManager.default.moveItem(
      atPath: "\(catalog.events)/\(other)", toPath: "\(catalog.events)/\(last)")
    #expect(try await catalog.program("doctor").status == 0)
    // A copy beside the segment is in its way, and would replace it.
    try FileManager.default.copyItem(
      atPath: "\(catalog.events)/\(last)", toPath: "\(catalog.events)/\(other)")
    let copied = try await catalog.program("doctor", "--format", "json").objects()
    let remedies = copied.compactMap { $0["remedy"] as? String }
    #expect(
      remedies.contains { $0.contains("this file is a stray copy; move it out of the folder") },
      "\(copied)")
    #expect(!remedies.contains { $0.contains("name the file") }, "\(copied)")
  }

  /// Whole batches are gone: no torn tail, and only the database's checkpoint knows of them.
  @Test func aLogCutAtABatchBelowTheCheckpointLostEvents() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let batch = try await importBatch(of: catalog)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    try Data(bytes.prefix(batch.offset)).write(to: URL(filePath: catalog.firstSegment))
    let cut = try catalog.eventBytes()
    #expect(try await catalog.head().sequence == 1)

    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in [
      ["import", seed], ["items", "music"], ["facets", "music"], ["receipt"],
      ["verify"],
      ["rebuild"], ["seal"], ["check"],
    ] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      #expect(outcome.errors.contains("\(head.sequence)"), "\(command): \(outcome)")
      #expect(outcome.errors.contains("lost events") || outcome.errors.contains("acknowledged"))
      #expect(outcome.errors.contains("restore"), "no advice: \(outcome)")
    }
    #expect(try catalog.eventBytes() == cut)
    let check = try await catalog.program("check", "--format", "json")
    #expect(try check.object()["whole"] as? Bool == false)
  }

  @Test func anEventsFolderThatIsGoneIsALoss() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try FileManager.default.removeItem(atPath: catalog.events)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: catalog.path).sorted()
    }
    let before = try names()
    for command in [["import", seed], ["items", "music"], ["check"], ["status"], ["head"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      #expect(try names() == before, "\(command) left files")
      #expect(outcome.errors.contains("there is no event log in \(catalog.events)"))
      #expect(outcome.errors.contains("restore it from a copy"))
    }
    #expect(!FileManager.default.fileExists(atPath: catalog.events), "a new log was begun")
  }

  @Test func theLogOfAnotherCatalogIsRefused() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let other = try await TestCatalog.imported(revision: 2)
    try #require(await catalog.run("history", "make").status == 0)
    let history = try Data(contentsOf: URL(filePath: catalog.path + "/history.sqlite"))
    try FileManager.default.removeItem(atPath: catalog.events)
    try FileManager.default.copyItem(atPath: other.events, toPath: catalog.events)
    let bytes = try catalog.eventBytes()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let outcome = try await catalog.program("import", seed)
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.errors.contains("`catalogctl rebuild --discard`"))
    #expect(try catalog.eventBytes() == bytes)
    #expect(try await catalog.program("rebuild").status == 3)
    // What reads answers out of the log that is there, and says so; the history of the other one stays.
    for command in [
      ["query", "SELECT title FROM pack ORDER BY title"], ["tables"], ["status"], ["check"],
      ["diff", "1", "--summary"],
    ] {
      let shown = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(shown.status == 3 && shown.errors.contains("another log"), "\(command): \(shown)")
    }
    let titles = "SELECT id, title FROM library_item ORDER BY id"
    let shown = try await catalog.program("query", titles)
    #expect(shown.output == (await other.run("query", titles)).output)
    #expect(shown.output.contains("again"), "\(shown)")
    let live = try await catalog.program("query", "--at", "live", titles)
    #expect(live.status == 3 && !live.output.contains("again"), "\(live)")
    let followed = try await catalog.program(
      "changes", "1", "--follow", "--for", "60", "--format", "jsonl")
    #expect(followed.status == 3 && followed.output.isEmpty, "\(followed)")
    let status = try await catalog.program("status")
    #expect(status.output.contains("and of no use: it is of another log"), "\(status)")
    #expect(status.output.contains("of events that the log does not have"), "\(status)")
    let failed = try await catalog.program("query", "SELECT nothing", "--format", "json")
    #expect(failed.status == 3 && failed.errors.contains("\"status\":3"), "\(failed)")
    let doctor = try await catalog.program("doctor")
    #expect(doctor.status == 3 && !doctor.output.contains("live"), "\(doctor)")
    #expect(
      try Data(contentsOf: URL(filePath: catalog.path + "/history.sqlite")) == history)
    #expect(try await catalog.program("rebuild", "--discard").status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The last batch cut short before anything applied it: what a crash leaves.
  @Test(arguments: [0.1, 0.5, 0.99])
  func aTornTailIsKeptAsideByTheNextWriter(at share: Double) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let whole = try #require(try catalog.eventBytes().values.first).count
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let next = try catalog.copy()
    #expect(
      try await next.program("import", seed, "--at", TestCatalog.time).status == 0)
    let longer = [UInt8](try Data(contentsOf: URL(filePath: next.firstSegment)))
    let torn = longer.prefix(whole + Int(Double(longer.count - whole) * share))
    try Data(torn).write(to: URL(filePath: catalog.firstSegment))

    // Readers go on with what is whole, and repair nothing.
    #expect(try await catalog.head() == head)
    #expect(try await catalog.program("items", "music").status == 0)
    #expect(try await catalog.program("verify").status == 0)
    let check = try await catalog.program("check")
    #expect(check.status == 2, "\(check)")
    let tail = try await catalog.program("check", "--format", "json").object()
    #expect(tail["whole"] as? Bool == true)
    let place = try #require(tail["tornTail"] as? [String: Any])
    #expect(place["offset"] as? Int == whole)
    #expect(place["bytes"] as? Int == torn.count - whole)
    #expect(place["sequence"] as? Int == head.sequence + 1)
    #expect(check.output.contains("torn tail: \(torn.count - whole) bytes"), "\(check)")
    #expect(check.output.contains("offset \(whole), sequence \(head.sequence + 1)"))
    #expect([UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment))) == Array(torn))

    let outcome = try await catalog.program("import", seed, "--at", TestCatalog.time)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.contains("a write that a crash interrupted was truncated"))
    #expect(try await catalog.head() == next.head())
    let kept = try ScratchFolder.contents(catalog.path).values.filter {
      $0 == Array(torn.dropFirst(whole))
    }
    #expect(kept.count == 1, "the torn bytes were not kept")
    #expect(try await catalog.program("verify").status == 0)
    #expect(try await catalog.program("check").output.contains("the log is intact"))
  }
}
