import CatalogControl
import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The help of every command, held against what was recorded. `RECORD_SNAPSHOTS=1` records it anew.
@Suite(
  .promise("Help stays as it was recorded; its examples are right usage", by: "snapshots"))
struct HelpTests {
  @Test(arguments: try await CommandTree.root.value.all.map { $0.words.joined(separator: " ") })
  func helpIsAsRecorded(of command: String) async throws {
    // The real program, away from a terminal: help is wrapped to the terminal's width.
    let outcome = try await Program.catalogctl(
      command.split(separator: " ").map(String.init) + ["--help"],
      environment: ["COLUMNS": "", "CATALOG_HOME": "/nowhere"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)

    let name = command.isEmpty ? "catalogctl" : "catalogctl-\(command.replacing(" ", with: "-"))"
    let file = Program.package + "/Tests/CatalogctlTests/Snapshots/\(name).txt"
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try outcome.output.write(toFile: file, atomically: true, encoding: .utf8)
      Issue.record("recorded \(file): look at the difference and run the tests again without it")
      return
    }
    let recorded = try String(contentsOfFile: file, encoding: .utf8)
    #expect(outcome.output == recorded, "the help of \(name) changed; see HelpTests")
  }

  @Test func theHelpNamesEveryCommandAndEveryExitStatus() async throws {
    let help = await InProcess.run(["--help"]).output
    for command in try await CommandTree.root.value.shown.map(\.commandName) {
      #expect(help.contains("  \(command) "), "\(command)")
    }
    for status in [
      "0 success", "1 an error", "2 differences", "3 the log", "64 wrong usage", "130 interrupted",
    ] {
      #expect(help.contains(status), "\(status)")
    }
    #expect(!help.contains("replay  "), "an inner command is shown")
  }

  @Test func versionIsPrintedOnStandardOutput() async throws {
    let outcome = await InProcess.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.output == CatalogControl.version + "\n")
    #expect(outcome.errors.isEmpty)
  }

  @Test func noCommandShowsTheHelp() async throws {
    let outcome = await InProcess.run([])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("USAGE: catalogctl <subcommand>"))
  }

  /// What everybody tries first.
  @Test(arguments: [
    (["help", "tag", "add"], ["tag", "add", "--help"]), (["help", "diff"], ["diff", "-h"]),
    (["help"], ["--help"]), (["tag"], ["help", "tag"]), (["manifest"], ["manifest", "--help"]),
  ])
  func helpIsTheSameHoweverItIsAskedFor(one: [String], other: [String]) async throws {
    let first = await InProcess.run(one)
    let second = await InProcess.run(other)
    #expect(first.status == 0 && first.errors.isEmpty)
    #expect(first.output.hasPrefix("OVERVIEW: "))
    // Which options help is listed with depends on the way there.
    func usage(_ outcome: Outcome) -> [String] { outcome.lines.filter { $0.hasPrefix("USAGE: ") } }
    #expect(usage(first) == usage(second))
    #expect(usage(first).first?.hasPrefix("USAGE: catalogctl") == true)
  }

  /// Pasted into a shell, in a folder with nothing: an error at the most, and no wrong usage.
  @Test func everyCommandHasExamplesThatAreRightUsage() async throws {
    for command in try await CommandTree.root.value.leaves {
      let parts = (command.discussion ?? "").components(separatedBy: "Examples:\n  ")
      try #require(parts.count == 2, "\(command.words)")
      for example in parts[1].components(separatedBy: "\n  ") {
        #expect(example.hasPrefix("catalogctl " + command.words.joined(separator: " ")))
        #expect(example.count <= 76, "help would wrap: \(example)")
        let folder = try ScratchFolder()
        let program = URL(filePath: Program.catalogctl).deletingLastPathComponent().path
        let outcome = try await Program.shell(
          "cd \(folder.path); PATH=\(program):$PATH; set -o pipefail; \(example)",
          ["CATALOG_HOME": folder.file("catalog")])
        // `init` is the one command that begins with nothing; the server of an example does not exist.
        let begins = command.words == ["init"] && !example.contains("postgresql://")
        #expect(outcome.status == (begins ? 0 : 1), "\(example): \(outcome)")
        let isError =
          try outcome.errors.hasPrefix("catalogctl: ") || !outcome.failures().isEmpty
        #expect(begins || isError, "\(example): \(outcome)")
      }
    }
  }
}
