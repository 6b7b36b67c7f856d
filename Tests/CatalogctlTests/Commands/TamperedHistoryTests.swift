import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Commands that decide read the log: whatever another hand did to `history.sqlite`, a revert appends the same events, its dry
/// run shows them, and `what-if` gives the same answer.
@Suite(
  .promise(
    "What another hand does to `history.sqlite` gets into no event, and changes neither a "
      + "dry run nor `what-if`",
    by: "bytes, rows, an index, digests, whole files, times put back"))
struct TamperedHistoryTests {
  private static let faults = [
    "bytes", "rows", "missing rows", "index", "digests", "steps", "batches", "older file",
    "other log", "cut",
  ]

  private func catalog() async throws -> (TestCatalog, wrong: String) {
    let catalog = try TestCatalog()
    try await catalog.importSeed(SampleSeed.text(revision: 1))
    let first = try await catalog.head().sequence
    #expect(await catalog.run("history", "make").status == 0)
    try FileManager.default.copyItem(
      atPath: history(catalog), toPath: catalog.folder.file("older.sqlite"))
    try await catalog.importSeed(
      SampleSeed.text(revision: 2).replacing("Place 102", with: "Place wrong"))
    let second = try await catalog.head().sequence
    _ = await catalog.run("tag", "add", SampleSeed.id(101), "--mood", "Elsewhere")
    #expect(await catalog.run("history", "make").status == 0)
    return (catalog, "\(first + 1)..\(second)")
  }

  private func history(_ catalog: TestCatalog) -> String { catalog.path + "/history.sqlite" }

  /// Changes the file, and puts its time back.
  private func tamper(_ catalog: TestCatalog, _ fault: String) async throws {
    let path = history(catalog)
    let manager = FileManager.default
    let time = try manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
    func sql(_ statement: String) async throws {
      let changed = try await Program.run("sqlite3", [path, statement])
      #expect(changed.status == 0, "\(changed)")
    }
    func put(_ file: String) throws {
      try manager.removeItem(atPath: path)
      try manager.copyItem(atPath: file, toPath: path)
    }
    switch fault {
    case "bytes":
      let bytes = try Data(contentsOf: URL(filePath: path))
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      var start = bytes.startIndex
      while let place = bytes.range(of: Data("Place".utf8), in: start..<bytes.endIndex) {
        try handle.seek(toOffset: UInt64(place.lowerBound))
        try handle.write(contentsOf: Data("Plaza".utf8))
        start = place.upperBound
      }
      try handle.close()
    case "rows": try await sql("UPDATE g0_library_item SET title = title || '!', duration = 1")
    case "missing rows": try await sql("DELETE FROM g0_library_item")
    case "index":
      try await sql(LyingIndex.exchanging("g0_library_item_began", "g0_library_item_ended"))
    case "digests": try await sql("UPDATE history_checkpoint SET digest = zeroblob(16)")
    case "steps": try await sql("DELETE FROM history_step")
    case "batches":
      try await sql(
        "UPDATE history_batch SET operation = '00000000-0000-4000-8000-000000000000'")
    case "older file": try put(catalog.folder.file("older.sqlite"))
    case "other log":
      let (other, _) = try await self.catalog()
      try put(history(other))
    default:
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
    }
    try manager.setAttributes(
      [.modificationDate: try #require(time)], ofItemAtPath: path)
  }

  /// Times and the ids that follow from them aside.
  private func said(_ outcome: Outcome) -> String {
    outcome.output.replacing(/"at" ?: ?"[^"]*"/, with: "")
  }

  @Test(arguments: faults)
  func aRevertAndAWhatIfAreThoseOfTheLog(fault: String) async throws {
    let (catalog, wrong) = try await catalog()
    let untouched = try catalog.copy()
    let tampered: [TestCatalog] = [try catalog.copy(), try catalog.copy(), try catalog.copy()]
    for copy in tampered {
      try FileManager.default.copyItem(
        atPath: catalog.folder.file("older.sqlite"), toPath: copy.folder.file("older.sqlite"))
      try await tamper(copy, fault)
    }
    let dry = await tampered[0].run("revert", wrong, "--dry-run", "--events")
    let wanted = await untouched.run("revert", wrong, "--dry-run", "--events")
    #expect(wanted.lines.count > 1)
    #expect(dry.status == wanted.status && said(dry) == said(wanted), "\(dry)")

    let without = await tampered[1].run("what-if", wrong, "--format", "json")
    let answer = await untouched.run("what-if", wrong, "--format", "json")
    #expect(answer.status == 2 && answer.output.contains("Place wrong"), "\(answer)")
    #expect(without.status == answer.status && said(without) == said(answer), "\(without)")

    let done = await tampered[2].run("revert", wrong)
    #expect(done.status == 0 || done.status == 2, "\(done)")
    #expect(await untouched.run("revert", wrong).status == done.status)
    func events(_ catalog: TestCatalog) async -> String {
      said(await catalog.run("log", "--newest", "--limit", "50", "--format", "json"))
        .replacing(/"op" ?: ?"[^"]*"/, with: "")
    }
    #expect(await events(tampered[2]) == events(untouched))
    #expect(try await tampered[2].program("verify").status == 0)
  }
}
