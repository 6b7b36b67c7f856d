import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// What commands print with `--format json`, held against docs/schemas, and docs/CLI.md against both.
@Suite(
  .promise(
    "JSON has the keys of CLI.md, all of them and no other",
    by: "every command run, every key seen, by `Tools/check-output`"))
struct ShapeTests {
  @Test func everyOutputFitsItsSchemaAndEveryKeyIsSeen() async throws {
    let story = try await OutputStory()
    try await story.tell()
    let check = try await Program.run(
      "\(Program.package)/Tools/check-output", ["--all", story.outputs])
    #expect(check.errors.isEmpty)
    #expect(check.lines.isEmpty, "\(check)")
    let commands = try await CommandTree.root.value.leaves.map { $0.words.joined(separator: " ") }
      .filter { $0 != "serve" }
    #expect(story.told == Set(commands))
  }

  @Test func thePageHasEveryCommandKeyAndExample() async throws {
    let check = try await Program.run("\(Program.package)/Tools/cli-page", ["--check"])
    #expect(check.status == 0, "\(check)")
    #expect(check.output.isEmpty && check.errors.isEmpty, "\(check)")
  }

  @Test func everyCommandHasASchema() async throws {
    let folder = Program.package + "/docs/schemas"
    let schemas = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") && $0 != "shared.json" }.map {
        $0.replacing(".json", with: "")
      }
    // `serve` becomes a server, which prints its address and no JSON.
    let commands = try await CommandTree.root.value.leaves.map { $0.words.joined(separator: "-") }
      .filter { $0 != "serve" }
    #expect(Set(schemas) == Set(commands))
  }

  @Test(arguments: [
    ("head", #"{"sequence": 1, "chain": "\#(String(repeating: "0", count: 64))"}"#, "logId"),
    ("head", "{}\n{}", "not valid JSON"), ("stats", "[]", "expected object"),
    ("tag add", #"{"events": 1, "sequence": 2, "new": 3}"#, "unknown key \"new\""),
    ("tag add", #"{"events": "1", "sequence": 2}"#, "$.events is \"1\", expected integer"),
    ("lint", #"[{"problem": "other", "message": "", "commands": []}]"#, "$[0].problem"),
    ("materialize", #"{"file": "a", "sequence": 1, "chain": "AB"}"#, "does not match"),
  ])
  func anOutputThatDoesNotFitIsFound(command: String, output: String, finding: String) async throws
  {
    let check = try await Program.run(
      "\(Program.package)/Tools/check-output", command.split(separator: " ").map(String.init),
      input: output)
    #expect(check.status == 2)
    #expect(check.output.contains(finding), "\(check)")
  }

  @Test func anInfinityIsText() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await catalog.program(
      "query", "SELECT 9e999 AS much, -9e999 AS little, 0.5 AS half, x'00ff' AS bytes",
      "--format", "json")
    #expect(outcome.status == 0, "\(outcome)")
    let rows = try #require(try outcome.object()["rows"] as? [[Any]])
    #expect(rows.first?[0] as? String == "inf" && rows.first?[1] as? String == "-inf")
    #expect(rows.first?[2] as? Double == 0.5 && rows.first?[3] as? String == "x'00ff'")
  }
}
