import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What a shell may do around the program: pipes that close early, locales, colours, no home.
@Suite(
  .promise(
    "Neither text nor JSON steers a terminal, and the name of a file does not begin a line "
      + "of its own"),
  .promise(
    "Pipes that close early, locales and a missing home change no answer, and no catalog "
      + "is made in a place that was not named"))
struct SurroundingsTests {
  @Test(arguments: [
    "log", "log --format json", "items sfx", "items sfx --format json", "facets sfx", "receipt",
    "check", "--help",
  ])
  func aPipeThatClosesEarlyIsNoError(command: String) async throws {
    let catalog = try await SharedCatalogs.starter.value
    let options = command == "--help" ? "" : "--catalog \(catalog.path)"
    let outcome = try await Program.shell(
      "'\(Program.catalogctl)' \(command) \(options) | head -1")
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    for word in ["rror", "atal", "ipe", "acktrac"] {
      #expect(!outcome.errors.contains(word), "\(outcome)")
    }
  }

  @Test func jsonIsTheSameInAllSurroundings() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let surroundings: [[String: String]] = [
      ["TZ": "Pacific/Kiritimati"], ["LC_ALL": "tr_TR.UTF-8"], ["LC_ALL": "C", "LANG": "C"],
      ["NO_COLOR": "1"], ["TERM": "dumb"], ["SWIFT_DETERMINISTIC_HASHING": "1"],
    ]
    for command in [
      ["head"], ["log"], ["event", "2"], ["items", "music"], ["facets", "sfx"], ["receipt"],
      ["check"], ["verify"], ["import", "--dry-run"], ["rebuild"],
    ] {
      var arguments = command + ["--format", "json", "--catalog", catalog.path]
      if command[0] == "import" {
        arguments.append(try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json"))
      }
      let plain = try await Program.catalogctl(arguments)
      #expect(!plain.output.isEmpty)
      #expect(!plain.output.contains("\u{1B}"))
      for environment in surroundings {
        let outcome = try await Program.catalogctl(arguments, environment: environment)
        #expect(outcome.output == plain.output, "\(command) with \(environment)")
        #expect(outcome.status == plain.status)
      }
    }
  }

  @Test func theCatalogIsFoundThroughTheEnvironment() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let line = "\(head.sequence) \(head.chain)\n"
    let home = try await Program.catalogctl(["head"], environment: ["CATALOG_HOME": catalog.path])
    #expect(home.output == line)
    let data = try ScratchFolder()
    try FileManager.default.copyItem(atPath: catalog.path, toPath: data.file("catalogctl"))
    let standard = try await Program.catalogctl(
      ["head"], environment: ["CATALOG_HOME": "", "XDG_DATA_HOME": data.path])
    #expect(standard.output == line)
    let other = try await Program.catalogctl(
      ["head", "--catalog", catalog.folder.file("none")],
      environment: ["CATALOG_HOME": catalog.path])
    #expect(other.status == 1, "--catalog does not win")
  }

  @Test func aRelativeCatalogAndASlashAtTheEndWork() async throws {
    let folder = try ScratchFolder()
    let seed = try folder.write(SampleSeed.text(), to: "seed.json")
    let script = """
      cd '\(folder.path)' && C='\(Program.catalogctl)'
      "$C" import '\(seed)' --catalog deep/er/ >/dev/null && "$C" verify --catalog deep/er &&
      cd deep && "$C" head --catalog ./er/ && "$C" verify --catalog er
      """
    let outcome = try await Program.shell(script)
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// A disk that is full: a message and status 1, and nothing half-written.
  @Test func outputThatCannotBeWrittenIsAnError() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outcome = try await Program.shell(
      "'\(Program.catalogctl)' receipt --catalog '\(catalog.path)' > /dev/full")
    #expect(outcome.status == 1, "a receipt that was not written counts as one: \(outcome)")
    #expect(outcome.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test(arguments: [["head"], ["head", "--format", "json"], ["query", "SELECT 1"], ["doctor"]])
  func withoutAHomeTheCurrentFolderIsNotTaken(command: [String]) async throws {
    let folder = try ScratchFolder()
    let quoted = command.map { "'\($0)'" }.joined(separator: " ")
    for home in [
      "env -u HOME -u CATALOG_HOME -u XDG_DATA_HOME", "env HOME= CATALOG_HOME= XDG_DATA_HOME=",
    ] {
      let outcome = try await Program.shell(
        "cd \(folder.path) && \(home) \(Program.catalogctl) \(quoted)")
      #expect(outcome.status == 1, "\(outcome)")
      let sentence =
        "no folder for the catalog, because HOME is not set; name one with --catalog or CATALOG_HOME"
      if command.contains("json") {
        let failure = try #require(try outcome.failures().first, "\(outcome)")
        #expect(failure["message"] as? String == sentence, "\(outcome)")
      } else {
        #expect(outcome.errors == "catalogctl: \(sentence)\n", "\(outcome)")
      }
    }
    #expect(try ScratchFolder.contents(folder.path).isEmpty)
    // A folder of events needs none.
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await Program.shell(
      "env -u HOME -u CATALOG_HOME -u XDG_DATA_HOME \(Program.catalogctl) query 'SELECT 1' "
        + "--events \(catalog.events)")
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// The user who runs the tests may have one.
  @Test func testsDoWithoutTheCatalogOfTheirUser() async throws {
    for outcome in [await InProcess.run(["head"]), try await Program.catalogctl(["head"])] {
      #expect(outcome.status == 1 && outcome.errors.contains(NoCatalog.path), "\(outcome)")
    }
  }

  @Test func aCatalogIsNotMadeWithinALog() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let before = try ScratchFolder.contents(catalog.path)
    for (path, words) in [
      (catalog.events, "is the folder of an event log"),
      (catalog.events + "/inner", "is inside the folder of an event log"),
    ] {
      for options in [[], ["--dry-run"]] {
        // What is inside must be there to be looked at.
        let outcome = await InProcess.run(["import", seed, "--catalog", path] + options)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(
          outcome.errors.contains("\(path) \(words)")
            && outcome.errors.contains("name the folder above it"), "\(outcome)")
      }
    }
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  @Test func aLinkThatLeadsNowhereTakesTheNameOfANewFile() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outside = catalog.folder.file("outside.sqlite")
    let link = catalog.folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside)
    for command in [
      ["rebuild", "--keep-old", link], ["rebuild", "--out", link],
      ["materialize", "1", link], ["report", link],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("already exists"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: outside))
    }
  }

  /// Whoever chooses a file's name must not choose what a terminal, or a log of a build, shows.
  @Test func namesOfFilesBreakNoLine() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let name = "a\ncatalogctl: all is well\u{1B}[2J\u{9B}31m\u{202E}b"
    let shown = "a\\u{a}catalogctl: all is well\\u{1b}[2J\\u{9b}31m\\u{202e}b"
    for command in [
      ["import", name], ["verify", name], ["diff", name, "live"],
      ["head", "--catalog", name], ["log", "--type", name], [name], ["items", name],
    ] {
      let arguments = command.contains("--catalog") ? [] : ["--catalog", catalog.path]
      let outcome = await InProcess.run(command + arguments)
      #expect(outcome.status != 0, "\(outcome)")
      #expect(outcome.errors.contains(shown), "\(outcome)")
      #expect(!outcome.errors.contains("\ncatalogctl: all"), "\(outcome)")
    }
  }

  @Test func jsonSteersNoTerminal() async throws {
    let title = "Wind\u{9B}31m\u{202E}\u{2028}\u{7F}"
    let catalog = try TestCatalog()
    let seed = SampleSeed.text().replacing("Sound 201", with: title)
    try #require(try await catalog.importSeed(seed).status == 0)
    let raw = try await Program.shell("zstd -dcq \(catalog.events)/*.zst")
    try #require(raw.output.contains(title))
    for command in [
      ["item", SampleSeed.id(201)], ["items", "sfx"], ["search", "Wind"], ["log"],
      ["query", "SELECT title FROM library_item"],
    ] {
      let outcome = await InProcess.run(
        command + ["--format", "json", "--catalog", catalog.path])
      #expect(outcome.status == 0 && outcome.output.contains(#"Wind\u009b31m\u202e\u2028\u007f"#))
      #expect(!outcome.output.contains(title), "\(outcome)")
    }
  }
}

extension SharedCatalogs {
  /// The seed that ships; only read from.
  static let starter = Task {
    let catalog = try TestCatalog()
    let outcome = await catalog.run("import", Program.package + "/Seeds/starter.json")
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }
}
