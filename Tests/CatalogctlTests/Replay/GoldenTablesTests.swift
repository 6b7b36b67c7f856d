import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogStore

/// The recorded log of a kind that describes itself replays for ever to the rows that it had: each type, each verb and each change of a
/// description is in it.
///
/// `RECORD_GOLDEN=1` records it if there is none, records the receipt anew, and fails the run.
@Suite(
  .promise(
    "Logs that were recorded are read and replay for ever, by their decoded content; none "
      + "is recorded over",
    by: "a kind that describes itself"))
struct GoldenTablesTests {
  private static let folder = "\(ScratchFolder.repository)/Events/golden/tables-1"
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

  private func recorded() throws -> TestCatalog {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: catalog.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: "\(Self.folder)/events", toPath: catalog.events)
    return catalog
  }

  private func receipt(_ json: String) throws -> RecordedReceipt {
    try RecordedReceipt(json: Data(json.utf8))
  }

  @Test(.enabled(if: !isRecording)) func itReplaysToItsReceipt() async throws {
    let catalog = try recorded()
    let rebuilt = await catalog.run("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    let verified = try await catalog.program("verify")
    #expect(verified.status == 0, "\(verified)")
    let earlier = try receipt(
      String(contentsOfFile: "\(Self.folder)/receipt.json", encoding: .utf8))
    let now = try receipt(await catalog.run("receipt").output)
    #expect(now.log == earlier.log)
    #expect(now.tables == earlier.tables)
    let reduced = try await Program.run(
      "python3",
      ["\(Program.package)/Tools/table-reducer.py", catalog.events, catalog.database])
    #expect(reduced.status == 0, "\(reduced)")
  }

  @Test(.enabled(if: !isRecording)) func itHasEveryTypeOfEvent() async throws {
    let catalog = try recorded()
    let lines = await catalog.run("log", "--format", "json", "--limit", "1000").output
    for type in [
      "catalog.created", "kind.described", "source.read", "rows.put", "operation.reverted",
      "rows.restored",
    ]
      + GoldenStory.own
    { #expect(lines.contains("\"\(type)\""), "\(type)") }
    let moves = await catalog.run("log", "--type", "kind.described", "--format", "json")
    for word in ["rename", "drop"] { #expect(moves.output.contains("\"\(word)\""), "\(moves)") }
  }

  @Test(.enabled(if: !isRecording)) func aWriterGoesOnWithACopy() async throws {
    let catalog = try recorded()
    let recorded = await catalog.run("record", "product.sold", "sku=A1", "pieces=1")
    #expect(recorded.status == 0, "\(recorded)")
    let verified = try await catalog.program("verify")
    #expect(verified.status == 0, "\(verified)")
  }

  @Test(.enabled(if: isRecording, "records only where RECORD_GOLDEN=1"))
  func record() async throws {
    let files = FileManager.default
    if !files.fileExists(atPath: Self.folder) {
      let catalog = try await GoldenStory().catalog()
      try files.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
      try files.copyItem(atPath: catalog.events, toPath: "\(Self.folder)/events")
    }
    let catalog = try recorded()
    #expect(await catalog.run("rebuild").status == 0)
    let receipt = await catalog.run("receipt")
    try receipt.output.write(
      toFile: "\(Self.folder)/receipt.json", atomically: true, encoding: .utf8)
    Issue.record("recorded; look at the difference, and commit it")
  }
}
