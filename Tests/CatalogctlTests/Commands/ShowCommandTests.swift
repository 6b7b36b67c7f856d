import CatalogControl
import CatalogEngine
import CatalogPages
import CatalogTestSupport
import EngineCommands
import Foundation
import Promises
import Synchronization
import Testing

/// `show` names one operation, and in which columns it changed rows; other commands say the same of their changes.
@Suite(
  .promise("A summary counts the columns that an operation changed"))
struct ShowCommandTests {
  private static func id(_ number: Int) -> String {
    "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e" + String(format: "%02d", number)
  }

  /// Six items with these titles, and seconds for those that have a place in `durations`.
  private static func seed(_ revision: Int, _ titles: [String], _ durations: [Int] = []) -> String {
    let items = titles.enumerated().map { place, title in
      let seconds =
        durations.indices.contains(place) ? #", "duration": \#(durations[place])"# : ""
      return #"{"id": "\#(id(place))", "title": "\#(title)"\#(seconds)}"#
    }
    return """
      {"format": 1, "seedId": "small", "revision": \(revision), "dimensions": {},
       "packs": [{"id": "\(id(90))", "kind": "atmosphere", "title": "Pack", "version": 1,
         "manifestUrl": "https://example.com/pack.json", "items": [\(items.joined(separator: ", "))]}]}
      """
  }

  private static let titles = ["A", "B", "C", "D", "E", "F"]
  private static let wrong = ["WRONG", "WRONG", "WRONG", "D", "E", "F"]

  /// Each title of so many items was another one.
  private static func becameWrong(_ rows: Int) -> String {
    "title: different values became 'WRONG' in \(rows) rows, as 'A' → 'WRONG'"
  }

  /// Seconds change first, then titles.
  private func catalog() async throws -> (catalog: TestCatalog, before: Int, head: Int) {
    let catalog = try TestCatalog()
    try await catalog.importSeed(Self.seed(1, Self.titles))
    try await catalog.importSeed(Self.seed(2, Self.titles, [1, 2, 3]))
    let before = try await catalog.head().sequence
    let imported = try await catalog.importSeed(Self.seed(3, Self.wrong, [1, 2, 4]))
    #expect(
      imported.output.contains(
        "library_item: 0 added, 0 removed, 3 changed (title 3, duration 1)"), "\(imported)")
    return (catalog, before, try await catalog.head().sequence)
  }

  @Test func theChangedColumnsOfAnOperationAreShown() async throws {
    let (catalog, before, head) = try await catalog()
    let shown = await catalog.run("show", "\(before + 1)..\(head)")
    #expect(shown.status == 0, "\(shown)")
    let lines = shown.lines
    #expect(lines.contains("library_item: 0 added, 0 removed, 3 changed (title 3, duration 1)"))
    #expect(
      lines.contains("  \(Self.becameWrong(3)); no earlier event changed this column"), "\(shown)")
    #expect(lines.contains("  duration: 3.0 → 4.0 in 1 row"), "\(shown)")
    // An event means its batch, and an operation has its id.
    #expect(await catalog.run("show", "\(before + 2)").output == shown.output)
    let operation = try #require(lines.first?.firstMatch(of: /operation ([0-9a-f-]{36}),/)?.1)
    #expect(await catalog.run("show", String(operation.prefix(8))).output == shown.output)
    #expect(await catalog.run("show", "\(head)", "--no-history").output == shown.output)
    #expect(await catalog.run("show", "1").output.contains("no row changed"))
    let second = await catalog.run("show", "\(before)")
    #expect(
      second.output.contains(
        "duration: NULL → 1.0 in 1 of 3 rows; no earlier event changed this column"))
    let unknown = await catalog.run("show", "\(head + 1)")
    #expect(unknown.status == 1 && unknown.errors.contains("there is no event"), "\(unknown)")
    #expect(await catalog.run("show", "no operation").status == 64)
  }

  @Test func otherCommandsSayTheSame() async throws {
    let (catalog, before, head) = try await catalog()
    let words = "library_item: 0 added, 0 removed, 3 changed (title 3, duration 1)"
    let never = "\(Self.becameWrong(3)); no earlier event changed this column"
    for arguments in [
      ["diff", "\(before)", "\(head)", "--summary"], ["changes", "\(before)", "\(head)"],
      ["bisect", "SELECT max(title) FROM library_item"],
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(outcome.output.contains(words), "\(outcome)")
      #expect(outcome.output.contains(never), "\(outcome)")
      #expect(!outcome.output.contains("duration: no earlier"), "\(outcome)")
    }
    let compared = await catalog.run(
      "diff", "\(before)", "\(head)", "--summary", "--format", "json")
    #expect(compared.output.contains("\"isFirstChange\" : true"), "\(compared)")
  }

  /// Values that were exchanged are two changes of one column. A difference backwards is nothing that an event did.
  @Test func theNextFrequentChangesAreShown() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(Self.seed(1, ["A", "A", "A", "B", "B", "F"]))
    let before = try await catalog.head().sequence
    try await catalog.importSeed(Self.seed(2, ["B", "B", "B", "A", "A", "G"]))
    let head = try await catalog.head().sequence
    let shown = await catalog.run("diff", "\(before)", "\(head)", "--summary")
    #expect(
      shown.lines.contains(
        "  title: 'A' → 'B' in 3 of 6 rows, 'B' → 'A' in 2; no earlier event changed this column"),
      "\(shown)")
    let back = await catalog.run("diff", "\(head)", "\(before)", "--summary")
    #expect(
      back.lines.contains("  title: 'B' → 'A' in 3 of 6 rows, 'A' → 'B' in 2"), "\(back)")
  }

  /// The third revision of a catalog whose history is at hand says in its own result that no earlier event changed a column.
  @Test func anImportAsksAHistoryThatIsUpToDate() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(Self.seed(1, Self.titles))
    #expect(await catalog.run("history", "make").status == 0)
    let all = Array(repeating: "WRONG", count: 6)
    let next = try catalog.folder.write(Self.seed(2, all), to: "next.json")
    let planned = await catalog.run("import", next, "--dry-run")
    let never = "\(Self.becameWrong(6)); no earlier event changed this column"
    #expect(planned.output.contains(never), "\(planned)")
    let imported = try await catalog.importSeed(Self.seed(2, all))
    #expect(imported.output.contains(never), "\(imported)")
    let again = try await catalog.importSeed(Self.seed(3, Self.titles))
    #expect(!again.output.contains("no earlier event"), "\(again)")
  }

  /// Tables that only gained rows are named beside those in which rows changed; an import that only adds has its events.
  @Test func anImportNamesTheTablesThatGainedRows() async throws {
    let catalog = try TestCatalog()
    let first = try await catalog.importSeed(SampleSeed.text())
    #expect(!first.output.contains(" added, "), "\(first)")
    let second = try await catalog.importSeed(SampleSeed.text(revision: 2))
    #expect(second.output.contains("\ncreature_type: 1 added, 0 removed, 0 changed\n"), "\(second)")
    #expect(second.output.contains("\nlibrary_item: 1 added, 0 removed, "), "\(second)")
  }

  /// The rows of so many changes are not kept while an import is rehearsed.
  @Test func anImportOfVeryManyRowsNamesTheCommandThatCountsThem() {
    func written(_ outcome: ImportOutcome) -> String {
      let written = Mutex("")
      let console = Console(
        output: { line in written.withLock { $0 += line } }, errors: { _ in Issue.record() })
      console.write(changesOf: nil, outcome, through: 3790)
      return written.withLock { $0 }
    }
    #expect(written(.imported).contains("catalogctl show 3790"))
    #expect(written(.unchanged).isEmpty)
  }

  /// The page of an operation has the same columns, in the same words.
  @Test func theInspectorShowsTheSameColumns() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(Self.seed(1, Array(repeating: "Bell", count: 5) + ["F"]))
    let before = try await catalog.head().sequence
    try await catalog.importSeed(Self.seed(2, Array(repeating: "Gong", count: 5) + ["F"], [7]))
    let inspector = CatalogInspector(
      CatalogControl.program, CatalogDirectory(catalog.path), patience: .seconds(120))
    let answer = await inspector.answer(path: "/operation", query: "event=\(before + 1)")
    #expect(answer.status == 200)
    let title = "library_item.title: &#39;Bell&#39; → &#39;Gong&#39; in 5 rows; "
    #expect(answer.body.contains(title + "no earlier event changed this column"), "\(answer.body)")
    #expect(answer.body.contains("library_item.duration"))
  }
}
