import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The table of exit statuses in docs/CLI.md: 0 if nothing was found, 2 if something was, 64 for wrong usage.
@Suite(
  .promise("Exit statuses are those of the table in CLI.md"))
struct StatusTests {
  @Test func nothingFoundIsZeroAndAFindingIsTwo() async throws {
    let catalog = try await TestCatalog.imported()
    let imported = try await catalog.importSeed(SampleSeed.text(revision: 2))
    try #require(imported.status == 0, "\(imported)")
    let seed = catalog.folder.file("seed.json")
    let newer = try catalog.folder.write(SampleSeed.text(revision: 3), to: "newer.json")
    let tagged = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Calm")
    try #require(tagged.status == 0, "\(tagged)")
    // Unused values and items without tags are findings of lint; an empty catalog has none.
    let empty = try TestCatalog()
    try #require(await empty.run("init").status == 0)
    let drifted = try catalog.copy()
    try await drifted.sqlite("UPDATE mood SET name = name || '!'")

    var seen: Set<String> = []
    for (of, command, status) in [
      (catalog, ["diff", "head", "live"], 0), (catalog, ["diff", "head~1", "head"], 2),
      (catalog, ["changes", "head", "head"], 0), (catalog, ["changes", "head~1", "head"], 2),
      (catalog, ["bisect", "SELECT 1"], 0), (catalog, ["bisect", "SELECT 1", "--all"], 0),
      (catalog, ["bisect", "SELECT count(*) FROM mood"], 2),
      (catalog, ["what-if", "head"], 2),
      (empty, ["lint"], 0), (catalog, ["lint"], 2),
      (catalog, ["verify", "--quick"], 0), (drifted, ["verify", "--quick"], 2),
      (catalog, ["doctor"], 0), (drifted, ["doctor"], 2),
      (catalog, ["check"], 0),
      (catalog, ["import", "--dry-run", seed], 0), (catalog, ["import", "-n", newer], 2),
      (catalog, ["history", "status"], 0), (catalog, ["revert", "head", "--dry-run"], 0),
    ] as [(TestCatalog, [String], Int32)] {
      let outcome = await InProcess.run(command + ["--catalog", of.path])
      #expect(outcome.status == status, "\(command): \(outcome)")
      let words = command.prefix(command.first == "history" ? 2 : 1).joined(separator: " ")
      seen.insert("\(words) \(status)")
    }
    // Every row of the page that this catalog can show both of.
    let page = try String(contentsOfFile: Program.package + "/docs/CLI.md", encoding: .utf8)
    for command in ["import", "lint", "doctor", "diff", "changes", "bisect", "verify"] {
      let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(command)` |") })
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count >= 3 && !cells[1].isEmpty && !cells[2].isEmpty, "\(row)")
      #expect(seen.isSuperset(of: ["\(command) 0", "\(command) 2"]), "\(command)")
    }
  }
}
