import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What `doctor` says of the log, the database and leftovers; of packs see `DownloadCommandTests`.
@Suite(
  .promise("`doctor` names what is wrong with log, database and leftovers, and changes nothing"))
struct DoctorCommandTests {
  /// Area and problem of each finding; nothing of the catalog changes.
  private func findings(
    _ catalog: TestCatalog, status: Int32, _ location: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let before = try ScratchFolder.contents(catalog.path).filter { !$0.key.contains("sqlite-") }
    let outcome = await catalog.run("doctor", "--format", "json")
    #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
    let after = try ScratchFolder.contents(catalog.path).filter { !$0.key.contains("sqlite-") }
    #expect(after == before, "the catalog was changed", sourceLocation: location)
    return try outcome.objects().map { object in
      #expect((object["remedy"] as? String)?.isEmpty == false, sourceLocation: location)
      return "\(object["area"] ?? "") \(object["problem"] ?? "") \(object["path"] ?? "")"
    }
  }

  private func sample() async throws -> TestCatalog {
    try await SharedCatalogs.sample.value.copy(hasHistory: false)
  }

  @Test func itLeavesNoFiles() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try ScratchFolder.contents(catalog.path)
    for command in [["doctor"], ["verify"], ["check"], ["lint"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(command): \(outcome)")
      let after = try ScratchFolder.contents(catalog.path)
      // The line that says that all was right is derived, and may come. SQLite's own files may be in the copy, and go.
      let sqlite: Set = ["catalog.sqlite-wal", "catalog.sqlite-shm"]
      #expect(
        Set(after.keys).subtracting(["catalog.sqlite-proved"])
          == Set(before.keys).subtracting(["catalog.sqlite-proved"]).subtracting(sqlite),
        "\(command)")
      if command == ["doctor"] {
        #expect(after["catalog.sqlite"] == before["catalog.sqlite"])
      }
    }
  }

  @Test func aSoundCatalogHasNone() async throws {
    #expect(try await findings(sample(), status: 0).isEmpty)
  }

  /// As after a server that was restored from an older copy: the rows went with `rebuild --discard`, the history has them still.
  @Test func aHistoryThatKnowsMoreThanTheLogIsANote() async throws {
    let catalog = try await sample()
    let files = FileManager.default
    let backup = catalog.folder.file("backup")
    try files.copyItem(atPath: catalog.events, toPath: backup)
    #expect(await catalog.run("tag", "add", SampleSeed.id(101), "--mood", "Windy").status == 0)
    #expect(await catalog.run("history", "make").status == 0)
    let lost = try await catalog.head().sequence
    try files.removeItem(atPath: catalog.events)
    try files.moveItem(atPath: backup, toPath: catalog.events)
    #expect(await catalog.run("rebuild", "--discard").status == 0)
    #expect(try await findings(catalog, status: 0) == ["projection historyAhead history.sqlite"])
    let text = await catalog.run("doctor")
    #expect(
      text.output.contains("it has events up to \(lost), and the log ends at event"), "\(text)")
    #expect(await catalog.run("show", "2").status == 0)
    #expect(try await findings(catalog, status: 0).isEmpty)
  }

  @Test func damageOfTheLogIsNamedWithTheEventsThatAreMissing() async throws {
    let damaged = try await DamagedCatalog(damaging: 3)
    let name = "events/00000000000000000001.jsonl.zst"
    #expect(try await findings(damaged.catalog, status: 3) == ["log damaged \(name)"])
    let text = await damaged.catalog.run("doctor")
    let first = damaged.imported + 3
    #expect(text.lines.first?.contains("events \(first) to \(first + 1) are missing") == true)
    #expect(text.output.contains("catalogctl salvage"))
  }

  @Test func lostEventsAndALogThatIsGoneAreNamed() async throws {
    let catalog = try await sample()
    let other = try catalog.copy()
    #expect(await other.run("tag", "add", SampleSeed.id(201), "--mood", "New").status == 0)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: catalog.database + suffix)
      if FileManager.default.fileExists(atPath: other.database + suffix) {
        try FileManager.default.copyItem(
          atPath: other.database + suffix, toPath: catalog.database + suffix)
      }
    }
    #expect(try await findings(catalog, status: 3) == ["log lostEvents events"])
    try FileManager.default.removeItem(atPath: catalog.events)
    #expect(try await findings(catalog, status: 3) == ["log lostEvents events"])
  }

  @Test func theStatesOfTheDatabaseAreNamed() async throws {
    let missing = try await sample()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: missing.database + suffix)
    }
    #expect(
      try await findings(missing, status: 0) == ["projection noDatabase catalog.sqlite"])
    try Data("no database at all, and long enough".utf8).write(
      to: URL(filePath: missing.database))
    #expect(
      try await findings(missing, status: 2) == ["projection notADatabase catalog.sqlite"])

    for (sql, problem) in [
      ("UPDATE projection_checkpoint SET fingerprint = 'other'", "stale"),
      ("DELETE FROM projection_checkpoint", "unmarked"),
      (
        "UPDATE projection_checkpoint SET log_id = '11111111-2222-3333-4444-555555555555'",
        "checkpointChanged"
      ),
      ("UPDATE projection_checkpoint SET log_id = 'other'", "checkpointChanged"),
    ] {
      let catalog = try await sample()
      try await catalog.sqlite(sql)
      #expect(
        try await findings(catalog, status: 2) == ["projection \(problem) catalog.sqlite"])
      #expect(await catalog.run("rebuild").status == 0)
      #expect(try await findings(catalog, status: 0).isEmpty)
    }
  }

  @Test func aDatabaseThatIsBehindIsNamed() async throws {
    let catalog = try await sample()
    let other = try catalog.copy()
    #expect(await other.run("tag", "add", SampleSeed.id(201), "--mood", "New").status == 0)
    try FileManager.default.removeItem(atPath: catalog.events)
    try FileManager.default.copyItem(atPath: other.events, toPath: catalog.events)
    #expect(try await findings(catalog, status: 0) == ["projection behind catalog.sqlite"])
    #expect(await catalog.run("doctor").errors.contains("0 findings, 1 note"))
    #expect(await catalog.run("packs").status == 0)
    #expect(try await findings(catalog, status: 0).isEmpty)
  }

  @Test func leftoversAreNamed() async throws {
    let catalog = try await sample()
    let segment = "events/00000000000000000001.jsonl.zst"
    // No process has a number like this one.
    for name in [
      ".catalog.sqlite.rebuild-2147483000", "catalog.sqlite.unusable-1", segment + ".torn-77",
      "events/.00000000000000000099.jsonl.zst.new",
    ] {
      try Data("left".utf8).write(to: URL(filePath: "\(catalog.path)/\(name)"))
    }
    #expect(
      try await findings(catalog, status: 2) == [
        "leftovers unfinishedFile .catalog.sqlite.rebuild-2147483000",
        "leftovers keptAside catalog.sqlite.unusable-1",
        "leftovers unfinishedFile events/.00000000000000000099.jsonl.zst.new",
        "leftovers tornCopy \(segment).torn-77",
      ])
    // What the next command removes is nothing to do for a person.
    for name in ["catalog.sqlite.unusable-1", segment + ".torn-77"] {
      try FileManager.default.removeItem(atPath: "\(catalog.path)/\(name)")
    }
    #expect(try await findings(catalog, status: 0).count == 2)
    #expect(await catalog.run("doctor").errors.contains("0 findings, 2 notes"))
  }

  @Test func aTornTailIsAFinding() async throws {
    let catalog = try await sample()
    let other = try catalog.copy()
    #expect(await other.run("tag", "add", SampleSeed.id(201), "--mood", "New").status == 0)
    let longer = try Data(contentsOf: URL(filePath: other.firstSegment))
    try longer.dropLast(1).write(to: URL(filePath: catalog.firstSegment))
    #expect(
      try await findings(catalog, status: 2) == ["log torn events/00000000000000000001.jsonl.zst"])
    // Of the same log with a database that has applied the lost event, both say something else, and again the same.
    try longer.dropLast(1).write(to: URL(filePath: other.firstSegment))
    for (torn, advice) in [
      (catalog, "the next command that writes moves it to a file of its own and continues"),
      (other, "leave it: no command moves it while acknowledged events are missing"),
    ] {
      for command in ["doctor", "check"] {
        let outcome = await torn.run(command)
        #expect(outcome.output.contains(advice), "\(command): \(outcome)")
      }
    }
  }

  /// One text for one state, which keeps the evidence; and a command that only reads does not speak of writing.
  @Test func driftIsToldInOneWay() async throws {
    let told =
      "the database was changed by hand; `catalogctl verify` shows what differs, "
      + "`catalogctl rebuild --keep-old FILE` keeps a copy and rebuilds it"
    for (sql, commands) in [
      ("UPDATE library_item SET title = 'Oops'", [["items", "music"], ["search", "song"]]),
      ("CREATE TABLE mine (x)", [["items", "music"]]),
      ("DELETE FROM projection_checkpoint", [["items", "music"], ["verify", "--quick"]]),
      ("UPDATE projection_digest SET digest = x'00'", [["items", "music"]]),
    ] {
      let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
      try await catalog.sqlite(sql)
      for command in commands {
        let outcome = await InProcess.run(command + ["--catalog", catalog.path])
        #expect(outcome.status == 2, "\(sql), \(command): \(outcome)")
        #expect(outcome.errors.contains(told), "\(sql), \(command): \(outcome)")
      }
    }
  }
}
