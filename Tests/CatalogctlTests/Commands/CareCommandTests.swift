import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `check` and `seal`.
@Suite(
  .promise("`check` and `seal` keep head, events and receipt"))
struct CareCommandTests {
  @Test func aWholeLogIsSaidToBe() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("check")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(
      outcome.lines[0].hasPrefix(
        "00000000000000000001.jsonl.zst  open  2 batches, \(head.sequence) events, "))
    #expect(outcome.lines.last == "the log is intact: head \(head.sequence) \(head.chain)")
  }

  @Test func aCheckReportsAsJSON() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("check", "--format", "json")
    let json = try outcome.object()
    #expect(Set(json.keys) == ["whole", "sequence", "chain", "segments", "damage", "findings"])
    #expect(json["whole"] as? Bool == true)
    #expect(json["sequence"] as? Int == head.sequence)
    #expect(json["chain"] as? String == head.chain)
    let segment = try #require((json["segments"] as? [[String: Any]])?.first)
    #expect(
      Set(segment.keys) == ["name", "sealed", "batches", "events", "bytes", "storedBytes"])
    #expect(segment["events"] as? Int == head.sequence)
    #expect(segment["sealed"] as? Bool == false)
  }

  @Test func sealingKeepsHeadEventsAndReceipt() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let receipt = try await catalog.receipt()
    let log = await catalog.run("log", "--format", "json").output
    let outcome = await catalog.run("seal")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.hasPrefix("00000000000000000001.jsonl.zst  "))
    #expect(outcome.output.contains(" → "))
    #expect(try await catalog.head() == head)
    #expect(try await catalog.receipt() == receipt)
    #expect(await catalog.run("log", "--format", "json").output == log)
    #expect(await catalog.run("check").lines[0].contains("  sealed  "))
    for sequence in ["1", "2", "\(head.sequence)"] {
      #expect(await catalog.run("event", sequence).status == 0)
    }
  }

  @Test func sealingTwiceHasNothingToDo() async throws {
    let catalog = try await TestCatalog.imported()
    let first = try await catalog.run("seal", "--format", "json").objects()
    #expect(first.count == 1)
    #expect(
      Set(try #require(first.first).keys) == ["name", "storedBytesBefore", "storedBytesAfter"])
    let bytes = try catalog.eventBytes()
    let again = await catalog.run("seal")
    #expect(again.status == 0)
    #expect(again.output == "everything is already sealed\n")
    #expect(try await catalog.run("seal", "--format", "json").objects().isEmpty)
    #expect(try catalog.eventBytes() == bytes)
  }

  @Test func anImportAfterSealingStartsASegment() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    _ = await catalog.run("seal")
    #expect(try await catalog.importSeed(SampleSeed.text(revision: 2)).status == 0)
    #expect(try await catalog.head().sequence == head.sequence + 16)
    let check = await catalog.run("check")
    #expect(check.status == 0)
    #expect(check.lines.count == 3)
  }

  /// Each finding is one line that a workflow of GitHub shows as an annotation, and the last line is the verdict.
  @Test func findingsAreAnnotations() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let copy = catalog.folder.file("copied")
    try FileManager.default.copyItem(atPath: catalog.events, toPath: copy)
    let head = await catalog.run("head").output.trimmingCharacters(in: .newlines)
    let whole = await InProcess.run([
      "check", "--events", copy, "--contains", head, "--format", "github",
    ])
    #expect(
      whole.status == 0
        && whole.lines == [
          "::notice title=Catalog log::the log is intact: head \(head); it contains \(head)"
        ], "\(whole)")
    let segment = copy + "/00000000000000000001.jsonl.zst"
    let bytes = try Data(contentsOf: URL(filePath: segment))
    try bytes.dropLast(5).write(to: URL(filePath: segment))
    let torn = await InProcess.run(["check", "--events", copy, "--format", "github"])
    #expect(
      torn.status == 2 && torn.lines.count == 1
        && torn.lines[0].hasPrefix("::error title=Catalog log::torn tail"), "\(torn)")
    try (bytes.prefix(50) + [bytes[50] ^ 1] + bytes.dropFirst(51)).write(
      to: URL(filePath: segment))
    let damaged = await InProcess.run(["check", "--events", copy, "--format", "github"])
    let json = try await InProcess.run(["check", "--events", copy, "--format", "json"]).object()
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(damaged.status == 3 && damaged.lines.count == findings.count && !findings.isEmpty)
    for (line, finding) in zip(damaged.lines, findings) {
      let message = try #require(finding["message"] as? String)
      #expect(
        line.hasPrefix("::error file=\(segment.replacing(":", with: "%3A")),")
          && line.contains(message), "\(line)")
    }
    let healthy = await catalog.run("doctor", "--format", "github")
    #expect(
      healthy.status == 0
        && healthy.lines.last?.hasPrefix("::notice title=Catalog::0 findings")
          == true,
      "\(healthy)")
    try FileManager.default.removeItem(atPath: catalog.firstSegment)
    try FileManager.default.copyItem(atPath: segment, toPath: catalog.firstSegment)
    let ill = await catalog.run("doctor", "--format", "github")
    #expect(
      ill.status == 3 && ill.lines.allSatisfy { $0.hasPrefix("::") }
        && ill.lines.first?.hasPrefix("::error title=Catalog ") == true, "\(ill)")
  }

  /// A copied folder, which may be shorter than what a database has seen: nobody knows one.
  @Test func aFolderOfEventsAloneIsChecked() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let copy = catalog.folder.file("copied")
    try FileManager.default.copyItem(atPath: catalog.events, toPath: copy)
    let whole = await InProcess.run(["check", "--events", copy])
    #expect(whole.status == 0, "\(whole)")
    #expect(whole.output == (await catalog.run("check").output))
    let segment = copy + "/00000000000000000001.jsonl.zst"
    let bytes = try Data(contentsOf: URL(filePath: segment))
    try bytes.dropLast(5).write(to: URL(filePath: segment))
    #expect(await InProcess.run(["check", "--events", copy]).status == 2)
    try (bytes.prefix(50) + [bytes[50] ^ 1] + bytes.dropFirst(51)).write(
      to: URL(filePath: segment))
    #expect(await InProcess.run(["check", "--events", copy]).status == 3)
    let none = await InProcess.run(["check", "--events", copy + "2"])
    #expect(none.status == 1 && none.errors.contains("there is no event log in \(copy)2"))
  }
}
