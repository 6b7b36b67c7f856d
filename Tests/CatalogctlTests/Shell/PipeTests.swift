import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A reader that has enough closes the pipe: the program ends, and says nothing of it.
@Suite(
  .promise(
    "Pipes that close early, locales and a missing home change no answer, and no catalog "
      + "is made in a place that was not named",
    by: "every command that prints much, in bash; SIGPIPE blocked and ignored too"))
struct PipeTests {
  static let commands = [
    "items sfx", "items sfx --format json", "facets sfx --zero", "facets sfx --zero --format json",
    "search a", "search a --format json", "packs", "packs --format json", "tag list",
    "tag list --format json", "lint", "lint --format json", "log", "log --format json",
    "log --newest", "diff 1 live --rows 100000", "diff 1 live --rows 100000 --format json",
    "query 'SELECT * FROM library_item'", "query 'SELECT * FROM library_item' --format json",
    "stats", "stats --format json", "receipt", "event 2", "check --format json",
    "blame library_item 1d413d40-4bef-5b08-b3df-3ac297fe9e77 --format json",
    "bisect --good 1 --all 'SELECT count(*) FROM item_mood'", "--help", "items --help",
    "--generate-completion-script zsh", "--experimental-dump-help",
  ]

  private static let readers = ["head -n 1", "head -c 10", "true"]

  @Test(arguments: Sample.of(commands, "PipeTests", isDear: true))
  func aClosedPipeIsNoError(command: String) async throws {
    let catalog = try await SharedCatalogs.starter.value
    // Else the first question about the past says that it made it.
    _ = await catalog.run("history", "make")
    for reader in Sample.of(Self.readers, atMost: 1, "PipeTests \(command)") {
      let outcome = try await Program.shell(
        """
        set -o pipefail
        "\(Program.catalogctl)" \(command) | \(reader) > /dev/null
        exit ${PIPESTATUS[0]}
        """, ["CATALOG_HOME": catalog.path])
      // 2: the findings fitted into the pipe.
      #expect([0, 2, 141].contains(outcome.status), "\(command) | \(reader): \(outcome)")
      // What is counted below a list may still be said.
      let said = outcome.errors.replacing(
        /[0-9,]+ (of [0-9,]+ )?(item|pack|finding|row|change)s?(;.*)?\n/, with: "")
      #expect(said.isEmpty, "\(command) | \(reader): \(outcome)")
    }
  }

  /// Some programs start others with their signals blocked.
  @Test(arguments: ["log", "log --format json", "diff 1 live --rows 100000 --format json"])
  func itIsNoneWhereTheSignalIsBlockedOrIgnored(command: String) async throws {
    let catalog = try await SharedCatalogs.starter.value
    // Else the first question about the past says that it made it.
    _ = await catalog.run("history", "make")
    for setting in [
      "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])",
      "signal.signal(signal.SIGPIPE, signal.SIG_IGN)",
    ] {
      let script = "import os, signal, sys; \(setting); os.execv(sys.argv[1], sys.argv[1:])"
      let outcome = try await Program.shell(
        """
        python3 -c '\(script)' "\(Program.catalogctl)" \(command) | head -n 1 > /dev/null
        exit ${PIPESTATUS[0]}
        """, ["CATALOG_HOME": catalog.path])
      #expect([0, 141].contains(outcome.status), "\(setting): \(outcome)")
      #expect(outcome.errors.isEmpty, "\(setting): \(outcome)")
    }
  }

  /// Off a terminal nothing is drawn over: progress comes in lines.
  @Test func progressOffATerminalIsPlainLines() async throws {
    let catalog = try TestCatalog()
    let seed = try await Program.run(
      "python3", ["\(Program.package)/Tools/generate-seed", "--items", "20000", "--tags", "5"])
    let file = try catalog.folder.write(seed.output, to: "seed.json")
    // Progress is shown after a second: the import is stopped for longer than that, once it has worked for some ticks.
    func stopped(_ catalog: String) -> String {
      """
      "\(Program.catalogctl)" import \(file) --catalog \(catalog) &
      while [ "$(cut -d ' ' -f 14 /proc/$!/stat)" -lt 15 ]; do sleep 0.01; done
      kill -STOP $!; sleep 1.2; kill -CONT $!; wait $!
      """
    }
    let outcome = try await Program.shell(
      "{ \(stopped(catalog.path)); } 2>&1 >/dev/null | cat")
    #expect(outcome.status == 0)
    #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\r"), "\(outcome)")
    #expect(outcome.lines.allSatisfy { $0.hasPrefix("progress: ") }, "\(outcome)")
    #expect(!outcome.lines.isEmpty)
    // Where escape sequences are not understood, too.
    for (terminal, isBar) in [("dumb", false), ("xterm", true)] {
      let shown = try await Terminal.run(
        "bash", ["-c", stopped("\(catalog.path)-\(terminal)")],
        environment: ["TERM": terminal])
      #expect(shown.status == 0)
      #expect(shown.output.contains("\u{1B}[K") == isBar, "\(shown)")
      #expect(shown.output.contains("\r") == isBar, "\(shown)")
    }
  }
}
