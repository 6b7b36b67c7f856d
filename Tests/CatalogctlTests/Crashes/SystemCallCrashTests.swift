import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `kill -9` on entry to each system call that an import makes files with, through `strace`.
///
/// What counts is what the next command finds: a log that is whole or torn, never damaged, and an
/// import that brings the catalog to where an import that nobody killed brings it.
@Suite(
  .promise(
    "A batch is in the log as a whole or not at all, wherever the process dies",
    by: "SIGKILL at every call that writes, syncs, links, renames, truncates or removes, "
      + "by strace"),
  .promise(
    "A killed `salvage` is done again by the same command, and its folder belongs to one "
      + "process at a time"),
  .promise(
    "A process that is killed while it makes, updates or removes the history leaves "
      + "nothing, and the next question is answered as by a replay"),
  .serialized, .enabled(if: Strace.works, "strace cannot trace a process here"))
struct SystemCallCrashTests {
  @Test func anUpdateSurvivesAKillAtEveryCall() async throws {
    let before = try await TestCatalog.imported()
    let update = SampleSeed.text(revision: 2)
    let unkilled = try before.copy()
    let points = try await Strace.points(of: update, in: unkilled, atMost: 60)
    #expect(points.count >= 10, "\(points)")
    let reference = try await Reference(unkilled)

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests 1", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, during: update, in: catalog)

      // Readers first: nothing but a writer repairs.
      let check = await catalog.run("check")
      #expect(check.status == 0, "\(point): \(check)")
      let head = try await catalog.head()
      let isOld = try await head == before.head()
      #expect(isOld || head == reference.head, "\(point): half an import")
      #expect(await catalog.run("items", "music").status == 0, "\(point)")

      let again = try await catalog.importSeed(update)
      #expect(again.status == 0, "\(point): \(again)")
      #expect(try await catalog.head() == reference.head, "\(point)")
      #expect(try await catalog.receipt() == reference.receipt, "\(point)")
      let verified = try await catalog.program("verify")
      #expect(verified.status == 0, "\(point): \(verified)")
      #expect(try leftovers(in: catalog).isEmpty, "\(point)")
      return run
    }
  }

  /// All of a revert or nothing; the same command does the rest.
  @Test func aRevertSurvivesAKillAtEveryCall() async throws {
    let before = try await TestCatalog.imported()
    try await before.importSeed(SampleSeed.text(revision: 2))
    _ = await before.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    _ = await before.run("history", "make")
    let head = try await before.head()
    let events = await before.run("log", "--format", "json").output.split(separator: "\n")
    let first = try #require(
      events.last { $0.contains("\"by\":\"seed:") }?.firstMatch(of: /"op":"([^"]*)"/))
    let command = ["revert", String(first.output.1), "--catalog"]
    let unkilled = try before.copy()
    let points = try await Strace.points(command + [unkilled.path], in: unkilled, atMost: 60)
    #expect(points.count >= 10, "\(points)")
    let reverted = try await unkilled.head()
    #expect(reverted.sequence > head.sequence)
    let content = try await unkilled.query(
      "SELECT id, title, is_visible FROM library_item ORDER BY 1")

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests revert", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, command + [catalog.path])
      let check = await catalog.run("check")
      #expect(check.status == 0, "\(point): \(check)")
      let sequence = try await catalog.head().sequence
      #expect([head.sequence, reverted.sequence].contains(sequence), "\(point): half a revert")
      let again = await catalog.run("revert", command[1])
      #expect([0, 2].contains(again.status), "\(point): \(again)")
      #expect(try await catalog.head().sequence == reverted.sequence, "\(point)")
      #expect(
        try await catalog.query("SELECT id, title, is_visible FROM library_item ORDER BY 1")
          == content, "\(point)")
      let verified = try await catalog.program("verify")
      #expect(verified.status == 0, "\(point): \(verified)")
      let left = try leftovers(in: catalog).filter { !Self.isOfHistory($0) }
      #expect(left.isEmpty, "\(point): \(left)")
      return run
    }
  }

  @Test func aFirstImportSurvivesAKillAtEveryCall() async throws {
    let seed = SampleSeed.text()
    let unkilled = try TestCatalog()
    let points = try await Strace.points(of: seed, in: unkilled, atMost: 60)
    #expect(points.count >= 20, "\(points)")
    let reference = try await Reference(unkilled)

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests 2", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try TestCatalog()
      let run = try await Strace.kill(point, during: seed, in: catalog)

      let check = await catalog.run("check")
      if check.status != 0 {
        #expect(check.status == 1, "\(point): \(check)")
        #expect(check.errors.contains("there is no catalog in"), "\(point): \(check)")
      } else {
        let sequence = try await catalog.head().sequence
        #expect([1, reference.head.sequence].contains(sequence), "\(point): half an import")
      }

      let again = try await catalog.importSeed(seed)
      #expect(again.status == 0, "\(point): \(again)")
      // The id of a new log is random, and the chain hash begins with it.
      #expect(try await catalog.head().sequence == reference.head.sequence, "\(point)")
      #expect(try await catalog.receipt(content: true) == reference.content, "\(point)")
      let verified = try await catalog.program("verify")
      #expect(verified.status == 0, "\(point): \(verified)")
      #expect(try leftovers(in: catalog).isEmpty, "\(point)")
      return run
    }
  }

  /// Eight of them, spread evenly: what is left is cleared by its name, whatever was under way.
  private static func some(of points: [Strace.Point]) -> [Strace.Point] {
    (0..<8).map { points[$0 * (points.count - 1) / 7] }
  }

  /// The command continues if it is run again, or the new catalog is whole already.
  @Test func aSalvageIsDoneAgainAfterAKillAtEveryCall() async throws {
    let catalog = try await TestCatalog.imported()
    let arguments = ["--past-gaps", "--catalog", catalog.path]
    let points = try await Strace.points(
      ["salvage", catalog.folder.file("unkilled")] + arguments, in: catalog, atMost: 6)
    try await Strace.atEach(Self.some(of: points)) { point in
      let out = catalog.folder.file("\(UUID())")
      let run = try await Strace.kill(point, ["salvage", out] + arguments)
      if !FileManager.default.fileExists(atPath: out + "/events") {
        let again = await InProcess.run(["salvage", out] + arguments)
        #expect(again.status == 0, "\(point): \(again)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: out)
      #expect(names == ["events"], "\(point)")
      #expect(await InProcess.run(["check", "--catalog", out]).status == 0, "\(point)")
      return run
    }
  }

  /// A history that is made, made again, or brought up to date by a question: the next question has the answer of a replay, and
  /// nothing is left of the killed process.
  @Test(arguments: [
    ["history", "make"], ["history", "make", "--again"], ["query", "SELECT 1"],
    ["history", "remove"],
  ])
  func aHistorySurvivesAKillAtEveryCall(command: [String]) async throws {
    let before = try await TestCatalog.imported()
    if command != ["history", "make"] {
      #expect(await before.run("history", "make").status == 0)
      for number in 101...103 {
        _ = await before.run("tag", "add", SampleSeed.id(number), "--mood", "Windy")
      }
    }
    let head = "\(try await before.head().sequence)"
    let command = command[0] == "query" ? command + ["--at", head] : command
    let unkilled = try before.copy()
    let points = try await Strace.points(
      command + ["--catalog", unkilled.path], in: unkilled, atMost: 40)
    #expect(!points.isEmpty)
    let sql = "SELECT item_id, mood_id FROM item_mood ORDER BY 1, 2"
    let expected = await before.run("query", "--no-history", "--at", head, sql)

    let tried = Sample.of(points, atMost: 5, "SystemCallCrashTests \(command)", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, command + ["--catalog", catalog.path])
      let asked = await catalog.run("query", "--at", head, sql)
      #expect(asked.status == 0 && asked.output == expected.output, "\(point): \(asked)")
      #expect(!asked.errors.contains("because"), "\(point): \(asked)")
      let status = await catalog.run("history", "status")
      #expect(status.status == 0, "\(point): \(status)")
      let check = try await Program.run(
        "sqlite3", [catalog.path + "/history.sqlite", "PRAGMA integrity_check"])
      #expect(check.output == "ok\n", "\(point): \(check)")
      let left = try leftovers(in: catalog).filter { !Self.isOfHistory($0) }
      #expect(left.isEmpty, "\(point): \(left)")
      return run
    }
  }

  @Test func aSealSurvivesAKillAtEveryCall() async throws {
    let before = try await TestCatalog.imported()
    let unkilled = try before.copy()
    let reference = try await Reference(unkilled)
    let points = try await Strace.points(
      ["seal", "--catalog", unkilled.path], in: unkilled, atMost: 30)
    #expect(points.count >= 4, "\(points)")

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests 3", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, ["seal", "--catalog", catalog.path])
      let check = await catalog.run("check")
      #expect(check.status == 0, "\(point): \(check)")
      #expect(check.output.contains("the log is intact"), "\(point): \(check)")
      #expect(await catalog.run("seal").status == 0, "\(point)")
      #expect(try await catalog.head() == reference.head, "\(point)")
      #expect(try await catalog.receipt() == reference.receipt, "\(point)")
      #expect(await catalog.run("check").output.contains("  sealed  "), "\(point)")
      #expect(try leftovers(in: catalog).isEmpty, "\(point)")
      return run
    }
  }

  @Test func aRebuildSurvivesAKillAtEveryCall() async throws {
    let before = try await TestCatalog.imported()
    let reference = try await Reference(before)
    let unkilled = try before.copy()
    let points = try await Strace.points(
      ["rebuild", "--catalog", unkilled.path], in: unkilled, atMost: 25)
    #expect(points.count >= 10, "\(points)")

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests 4", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, ["rebuild", "--catalog", catalog.path])
      let reading = await catalog.run("receipt")
      #expect(reading.status == 0, "\(point): a reader after the crash: \(reading)")
      #expect(reading.output == reference.receipt, "\(point)")
      #expect(await catalog.run("rebuild").status == 0, "\(point)")
      #expect(try await catalog.receipt() == reference.receipt, "\(point)")
      #expect(try leftovers(in: catalog).isEmpty, "\(point)")
      return run
    }
  }

  /// A database of another version of the projector, replaced by this one's.
  @Test func aMigrationSurvivesAKillAtEveryCall() async throws {
    let before = try await TestCatalog.imported()
    let reference = try await Reference(before)
    try await before.sqlite(
      "UPDATE projection_checkpoint SET fingerprint = '\(String(repeating: "0", count: 64))'")
    let unkilled = try before.copy()
    let points = try await Strace.points(
      ["rebuild", "--catalog", unkilled.path], in: unkilled, atMost: 25)
    #expect(points.count >= 10, "\(points)")

    let tried = Sample.of(
      points, atMost: max(4, points.count / 32), "SystemCallCrashTests 5", isDear: true)
    try await Strace.atEach(tried) { point in
      let catalog = try before.copy()
      let run = try await Strace.kill(point, ["rebuild", "--catalog", catalog.path])
      // The old rows, refused, or the new ones.
      let reading = await catalog.run("receipt")
      if reading.status == 0 {
        #expect(reading.output == reference.receipt, "\(point)")
      } else {
        #expect(reading.errors.contains("catalogctl rebuild"), "\(point): \(reading)")
      }
      #expect(await catalog.run("rebuild").status == 0, "\(point)")
      #expect(try await catalog.receipt() == reference.receipt, "\(point)")
      #expect(try leftovers(in: catalog).isEmpty, "\(point)")
      return run
    }
  }

  /// Files that no finished command leaves in a catalog's folder.
  /// Whether a name is that of the history or of a file that belongs to it.
  private static func isOfHistory(_ name: String) -> Bool {
    ["", "-wal", "-shm", "-proved"].contains { name == "history.sqlite" + $0 }
  }

  private func leftovers(in catalog: TestCatalog) throws -> [String] {
    let known = [
      "events", "events/00000000000000000001.jsonl.zst", "catalog.sqlite",
      "catalog.sqlite-wal", "catalog.sqlite-shm", "catalog.sqlite-proved",
    ]
    return try ScratchFolder.contents(catalog.path).keys.filter { !known.contains($0) }
  }
}

/// What a catalog says after a run that nobody killed.
private struct Reference {
  let head: Head
  let receipt: String
  let content: String

  init(_ catalog: TestCatalog) async throws {
    head = try await catalog.head()
    receipt = try await catalog.receipt()
    content = try await catalog.receipt(content: true)
  }
}
