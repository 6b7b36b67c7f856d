import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The second readers and the scripts under `Tools`, against logs that the real program wrote.
@Suite(
  .promise(
    "The rows are what the documents say, in a second implementation in Python",
    by: "`Tools/logreader.py` and `Tools/reducer.py` over the real program's logs"),
  .promise(
    "The scripts and pages of the project are true: sessions print what the page says, the "
      + "steps of CI end as it says",
    by: "`Tools/check-pages`, `Tools/ci-example`, `Tools/tests`"))
struct ToolsTests {
  private func tool(_ name: String, _ arguments: String...) async throws -> Outcome {
    try await Program.run("python3", ["\(Program.package)/Tools/\(name)"] + arguments)
  }

  @Test func theSecondReaderAgreesWithHead() async throws {
    let catalog = try await SharedCatalogs.starter.value
    let read = try await tool("logreader.py", catalog.events)
    #expect(read.status == 0, "\(read)")
    let object = try read.object()
    let head = try await catalog.head()
    #expect(object["sequence"] as? Int == head.sequence)
    #expect(object["chain"] as? String == head.chain)
    #expect(object["logId"] as? String == head.logID)
  }

  @Test func theSecondReaderAgreesOnASealedLogThatGrew() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    #expect(await catalog.run("seal").status == 0)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let object = try await tool("logreader.py", catalog.events).object()
    let head = try await catalog.head()
    #expect(object["sequence"] as? Int == head.sequence)
    #expect(object["chain"] as? String == head.chain)
    #expect(try await tool("reducer.py", catalog.events, catalog.database).status == 0)
  }

  @Test func theSecondReaderFindsAFlippedByteToo() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[bytes.count * 3 / 4] ^= 1
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))
    #expect(try await tool("logreader.py", catalog.events).status == 3)
    #expect(try await catalog.program("check").status == 3)
  }

  @Test func theIndependentReducerMakesTheSameRows() async throws {
    for catalog in [
      try await SharedCatalogs.starter.value, try await TestCatalog.imported(revision: 2),
    ] {
      let outcome = try await tool("reducer.py", catalog.events, catalog.database)
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test func theIndependentReducerSeesADifference() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite("UPDATE pack SET title = 'x' WHERE kind = 'sfx'")
    let outcome = try await tool("reducer.py", catalog.events, catalog.database)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("pack"))
  }

  /// The steps of docs/CI.md, with the exit statuses that it says.
  @Test func theStepsOfCIEndAsTheyMust() async throws {
    let outcome = try await Program.run(
      "\(Program.package)/Tools/ci-example", [],
      environment: ["CATALOGCTL": Program.catalogctl, "CATALOG_HOME": ""])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.lines.last == "ci-example: every step ended as it must")
  }

  /// README and the pages of `docs` that have a session of commands or a program in Swift.
  private static let pages: [String] = {
    let root = URL(filePath: Program.package)
    let docs = (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/docs")) ?? []
    // `Tools/cli-page` writes the first. The second is about a program of the package Examples/Bookshelf.
    let others = ["CLI.md", "YOUR_OWN_KIND.md"]
    return ["README.md"]
      + docs.filter { $0.hasSuffix(".md") && !others.contains($0) }.sorted().map { "docs/\($0)" }
      .filter { page in
        let text = try? String(contentsOf: root.appending(path: page), encoding: .utf8)
        return ["\n```console\n", "\n```swift\nimport "].contains { text?.contains($0) == true }
      }
  }()

  /// Every command of these pages is run, and prints what the page says; their Swift is compiled.
  @Test(arguments: Sample.of(pages, "pages", isDear: true))
  func aPageIsTrue(page: String) async throws {
    let outcome = try await Program.run(
      "python3", ["\(Program.package)/Tools/check-pages", "\(Program.package)/\(page)"],
      environment: ["CATALOGCTL": Program.catalogctl])
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// The history of README's tour: which batch it was, what it did, and who says what a row is.
  @Test func theHistoryThatIsMadeHasItsMistakeInTheMiddle() async throws {
    let folder = try ScratchFolder()
    let catalog = folder.file("history")
    let made = try await Program.run(
      "python3", ["\(Program.package)/Tools/make-history", catalog],
      environment: ["CATALOGCTL": Program.catalogctl])
    #expect(made.status == 0, "\(made)")
    let sql = """
      SELECT count(*) > 40 FROM item_creature_type JOIN creature_type ON id = creature_type_id \
      WHERE name = 'Celestial'
      """
    func run(_ arguments: String...) async -> Outcome {
      await InProcess.run(arguments + ["--catalog", catalog])
    }
    let found = try await run("bisect", sql, "--format", "json").objects()
    #expect(found.map { $0["at"] as? String } == ["2026-03-16T09:00:00.000Z"])
    #expect((found.first?["types"] as? [String: Int])?["item.tags.set"] == 89)
    let walked = try await run("bisect", sql, "--all", "--format", "json").objects()
    #expect(walked.map { $0["op"] as? String } == found.map { $0["op"] as? String })
    let first = try #require(found.first?["firstSequence"] as? Int)
    let last = try #require(found.first?["lastSequence"] as? Int)
    let diff = await run("diff", "\(first - 1)", "\(last)", "--summary", "--all")
    #expect(
      diff.lines.filter { !$0.hasSuffix(" in 1 row") } == [
        "item_creature_type: 89 added, 0 removed, 0 changed",
        "projection_seed: 0 added, 0 removed, 1 changed (revision 1, sha256 1, imported_at 1)",
        "projection_tagging: 0 added, 0 removed, 89 changed (tags 89)",
        "  tags: 'sfx_theme=1216 creature_type=1248' → "
          + "'sfx_theme=1216 creature_type=1243,1248' in 29 of 89 rows, "
          + "'sfx_theme=1216 creature_type=1254' → 'sfx_theme=1216 creature_type=1243,1254' in 19, "
          + "'location=17 sfx_theme=1216,1220 creature_type=1248' → "
          + "'location=17 sfx_theme=1216,1220 creature_type=1243,1248' in 10",
      ])
    let log = await run("log", "--type", "seed.imported", "--format", "json").lines.count
    #expect(log == 20)
    #expect(
      try await Program.run("python3", ["\(Program.package)/Tools/make-history", catalog]).status
        == 1)
  }

  @Test func everyEventFitsItsSchema() async throws {
    let catalog = try await SharedCatalogs.starter.value
    let outcome = try await tool("check-events", catalog.events)
    #expect(outcome.status == 0, "\(outcome)")
    let other = try await TestCatalog.imported()
    try await other.importSeed(SampleSeed.text(revision: 2))
    #expect(try await tool("check-events", other.events).status == 0)
  }

  @Test func theToolsOwnTestsPass() async throws {
    let outcome = try await Program.run(
      "python3", ["-m", "unittest", "discover", "-s", "\(Program.package)/Tools/tests"])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.contains("OK"))
  }

  @Test func theStarterSeedCanBeMadeAgainByteForByte() async throws {
    let outcome = try await tool("make-starter-seed", "--check")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func aGeneratedSeedIsImported() async throws {
    let catalog = try TestCatalog()
    let seed = try await tool("generate-seed", "--items", "300", "--tags", "5")
    #expect(seed.status == 0, "\(seed.errors)")
    #expect(try await catalog.importSeed(seed.output).status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }
}
