import CatalogTestSupport
import Foundation
import Testing

/// What a shell may do around the program: pipes that close early, locales, colours, no home.
@Suite struct SurroundingsTests {
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
    let catalog = try await SharedCatalogs.sample.value.copy()
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
    let catalog = try await SharedCatalogs.sample.value.copy()
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
    let catalog = try await SharedCatalogs.sample.value.copy()
    let outcome = try await Program.shell(
      "'\(Program.catalogctl)' receipt --catalog '\(catalog.path)' > /dev/full")
    #expect(outcome.status == 1, "a receipt that was not written counts as one: \(outcome)")
    #expect(outcome.errors.contains("cannot write to standard output: No space left on device"))
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
