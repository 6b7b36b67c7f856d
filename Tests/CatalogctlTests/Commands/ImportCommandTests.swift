import CatalogTestSupport
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "Importing again appends nothing, and a revision appends the difference; downloads are "
      + "kept"))
struct ImportCommandTests {
  @Test func aFirstImportCountsItsEventsByType() async throws {
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(SampleSeed.text())
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let head = try await catalog.head()
    let lines = outcome.lines
    #expect(
      lines[0].hasSuffix(
        "seed.json: seed \"sample\", revision 1: appended \(head.sequence - 1) events"))
    #expect(lines.contains("           1  seed.imported"))
    #expect(lines.contains("          20  item.upserted"))
    #expect(lines.contains("           4  playlist.linked"))
    #expect(lines.contains("           2  pack.upserted"))
    #expect(lines.last == "head \(head.sequence) \(head.chain)")
  }

  @Test func jsonReportsEveryFile() async throws {
    let catalog = try TestCatalog()
    let one = try catalog.folder.write(SampleSeed.text(), to: "one.json")
    let two = try catalog.folder.write(SampleSeed.text(revision: 2), to: "two.json")
    let outcome = await catalog.run("import", one, two, "--format", "json")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let report = try outcome.object()
    let common: Set = ["outcome", "events", "differing", "sequence", "chain"]
    #expect(Set(report.keys) == common.union(["documents"]))
    let documents = try #require(report["documents"] as? [[String: Any]])
    try #require(documents.count == 2)
    var sum: [String: Int] = [:]
    for (document, (path, revision)) in zip(documents, [(one, 1), (two, 2)]) {
      #expect(
        Set(document.keys) == common.union(["path", "seedId", "revision", "tables"]))
      #expect(document["path"] as? String == path)
      #expect(document["seedId"] as? String == "sample")
      #expect(document["revision"] as? Int == revision)
      #expect(document["outcome"] as? String == "imported")
      let events = try #require(document["events"] as? [String: Int])
      sum.merge(events, uniquingKeysWith: +)
    }
    #expect(report["outcome"] as? String == "imported")
    #expect(report["events"] as? [String: Int] == sum)
    let head = try await catalog.head()
    #expect(report["sequence"] as? Int == head.sequence)
    #expect(report["chain"] as? String == head.chain)
  }

  @Test(arguments: ["gzip", "zstd"])
  func aCompressedSeedIsThePlainOne(tool: String) async throws {
    let catalog = try TestCatalog()
    let plain = try catalog.folder.write(SampleSeed.text(), to: "seed.json")
    let compressed = plain + (tool == "gzip" ? ".gz" : ".zst")
    #expect(try await Program.run(tool, ["-k", "-q", plain]).status == 0)
    let outcome = await catalog.run("import", compressed)
    #expect(outcome.status == 0 && outcome.output.contains("seed \"sample\""), "\(outcome)")
    let again = await catalog.run("import", plain, "--dry-run")
    #expect(again.status == 0 && again.output.contains("nothing new"), "\(again)")
    let damaged = try Data(contentsOf: URL(filePath: compressed)).dropLast(20)
    let cut = try catalog.folder.write([UInt8](damaged), to: "cut")
    let head = try await catalog.head()
    let refused = await catalog.run("import", cut)
    #expect(
      refused.status == 1
        && refused.errors.contains("ends in the middle of its compressed data"), "\(refused)")
    #expect(try await catalog.head().sequence == head.sequence)
  }

  @Test func standardInputIsADocument() async throws {
    let catalog = try TestCatalog()
    func imported(_ text: String) async throws -> Outcome {
      try await Program.run(
        BuiltProgram.path("catalogctl"), ["import", "-", "--catalog", catalog.path], input: text)
    }
    let outcome = try await imported(SampleSeed.text())
    #expect(
      outcome.status == 0
        && outcome.output.hasPrefix("standard input: seed \"sample\", revision 1: appended"),
      "\(outcome)")
    let empty = try await imported("")
    #expect(
      empty.status == 1 && empty.errors.contains("standard input: the document is empty"),
      "\(empty)")
    let twice = try TestCatalog()
    let refused = await twice.run("import", "-", "-")
    #expect(refused.status == 64 && refused.errors.contains("write - once"), "\(refused)")
    let broken = try await imported("{")
    #expect(broken.status == 1 && broken.errors.contains("standard input: "), "\(broken)")
  }

  @Test(arguments: [
    (#"{"tracks": [], "collections": []}"#, "the document of a track library", "tracks import"),
    (
      #"{"packId": "x", "version": 1, "assets": []}"#, "the manifest of a pack of sounds",
      "manifest apply"
    ),
    (#"{"package": {}}"#, "the manifest of a package of concerts", "shows import"),
    (#"{"kind": "shop", "tables": {}}"#, "a description of tables", "init --describe"),
  ])
  func anotherDocumentIsNamed(text: String, name: String, command: String) async throws {
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(text)
    #expect(outcome.status == 1 && outcome.errors.contains("this is \(name)"))
    #expect(outcome.errors.contains("`catalogctl \(command)"), "\(outcome)")
    // A seed with faults of its own is none of them.
    let seed = try await catalog.importSeed(#"{"seedId": "x", "tracks": [], "collections": []}"#)
    #expect(!seed.errors.contains("this is"), "\(seed)")
  }

  @Test func anImportOfATableNeedsACatalogOfTables() async throws {
    let catalog = try TestCatalog()
    let outcome = await catalog.run("import", "goods=goods list.csv")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "catalogctl: goods=goods list.csv: no file has this name; NAME=FILE is a table: `catalogctl init --table "
        + "'goods=goods list.csv'` makes a catalog for it, and `import 'goods=goods list.csv'` reads it there\n",
      "\(outcome)")
    let list = try catalog.folder.write("sku\nA\n", to: "list.csv")
    let elsewhere = await catalog.run("import", "goods=\(list)")
    #expect(
      elsewhere.status == 1 && elsewhere.errors.contains("here is no catalog of tables")
        && elsewhere.errors.contains("--catalog"), "\(elsewhere)")
    let plain = await catalog.run("import", "goods.json")
    #expect(plain.errors.contains("goods.json: the file does not exist; check the name"))
  }

  @Test func theSameDocumentAgainAppendsNothing() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let bytes = try catalog.eventBytes()
    let again = try await catalog.importSeed(SampleSeed.text())
    #expect(again.status == 0)
    #expect(again.output.contains("nothing new, 0 events"))
    #expect(try await catalog.head() == head)
    #expect(try catalog.eventBytes() == bytes)
    let json = try await catalog.importSeed(SampleSeed.text(), "--format", "json")
    let report = try json.object()
    #expect(report["outcome"] as? String == "unchanged")
    #expect(report["events"] as? [String: Int] == [:])
    #expect(report["chain"] as? String == head.chain)
  }

  @Test func theSameContentInOtherBytesAppendsNothing() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let again = try await catalog.importSeed(SampleSeed.text() + "\n \n")
    #expect(again.status == 0)
    #expect(again.output.contains("0 events"))
    #expect(try await catalog.head() == head)
  }

  @Test func aNewRevisionAppendsTheDifference() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 2), "--format", "json")
    let events = try #require(try outcome.object()["events"] as? [String: Int])
    #expect(
      events == [
        "seed.imported": 1, "dimension.value.added": 1, "item.upserted": 2,
        "item.visibility.changed": 1, "pack.upserted": 1, "item.tags.set": 9, "pack.items.set": 1,
      ])
  }

  @Test func aDryRunWithChangesExits2AndChangesNothing() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try ScratchFolder.contents(catalog.path)
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 2), "--dry-run")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("would append 16 events"))
    #expect(try ScratchFolder.contents(catalog.path) == before)
    #expect(try catalog.eventBytes() == before.events)
    let receipt = try await catalog.receipt()
    let json = try await catalog.importSeed(
      SampleSeed.text(revision: 2), "--dry-run", "--format", "json")
    #expect(json.status == 2)
    #expect(try json.object()["outcome"] as? String == "planned")
    #expect(try await catalog.receipt() == receipt)
    #expect(try catalog.eventBytes() == before.events)
  }

  @Test func aDryRunWithoutChangesExits0() async throws {
    let catalog = try await TestCatalog.imported()
    let bytes = try catalog.eventBytes()
    let outcome = try await catalog.importSeed(SampleSeed.text(), "--dry-run")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("nothing new, 0 events"))
    #expect(try catalog.eventBytes() == bytes)
  }

  @Test func aDryRunMakesNoFolder() async throws {
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(SampleSeed.text(), "--dry-run")
    #expect(outcome.status == 2)
    #expect(!catalog.folder.exists("catalog"))
    let json = try await catalog.importSeed(SampleSeed.text(), "--dry-run", "--format", "json")
    let report = try json.object()
    #expect(report["sequence"] == nil && report["chain"] == nil)
    #expect(!catalog.folder.exists("catalog"))
  }

  /// Not even what a killed writer left in the log for the next one is applied.
  @Test(arguments: [true, false])
  func aDryRunOverADatabaseThatIsBehindWritesNothing(isThere: Bool) async throws {
    let catalog = try await TestCatalog.imported()
    let old = catalog.folder.file("old.sqlite")
    try FileManager.default.copyItem(atPath: catalog.database, toPath: old)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let planned = try await catalog.importSeed(SampleSeed.text(revision: 3), "--dry-run")
    for ending in ["", "-proved"] {
      try FileManager.default.removeItem(atPath: catalog.database + ending)
    }
    if isThere { try FileManager.default.copyItem(atPath: old, toPath: catalog.database) }
    let before = try ScratchFolder.contents(catalog.path)
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 3), "--dry-run")
    #expect(outcome.status == planned.status && outcome.output == planned.output, "\(outcome)")
    #expect(try ScratchFolder.contents(catalog.path) == before)
    let same = try await catalog.importSeed(SampleSeed.text(revision: 2), "--dry-run")
    #expect(same.status == 0, "\(same)")
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  @Test func aDryRunNeedsNoLock() async throws {
    let catalog = try await TestCatalog.imported()
    let lock = try HeldLock(folder: catalog.events)
    defer { lock.release() }
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 2), "--dry-run")
    #expect(outcome.status == 2)
  }

  @Test func aDryRunPlansEachFileAfterTheOnesBeforeIt() async throws {
    let catalog = try TestCatalog()
    let one = try catalog.folder.write(SampleSeed.text(), to: "one.json")
    let outcome = await catalog.run("import", one, one, "--dry-run", "--format", "json")
    #expect(outcome.status == 2)
    let documents = try #require(try outcome.object()["documents"] as? [[String: Any]])
    #expect(documents.map { $0["outcome"] as? String } == ["planned", "unchanged"])
  }

  /// A copy of catalog.sqlite without its write-ahead log is what people take along.
  @Test func theDatabaseFileAloneHoldsTheRows() async throws {
    let catalog = try await TestCatalog.imported()
    let alone = catalog.folder.file("alone.sqlite")
    try FileManager.default.copyItem(atPath: catalog.database, toPath: alone)
    let rows = try await Program.run("sqlite3", [alone, "SELECT count(*) FROM library_item"])
    #expect(rows.output == "\(SampleSeed.itemCount)\n", "\(rows)")
  }

  @Test func retiringHidesPackItemsAndNeverMusic() async throws {
    let catalog = try await TestCatalog.imported()
    let small = """
      {"format":1,"seedId":"sample","revision":2,"dimensions":{"locations":[],"moods":[],
       "musicThemes":[],"atmosphereThemes":[],"sfxThemes":[],"creatureTypes":[]},
       "music":[],"packs":[]}
      """
    let kept = try await catalog.copy().importSeed(small)
    #expect(kept.status == 0)
    #expect(!kept.output.contains("item.visibility.changed"))
    let retired = try await catalog.importSeed(small, "--retire-missing")
    #expect(retired.status == 0)
    #expect(retired.output.contains("16  item.visibility.changed"))
    #expect(await catalog.run("items", "music").lines.count == 4)
    #expect(await catalog.run("items", "sfx").lines.isEmpty)
  }

  @Test func theTimeOfTheEventsIsTheOneThatWasGiven() async throws {
    let catalog = try await TestCatalog.imported()
    let lines = await catalog.run("log", "--format", "json").lines
    #expect(lines.allSatisfy { $0.contains("\"at\":\"2026-01-31T12:00:00.000Z\"") })
  }
}

extension [String: [UInt8]] {
  /// Of the contents of a catalog's folder: those of its events folder, but for the lock.
  fileprivate var events: [String: [UInt8]] {
    var events: [String: [UInt8]] = [:]
    for (name, bytes) in self where name.hasPrefix("events/") {
      events[String(name.dropFirst("events/".count))] = bytes
    }
    return events
  }
}
