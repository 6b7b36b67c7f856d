import CatalogEngine
import CatalogTestSupport
import Foundation
import PostgresTestSupport
import Promises
import Testing

@testable import CatalogControl
@testable import EngineCommands

/// Help, examples and errors in a catalog of each kind.
@Suite(
  .promise(
    "Help, examples and errors are of the kind at hand: they name commands, tables and columns that it has"
  ))
struct KindHelpTests {
  /// A catalog of a kind, and words that its help has and others have not.
  struct Sample: Sendable, CustomStringConvertible {
    let kind: String
    let groups: [String]
    let others: [String]
    var description: String { kind }
  }

  private static let samples = [
    Sample(
      kind: "sound-library", groups: ["CATALOG", "TAGS", "PACKS"],
      others: ["TRACKS", "CONCERTS", "TABLES OF YOUR OWN"]),
    Sample(
      kind: "track-library", groups: ["TRACKS"],
      others: ["CATALOG", "PACKS", "CONCERTS", "TABLES OF YOUR OWN"]),
    Sample(
      kind: "concert-archive", groups: ["CONCERTS"],
      others: ["CATALOG", "PACKS", "TRACKS", "TABLES OF YOUR OWN"]),
    Sample(
      kind: "shop", groups: ["DOCUMENTS", "TABLES OF YOUR OWN"],
      others: ["CATALOG", "PACKS", "TRACKS", "CONCERTS"]),
  ]

  /// An empty catalog of a kind.
  private static func catalog(of kind: String, in folder: ScratchFolder) async throws -> String {
    let path = folder.file(kind)
    let how =
      kind == "shop"
      ? ["--describe", ScratchFolder.repository + "/Examples/Tables/kind.json"] : ["--kind", kind]
    let made = await InProcess.run(["init", "--catalog", path] + how)
    try #require(made.status == 0, "\(made)")
    return path
  }

  private static func sections(_ help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasSuffix(" SUBCOMMANDS:") }
      .map { String($0.dropLast(" SUBCOMMANDS:".count)) }
  }

  // MARK: Help

  @Test(arguments: samples) func theProgramsHelpIsOfTheCatalogAtHand(sample: Sample) async throws {
    let folder = try ScratchFolder()
    let path = try await Self.catalog(of: sample.kind, in: folder)
    let help = await InProcess.run(["help", "--catalog", path])
    #expect(help.status == 0 && help.errors.isEmpty)
    let sections = Self.sections(help.output)
    #expect(sections.prefix(sample.groups.count) == sample.groups[...])
    #expect(Set(sections).isDisjoint(with: sample.others))
    #expect(sections.contains("HISTORY"))
    let name = sample.kind.replacing("-", with: " ")
    let words = help.output.replacing("\n", with: " ")
    #expect(words.contains("The catalog in \(path) is ") && words.contains(name))
    #expect(words.contains("`catalogctl help --all` lists those of all kinds"))
    for other in [
      ["--catalog", path, "help"], ["--catalog", path, "--help"], ["-h", "--catalog=\(path)"],
    ] {
      #expect(await InProcess.run(other).output == help.output, "\(other)")
    }
    let complete = await InProcess.run(["help", "--all", "--catalog", path])
    #expect(complete.output == (await InProcess.run(["--help"])).output)
    #expect(complete.output != help.output)
  }

  /// A damaged log, one that cannot be read and no log at all: help is complete then, and no error.
  @Test func helpNeedsNoCatalog() async throws {
    let folder = try ScratchFolder()
    let complete = await InProcess.run(["--help"]).output
    #expect(await InProcess.run(["help", "--catalog", folder.file("nothing")]).output == complete)
    let path = try await Self.catalog(of: "track-library", in: folder)
    let segment = try #require(
      FileManager.default.contentsOfDirectory(atPath: path + "/events").first {
        $0.hasSuffix(".zst")
      })
    try FileManager.default.removeItem(atPath: path + "/catalog.sqlite")
    try Data(repeating: 7, count: 300).write(to: URL(filePath: "\(path)/events/\(segment)"))
    for words in [
      ["help"], ["--help"], ["help", "blame"], ["import", "--help"], ["blame", "-h"],
    ] {
      let plain = await InProcess.run(words)
      let help = await InProcess.run(words + ["--catalog", path])
      #expect(help.status == 0 && help.errors.isEmpty, "\(help)")
      #expect(help.output == plain.output, "\(words)")
    }
    try FileManager.default.removeItem(atPath: path + "/events")
    // Nor does help ask a server for its log, as `head` does.
    let server = try BrokenServer(.nothing)
    defer { server.end() }
    try server.address.write(toFile: path + "/log.url", atomically: true, encoding: .utf8)
    #expect(await InProcess.run(["help", "--catalog", path]).output == complete)
    #expect(server.clients == 0)
    #expect(await InProcess.run(["head", "--catalog", path]).status != 0)
    try await Wait.until("a client") { server.clients > 0 }
  }

  @Test func helpOfACommandWithVariantsIsOfTheCatalogAtHand() async throws {
    let folder = try ScratchFolder()
    let shop = try await Self.catalog(of: "shop", in: folder)
    let sounds = try await Self.catalog(of: "sound-library", in: folder)
    for (command, words) in [("import", "rows of tables"), ("lint", "broken rules")] {
      for line in [["help", command], [command, "--help"]] {
        let first = await InProcess.run(line + ["--catalog", shop]).output
        #expect(first.contains(words) && first.hasPrefix("OVERVIEW: "), "\(line)")
        #expect(!(await InProcess.run(line + ["--catalog", sounds])).output.contains(words))
      }
    }
  }

  /// A command that others have is answered by the one that does its task here.
  @Test(arguments: [
    ("track-library", "import", "tracks import"), ("track-library", "search", "tracks search"),
    ("concert-archive", "import", "shows import"), ("shop", "items", "rows"),
    ("concert-archive", "items", "shows list"),
  ])
  func helpOfACommandOfAnotherKindIsOfTheOneThatDoesItHere(
    kind: String, command: String, here: String
  ) async throws {
    let folder = try ScratchFolder()
    let path = try await Self.catalog(of: kind, in: folder)
    let wanted = await InProcess.run(
      here.split(separator: " ").map(String.init) + ["--help", "--catalog", path])
    #expect(wanted.output.contains("USAGE: catalogctl \(here) "))
    for line in [["help", command], [command, "--help"], [command, "a", "--help"]] {
      let help = await InProcess.run(line + ["--catalog", path])
      #expect(help.output == wanted.output && help.status == 0, "\(line)")
      #expect(
        help.errors
          == "`\(here)` does in this catalog what `\(command)` does in others\n")
    }
  }

  @Test(arguments: samples) func helpOfLogHasTheFiltersOfTheKind(sample: Sample) async throws {
    let folder = try ScratchFolder()
    let path = try await Self.catalog(of: sample.kind, in: folder)
    let help = await InProcess.run(["log", "--help", "--catalog", path]).output
    #expect(help.contains("--pack <id>") == (sample.kind == "sound-library"))
    #expect(help.contains("--type <type>"))
  }

  @Test func theHelpOfInitNamesAllKinds() async {
    let help = await InProcess.run(["init", "--help"]).output.replacing("\n", with: " ")
    for word in ["sound-library", "concert-archive", "track-library", "--describe or --table"] {
      #expect(help.contains(word), "\(word)")
    }
    #expect(
      await InProcess.run(["init", "--describe", "FILE", "--help"]).output.contains(
        "Create a catalog of tables"))
  }

  // MARK: Examples

  /// Each example of each kind is right usage, and its tables and columns are there.
  @Test(arguments: samples) func examplesAreOfTheKindAtHand(sample: Sample) async throws {
    let folder = try ScratchFolder()
    let path = try await Self.catalog(of: sample.kind, in: folder)
    let kind = try #require(CatalogControl.program.kinds.kindAtOnce(of: CatalogDirectory(path)))
    #expect(kind.name == sample.kind)
    let columns = Dictionary(
      uniqueKeysWithValues: kind.schema.tables.map { ($0.name, $0.columns.map(\.name)) })
    var count = 0
    for command in [
      "bisect", "blame", "query", "history row", "history count", "changes", "revert",
    ] {
      let help = await InProcess.run(
        command.split(separator: " ").map(String.init) + ["--help", "--catalog", path])
      let parts = help.output.components(separatedBy: "Examples:\n  ")
      try #require(parts.count == 2, "\(command)")
      let examples = parts[1].components(separatedBy: "\n\n")[0].components(separatedBy: "\n  ")
      for example in examples {
        count += 1
        #expect(example.hasPrefix("catalogctl \(command) "))
        #expect(example.count <= 76 && !example.contains("TABLE"), "\(example)")
        let words = try Self.words(example)
        if let table = Self.table(of: command, words) {
          let known = try #require(columns[table], "\(example)")
          if let option = words.firstIndex(of: "--column") {
            #expect(known.contains(words[option + 1]), "\(example)")
          }
        }
        // It would run until it is interrupted.
        let timed = words.contains("--follow") ? ["--for", "0"] : []
        let outcome = await InProcess.run(words + timed + ["--catalog", path])
        for fault in [
          "no such table", "no such column", "there is no table", "there is no column",
          "Unknown option",
        ] {
          #expect(!outcome.errors.contains(fault), "\(example): \(outcome)")
        }
      }
    }
    #expect(count >= 15)
  }

  /// The table that an example names; nil if it names none.
  private static func table(of command: String, _ words: [String]) -> String? {
    if let option = words.firstIndex(of: "--table") { return words[option + 1] }
    if ["blame", "history row"].contains(command) {
      return words[command.split(separator: " ").count]
    }
    let sql = words.last { $0.contains(" FROM ") }?.components(separatedBy: " FROM ").last
    return sql.map { String($0.prefix { $0 != " " }) }
  }

  /// The words of a line that has no quotes but single ones around a whole word.
  private static func words(_ line: String) throws -> [String] {
    let parts = line.split(separator: "'", omittingEmptySubsequences: false)
    try #require(parts.count % 2 == 1)
    return Array(
      parts.enumerated().flatMap { place, part in
        place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
      }.dropFirst())
  }

  // MARK: Errors

  /// Each command that an error can name exists.
  @Test func everyCommandOfATaskExists() async throws {
    let known = Set(
      try await CommandTree.root.value.all.map { $0.words.joined(separator: " ") })
    for help in KindHelps.all {
      for (task, commands) in help.tasks {
        for command in commands { #expect(known.contains(command), "\(task): \(command)") }
      }
      for command in help.examples.keys { #expect(known.contains(command)) }
    }
  }

  private static let misplaced: [(kind: String, words: [String], commands: [String])] = [
    ("track-library", ["search", "rain"], ["tracks search"]),
    ("track-library", ["items", "sfx"], ["tracks list"]),
    // What is wrong with the arguments is of no use there.
    ("track-library", ["items"], ["tracks list"]),
    ("concert-archive", ["items", "noise", "--sort", "x"], ["shows list"]),
    ("shop", ["search"], ["rows"]),
    ("track-library", ["facets", "sfx"], ["tracks tag list"]),
    (
      "track-library", ["tag", "add", "rain", "--mood", "Calm"],
      ["tracks tag add", "tracks tag set"]
    ),
    ("track-library", ["import", "/nowhere/x.json"], ["tracks import"]),
    ("track-library", ["shows", "recent"], ["tracks recent"]),
    ("concert-archive", ["search", "rain"], ["shows search"]),
    ("concert-archive", ["import", "/nowhere/x.json"], ["shows import"]),
    ("concert-archive", ["tracks", "playlist", "list"], ["shows collections"]),
    ("sound-library", ["tracks", "search", "rain"], ["search"]),
    ("sound-library", ["tracks", "list"], ["items"]),
    ("sound-library", ["shows", "search", "rain"], ["search"]),
    ("shop", ["items", "sfx"], ["rows"]),
    ("shop", ["tracks", "list"], ["rows"]),
  ]

  @Test(arguments: misplaced)
  func aCommandOfAnotherKindNamesTheOneThatDoesThatHere(
    kind: String, words: [String], commands: [String]
  ) async throws {
    let folder = try ScratchFolder()
    let path = try await Self.catalog(of: kind, in: folder)
    let outcome = await InProcess.run(words + ["--catalog", path])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("catalogctl: this is a catalog of kind \"\(kind)\", not "),
      "\(outcome)")
    let names = commands.map { "`catalogctl \($0)`" }.joined(separator: " and ")
    #expect(
      outcome.errors.contains(
        "\n\(names) \(commands.count == 1 ? "does" : "do") that in this catalog\n"))
    // Programs read the commands, and nothing else is on standard error.
    let json = await InProcess.run(words + ["--catalog", path, "--format", "json"])
    let failure = try #require(try json.failures().first)
    #expect(failure["recovery"] as? [String] == commands.map { "catalogctl \($0)" })
    #expect(json.errors.split(separator: "\n").count == 1)
  }

  /// Without a pair, the error says how to list what there is.
  @Test func aCommandWithoutACounterpartSaysWhatThereIs() async throws {
    let folder = try ScratchFolder()
    let sounds = try await Self.catalog(of: "sound-library", in: folder)
    let outcome = await InProcess.run(["shows", "rate", "x", "5", "--catalog", sounds])
    #expect(!outcome.errors.contains("does that in this catalog"))
    #expect(
      outcome.errors.hasSuffix("\n`catalogctl help` lists the commands of this kind\n"),
      "\(outcome)")
  }

  // MARK: Nothing there yet

  @Test func anEmptyCatalogNamesTheImportOfItsKind() async throws {
    let folder = try ScratchFolder()
    for (kind, command) in [
      ("sound-library", "import"), ("track-library", "tracks import"),
      ("concert-archive", "shows import"), ("shop", "import"),
    ] {
      let path = try await Self.catalog(of: kind, in: folder)
      let outcome = await InProcess.run(["bisect", "SELECT 1", "--catalog", path])
      #expect(outcome.status == 1)
      #expect(
        outcome.errors
          == "catalogctl: the catalog is empty: nothing was imported yet; `catalogctl \(command)` does that\n"
      )
    }
  }

  @Test func aMissingCatalogNamesTheBeginningOfTheCommandsKind() async throws {
    let path = try ScratchFolder().file("nothing")
    for (words, advice) in [
      (
        ["search", "x"],
        "import a seed first, or create a catalog of any kind with `catalogctl init`"
      ),
      (["tracks", "list"], "create one with `catalogctl init --kind track-library`"),
      (["shows", "list"], "create one with `catalogctl init --kind concert-archive`"),
      (
        ["kind", "show"],
        "`catalogctl adopt` makes one of a database, `catalogctl init --table` one of a file"
      ),
      (
        ["rules"],
        "`catalogctl adopt` makes one of a database, `catalogctl init --table` one of a file"
      ),
    ] {
      let outcome = await InProcess.run(words + ["--catalog", path])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("there is no catalog in \(path); \(advice)"), "\(outcome)")
    }
  }
}
