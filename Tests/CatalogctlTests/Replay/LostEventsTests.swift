import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A log that is whole and ends, or goes on otherwise, before what its database has applied: every command
/// says so and ends with status 3.
@Suite(
  .promise(
    "Events that the database has applied and the log has lost are reported by every "
      + "command, with status 3"))
struct LostEventsTests {
  /// A catalog whose log lost its last batches, a way each.
  enum Loss: String, CaseIterable {
    /// The last segment is gone.
    case segment
    /// The segment was cut at the end of a batch.
    case cut
    /// A segment of the same log, with other events.
    case replaced
  }

  private struct Lossy {
    let catalog: TestCatalog
    /// The last event that was acknowledged.
    let acknowledged: Int
    /// The last event that the log holds.
    let left: Int
  }

  private func lossy(_ loss: Loss, hasHistory: Bool = false) async throws -> Lossy {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    let sealed = try catalog.copy()
    let before = try await catalog.head().sequence
    let last = catalog.events + "/" + String(format: "%020d.jsonl.zst", before + 1)
    for mood in ["One", "Two"] {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood)
      #expect(added.status == 0, "\(added)")
    }
    if hasHistory { #expect(await catalog.run("history", "make").status == 0) }
    let acknowledged = try await catalog.head().sequence
    var left = before
    switch loss {
    case .segment: try FileManager.default.removeItem(atPath: last)
    case .cut:
      let stored = try #require(
        await catalog.run("event", "\(acknowledged)").lines.first { $0.hasPrefix("stored: ") })
      let offset = try #require(Int(stored.split(separator: " ").last ?? ""))
      let bytes = try Data(contentsOf: URL(filePath: last))
      try bytes.prefix(offset).write(to: URL(filePath: last))
      left += 2
    case .replaced:
      #expect(await sealed.run("tag", "add", SampleSeed.id(202), "--mood", "Three").status == 0)
      #expect(await sealed.run("tag", "add", SampleSeed.id(203), "--mood", "Four").status == 0)
      try FileManager.default.removeItem(atPath: last)
      try FileManager.default.copyItem(
        atPath: last.replacing(catalog.path, with: sealed.path), toPath: last)
      left = acknowledged
    }
    return Lossy(catalog: catalog, acknowledged: acknowledged, left: left)
  }

  @Test(arguments: Loss.allCases)
  func whatReadsAnswersWarnsAndEndsWithThree(_ loss: Loss) async throws {
    let lossy = try await lossy(loss)
    let catalog = lossy.catalog
    let folder = catalog.folder
    let files = try ScratchFolder.contents(catalog.path).filter { !$0.key.contains("sqlite-") }
    for command in [
      ["head"], ["head", "--catalog=\(catalog.path)"], ["log"], ["event", "2"], ["stats"],
      ["blame", "library_item", SampleSeed.id(201)],
      ["rebuild", "--out", folder.file("again.sqlite")],
      ["materialize", "5", folder.file("then.sqlite")],
      ["query", "--at", "\(lossy.left)", "SELECT count(*) FROM mood"],
      ["query", "SELECT count(*) FROM mood"],
      ["diff", "2", "\(lossy.left)"], ["report", folder.file("report.html")],
      ["bisect", "--good", "1", "SELECT count(*) > 0 FROM library_item"],
      // A history in a temporary folder has their answers.
      ["changes", "1", "2"], ["history", "row", "library_item", SampleSeed.id(201)],
      ["blame", "library_item"],
    ] {
      let outcome = try await Program.catalogctl(
        command.contains { $0.hasPrefix("--catalog") }
          ? command : command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      #expect(!outcome.output.isEmpty, "\(command): no answer: \(outcome)")
      let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("warning: ") }
      #expect(warnings.count == 1, "\(command): \(outcome)")
      #expect(warnings.first?.contains("\(lossy.acknowledged)") == true, "\(command): \(outcome)")
      #expect(warnings.first?.contains("restore it from a copy") == true, "\(command): \(outcome)")
    }
    // An archive of what is left is none of the catalog, be it made or continued.
    for _ in 1...2 {
      let copied = await InProcess.run(["copy", catalog.path, folder.file("archive")])
      #expect(copied.status == 3 && copied.errors.contains("restore it from a copy"), "\(copied)")
    }
    let after = try ScratchFolder.contents(catalog.path).filter { !$0.key.contains("sqlite-") }
    #expect(after == files, "a command that reads changed the catalog")
    // A folder of events alone has nobody who knows more.
    let copied = await InProcess.run(["head", "--catalog", folder.path])
    #expect(copied.status == 1)
    let log = await InProcess.run(["log", "--events", catalog.events])
    #expect(log.status == 0 && log.errors.isEmpty, "\(log)")
  }

  @Test(arguments: Loss.allCases)
  func whatWritesRefuses(_ loss: Loss) async throws {
    let lossy = try await lossy(loss)
    let catalog = lossy.catalog
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    // Those of SQLite are left out that any reader makes.
    func files() throws -> [String: [UInt8]] {
      try ScratchFolder.contents(catalog.path).filter { !$0.key.contains("sqlite-") }
    }
    let before = try files()
    for command in [
      ["history", "make"], ["seal"], ["rebuild"], ["import", seed], ["items", "sfx"],
      ["tag", "add", SampleSeed.id(201), "--mood", "Five"],
      ["diverge", catalog.path],
    ] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(command): \(outcome)")
      #expect(outcome.errors.contains("restore it from a copy"), "\(command): \(outcome)")
      #expect(
        outcome.errors.contains("nothing was appended") == ["import", "tag"].contains(command[0]),
        "\(command): \(outcome)")
      let isSame = try files() == before
      #expect(isSame, "\(command) changed a file")
    }
  }

  /// A command that warned, and then finds that it can do nothing, does not say the same again.
  @Test(arguments: Loss.allCases)
  func aLossIsSaidOnce(_ loss: Loss) async throws {
    let catalog = try await lossy(loss).catalog
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in [
      ["export", catalog.folder.file("out")], ["import", seed], ["history", "make"],
    ] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
      let said = outcome.errors.split(separator: "\n").count {
        $0.contains("restore it from a copy")
      }
      #expect(said == 1, "\(command): \(outcome)")
    }
  }

  /// A checkout of git replaces the log in the same way. With `--discard` the database has the events that are left.
  @Test(arguments: Loss.allCases)
  func aLogThatWasReplacedIsTakenAsItIs(_ loss: Loss) async throws {
    let lossy = try await lossy(loss, hasHistory: true)
    let catalog = lossy.catalog
    let events = try catalog.eventBytes()
    let copy = catalog.folder.file("copy/events")
    try FileManager.default.createDirectory(
      atPath: catalog.folder.file("copy"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: catalog.events, toPath: copy)
    let refused = try await catalog.program("rebuild")
    #expect(refused.status == 3 && refused.errors.contains("rebuild --discard"), "\(refused)")
    for command in ["verify", "check"] {
      let annotated = await catalog.run(command, "--format", "github")
      #expect(annotated.status == 3, "\(annotated)")
      #expect(
        annotated.output.hasPrefix("::error ") && annotated.output.contains("rebuild --discard"),
        "\(annotated)")
    }
    let rebuilt = try await catalog.program("rebuild", "--discard")
    #expect(rebuilt.status == 0 && !rebuilt.errors.contains("lost"), "\(rebuilt)")
    #expect(rebuilt.lines == ["rebuilt \(catalog.database) from \(lossy.left) events"])
    #expect(try catalog.eventBytes() == events)
    // As a catalog that has only this log, and its past, too.
    let other = catalog.folder.file("copy")
    for command in [["receipt"], ["query", "SELECT * FROM mood", "--at", "head"]] {
      let own = try await Program.catalogctl(command + ["--catalog", catalog.path])
      let fresh = try await Program.catalogctl(command + ["--catalog", other])
      #expect(own.status == 0 && own.output == fresh.output, "\(command): \(own)")
    }
    for command in [["verify"], ["doctor"], ["tag", "add", SampleSeed.id(201), "--mood", "Five"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
    let wrong = try await catalog.program("rebuild", "--discard", "--out", "again.sqlite")
    #expect(wrong.status == 64, "\(wrong)")
  }

  /// `history make` refuses, so it is not what the status advises.
  @Test(arguments: Loss.allCases)
  func theStatusOfAHistoryAdvisesWhatHelps(_ loss: Loss) async throws {
    let catalog = try await lossy(loss, hasHistory: true).catalog
    for (command, words) in [("status", "cannot be used"), ("remove", "there is no history")] {
      let outcome = await catalog.run("history", command)
      #expect(outcome.status == 3 && outcome.output.contains(words), "\(outcome)")
      #expect(outcome.output.contains("`catalogctl doctor` says what to do"), "\(outcome)")
      #expect(!outcome.output.contains("history make"), "\(outcome)")
    }
    let verify = await catalog.run("verify", "--history")
    #expect(!verify.errors.contains("question about the past makes it"), "\(verify)")
  }

  /// The command that is named shows what the events changed that were lost, and nothing of those that others appended meanwhile.
  @Test(arguments: Loss.allCases)
  func theDoctorNamesTheLastEventInCommon(_ loss: Loss) async throws {
    let lossy = try await lossy(loss, hasHistory: true)
    let (catalog, common) = (
      lossy.catalog, loss == .replaced ? lossy.acknowledged - 4 : lossy.left
    )
    let doctor = await catalog.run("doctor")
    #expect(doctor.output.contains("`catalogctl diff \(common) live` shows the rows that went"))
    let lost = await catalog.run("diff", "\(common)", "live", "--table", "mood")
    #expect(lost.output.contains("Two") && lost.output.contains("One") == (loss != .cut))
    #expect(!lost.output.contains("Three"), "\(lost)")
    #expect(await catalog.run("history", "remove").status == 3)
    let without = await catalog.run("doctor")
    #expect(
      without.output.contains("`catalogctl diff \(lossy.left) live` shows how rows of"),
      "\(without)")
  }

  /// A user may delete a database. What its history has seen is not forgotten with it.
  @Test(arguments: Loss.allCases)
  func withoutADatabaseTheHistoryTellsOfTheLoss(_ loss: Loss) async throws {
    let catalog = try await lossy(loss, hasHistory: true).catalog
    let events = try catalog.eventBytes()
    for ending in ["", "-wal", "-shm", "-proved"] {
      try? FileManager.default.removeItem(atPath: catalog.database + ending)
    }
    for command in [
      ["check"], ["doctor"], ["items", "sfx"],
      ["tag", "add", SampleSeed.id(201), "--mood", "Five"],
      ["rebuild"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(command): \(outcome)")
    }
    #expect(try catalog.eventBytes() == events)
    #expect(!FileManager.default.fileExists(atPath: catalog.database))
    #expect(await catalog.run("rebuild", "--discard").status == 0)
    for command in [["check"], ["tag", "add", SampleSeed.id(201), "--mood", "Five"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
  }

  @Test(arguments: Loss.allCases)
  func salvageAsksTheDatabaseWhatIsMissing(_ loss: Loss) async throws {
    let lossy = try await lossy(loss)
    let catalog = lossy.catalog
    #expect(await catalog.run("check").status == 3)
    for options in [[], ["--past-gaps"]] {
      let out = catalog.folder.file("rescued\(options.count)")
      let outcome = await InProcess.run(
        ["salvage", out, "--catalog", catalog.path, "--format", "json"] + options)
      #expect(outcome.status == 2, "\(outcome)")
      let report = try outcome.object()
      #expect(report["lostThrough"] as? Int == lossy.acknowledged, "\(outcome)")
      let missing = try #require(report["missing"] as? [[String: Any]])
      if loss == .replaced {
        // The numbers are there, with other events.
        #expect(missing.isEmpty, "\(outcome)")
      } else {
        let range = try #require(missing.first, "\(outcome)")
        #expect(missing.count == 1 && range["firstSequence"] as? Int == lossy.left + 1)
        #expect(range["lastSequence"] as? Int == lossy.acknowledged, "\(outcome)")
      }
      #expect(await InProcess.run(["check", "--catalog", out]).status == 0)
    }
    let text = await catalog.run("salvage", catalog.folder.file("text"))
    #expect(text.status == 2)
    #expect(
      text.lines.contains {
        $0.hasPrefix("missing ") && $0.contains("\(lossy.acknowledged)")
          && $0.contains("the database has applied them")
      }, "\(text)")
    // Of a folder of events alone nobody knows more than the log.
    let copied = await InProcess.run(
      ["salvage", catalog.folder.file("alone"), "--events", catalog.events])
    #expect(copied.status == 0, "\(copied)")
  }

  /// Others continued an earlier state of the log, which ends before what the database has applied.
  @Test(arguments: [true, false])
  func aSalvageNamesWhatOthersReplaced(hasHistory: Bool) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    let other = try catalog.copy()
    let before = try await catalog.head().sequence
    for mood in ["One", "Two"] {
      #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood).status == 0)
    }
    if hasHistory { #expect(await catalog.run("history", "make").status == 0) }
    let acknowledged = try await catalog.head().sequence
    #expect(await other.run("tag", "add", SampleSeed.id(202), "--mood", "Three").status == 0)
    let end = try await other.head().sequence
    #expect(end < acknowledged)
    try FileManager.default.removeItem(atPath: catalog.events)
    try FileManager.default.copyItem(atPath: other.events, toPath: catalog.events)

    let text = await catalog.run("salvage", catalog.folder.file("text"))
    #expect(text.status == 2, "\(text)")
    let words =
      hasHistory
      ? "missing  events \(before + 1) to \(acknowledged): the database has applied them, the log holds others"
      : "missing  perhaps some before these, too"
    #expect(text.lines.contains { $0.hasPrefix(words) }, "\(text)")
    #expect(text.lines.count { $0.hasPrefix("missing") } == (hasHistory ? 1 : 2), "\(text)")
    let report = try await catalog.run("salvage", catalog.folder.file("json"), "--format", "json")
      .object()
    let missing = try #require(report["missing"] as? [[String: Any]])
    #expect(
      missing.map { $0["firstSequence"] as? Int } == [hasHistory ? before + 1 : end + 1]
        && missing.map { $0["lastSequence"] as? Int } == [acknowledged], "\(report)")
  }

  @Test func aLogThatIsGoneIsALossForWhatReadsToo() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    try FileManager.default.removeItem(atPath: catalog.events)
    for command in [["head"], ["log"], ["stats"], ["salvage", catalog.folder.file("out")]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(command): \(outcome)")
      #expect(outcome.errors.contains("has applied event \(head.sequence)"), "\(outcome)")
    }
    #expect(!catalog.folder.exists("out"))
  }

  /// What a database says that was changed by hand is no loss.
  @Test(arguments: [
    "UPDATE projection_checkpoint SET sequence = sequence + 26000",
    "UPDATE projection_checkpoint SET sequence = 'x'",
    "UPDATE projection_checkpoint SET chain = 'abc'",
    "UPDATE projection_checkpoint SET log_id = 'other', sequence = 99999",
    "UPDATE projection_checkpoint SET log_id = '11111111-2222-3333-4444-555555555555'",
    """
    UPDATE projection_checkpoint SET log_id = '11111111-2222-3333-4444-555555555555', sequence = 99999
    """,
    "DROP TABLE projection_checkpoint",
  ])
  func aDatabaseThatWasChangedByHandTakesNoEvents(_ sql: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite(sql)
    for command in [["head"], ["log"], ["salvage", catalog.folder.file("out")]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(command): \(outcome)")
    }
  }

  /// The log ends before its database only where it lost events: not where both grow meanwhile.
  @Test func beforeAWriterNobodyWarns() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let writing = Task {
      for number in 1...12 {
        let added = try await catalog.program(
          "tag", "add", SampleSeed.id(201), "--mood", "Mood \(number)")
        #expect(added.status == 0, "\(added)")
      }
    }
    for _ in 0..<60 {
      let head = await catalog.run("head")
      #expect(head.status == 0 && head.errors.isEmpty, "\(head)")
      let log = await catalog.run("log", "--newest", "--limit", "1")
      #expect(log.status == 0 && log.errors.isEmpty, "\(log)")
    }
    try await writing.value
  }

  /// Reading the checkpoint makes no files beside the database, where nobody has it open.
  @Test func headLeavesNothingBeside() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let folder = catalog.folder.file("a # folder? 100%")
    try FileManager.default.moveItem(atPath: catalog.path, toPath: folder)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder + "/catalog.sqlite" + suffix)
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let head = await InProcess.run(["head", "--catalog", folder])
    #expect(head.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    // And it was read: a log that lost events is noticed.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/events")
    where name.hasSuffix(".zst") {
      let path = folder + "/events/" + name
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(try Self.endOfFirstBatch(bytes)).write(to: URL(filePath: path))
    }
    #expect(await InProcess.run(["head", "--catalog", folder]).status == 3)
  }

  /// The stored length of an open segment's first batch, by its header.
  private static func endOfFirstBatch(_ bytes: Data) throws -> Int {
    let bytes = [UInt8](bytes)
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    return (0..<number(120)).reduce(132 + 12 * number(120)) { $0 + number(132 + 12 * $1) }
  }
}
