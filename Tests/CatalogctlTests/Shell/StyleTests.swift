import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Colours are for a person before a terminal: https://no-color.org.
@Suite(
  .promise(
    "Colours are on a terminal alone, each stream by itself, and never if `NO_COLOR` is set",
    by: "over a pseudo-terminal"))
struct StyleTests {
  private static let escape = "\u{1B}["

  /// A catalog with a tag more and a title less than at `before`.
  private func catalog() async throws -> (catalog: TestCatalog, before: String) {
    let catalog = try await TestCatalog.imported()
    let before = try await catalog.head().sequence
    _ = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Spooky")
    _ = await catalog.run("tag", "suppress", SampleSeed.id(202), "--mood", "Ominous")
    return (catalog, "\(before)")
  }

  private func onTerminal(
    _ catalog: TestCatalog, _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Terminal.run(
      "env", ["NO_COLOR=", Program.catalogctl] + arguments + ["--catalog", catalog.path],
      environment: environment)
  }

  @Test func aTerminalHasAddedLinesGreenAndRemovedOnesRed() async throws {
    let (catalog, before) = try await catalog()
    #expect(await catalog.run("history", "make").status == 0)
    // NO_COLOR is set and empty: that is not what it asks for.
    let shown = try await onTerminal(catalog, "diff", before, "live", "--all")
    #expect(shown.status == 2, "\(shown)")
    #expect(shown.output.contains("\u{1B}[1mitem_mood: 1 added, 1 removed, 0 changed\u{1B}[0m\n"))
    #expect(shown.output.contains("\u{1B}[32m    + item_id='\(SampleSeed.id(201))'"))
    #expect(shown.output.contains("\u{1B}[31m    - item_id='\(SampleSeed.id(202))'"))
    // The colours are all that is added.
    let plain = shown.output.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    let off = await catalog.run("diff", before, "live", "--all")
    #expect(plain == off.errors + off.output)
  }

  @Test func headingsAndErrorsAreSetOff() async throws {
    let (catalog, _) = try await catalog()
    let stats = try await onTerminal(catalog, "stats")
    #expect(stats.output.contains("\u{1B}[1mby type\u{1B}[0m\n"))
    let blame = try await onTerminal(catalog, "blame", "library_item", SampleSeed.id(201))
    #expect(blame.output.contains("\u{1B}[1mtitle = 'Sound 201'\u{1B}[0m\n"))
    let error = try await onTerminal(catalog, "item", SampleSeed.id(999))
    #expect(error.output.hasPrefix("\u{1B}[1;31mcatalogctl:\u{1B}[0m there is no item"))
    let usage = try await onTerminal(catalog, "diff", "nonsense", "live")
    #expect(usage.output.hasPrefix("\u{1B}[1;31mError:\u{1B}[0m \"nonsense\" is not a sequence"))
  }

  @Test(arguments: [["NO_COLOR=1"], ["NO_COLOR=0"], ["TERM=dumb"], ["-u", "TERM"]])
  func nothingIsColouredWhereItIsNotWanted(environment: [String]) async throws {
    let (catalog, before) = try await catalog()
    for arguments in [["diff", before, "live"], ["stats"], ["item", SampleSeed.id(999)]] {
      let shown = try await Terminal.run(
        "env",
        environment + [Program.catalogctl] + arguments + ["--catalog", catalog.path])
      #expect(!shown.output.isEmpty)
      #expect(!shown.output.contains(Self.escape), "\(shown)")
    }
  }

  @Test func jsonIsNeverColoured() async throws {
    let (catalog, before) = try await catalog()
    for arguments in [
      ["diff", before, "live"], ["stats"], ["head"], ["log"], ["query", "SELECT 1"],
    ] {
      let shown = try await Terminal.run(
        "env",
        ["NO_COLOR=", Program.catalogctl] + arguments + [
          "--catalog", catalog.path, "--format", "json",
        ])
      #expect(!shown.output.isEmpty)
      #expect(!shown.output.contains(Self.escape), "\(shown)")
    }
  }

  @Test func eachStreamIsLookedAtByItself() async throws {
    let (catalog, before) = try await catalog()
    let file = catalog.folder.file("captured")
    let program = "env NO_COLOR= \(Program.catalogctl)"
    // Output in a file, errors on the terminal; and the other way round.
    let errors = try await Terminal.run(
      "sh",
      [
        "-c",
        """
        \(program) diff \(before) live --catalog \(catalog.path) > \(file)
        \(program) item \(SampleSeed.id(999)) --catalog \(catalog.path) >> \(file)
        """,
      ])
    #expect(errors.output.contains("\u{1B}[1;31mcatalogctl:"))
    #expect(!(try String(contentsOfFile: file, encoding: .utf8)).contains(Self.escape))
    let output = try await Terminal.run(
      "sh",
      [
        "-c",
        """
        \(program) diff \(before) live --catalog \(catalog.path) 2> \(file)
        \(program) item \(SampleSeed.id(999)) --catalog \(catalog.path) 2>> \(file)
        """,
      ])
    #expect(output.output.contains("\u{1B}[32m"))
    #expect(!(try String(contentsOfFile: file, encoding: .utf8)).contains(Self.escape))
  }

  @Test func whatATitleHoldsIsNoColour() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(SampleSeed.text())
    let before = try await catalog.head().sequence
    // Written by hand: no document and no event may hold such a thing.
    try await catalog.sqlite(
      "UPDATE library_item SET title = char(27) || '[31mred' WHERE id = '\(SampleSeed.id(201))'")
    let shown = try await onTerminal(catalog, "diff", "\(before)", "live")
    #expect(shown.output.contains("\\u{1b}[31mred"), "\(shown)")
  }
}
