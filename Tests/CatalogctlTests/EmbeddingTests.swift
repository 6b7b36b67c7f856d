import CatalogTestSupport
import Foundation
import Promises
import Testing

/// What an application in another package sees.
@Suite(
  .promise(
    "All stores of a log keep the same promises, and a store that does not is found",
    by: "an application's own store"),
  .promise(
    "Every public type and every error of a public call has a name with `import "
      + "SoundLibrary` alone",
    by: "an application in another package, compiled"),
  .promise(
    "A program that has the engine's commands without `report` and `serve` has no markup in it",
    by: "the bytes of a program without pages, beside those of `catalogctl`"))
struct EmbeddingTests {
  /// Compiles a file without this package's name: what is `package` is not to be seen then.
  private func compile(_ source: String) async throws -> Outcome {
    let root = Program.package
    let programs = URL(filePath: BuiltProgram.besideTests("catalogctl")).deletingLastPathComponent()
    let modules = programs.path + "/Modules"
    // The programs are in a folder for the machine's architecture.
    let build = programs.deletingLastPathComponent().deletingLastPathComponent().path
    let maps = [
      "\(build)/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap",
      "\(root)/Sources/Engine/CGlibc/module.modulemap",
      "\(root)/Sources/Engine/COpenSSL/module.modulemap",
      "\(root)/Sources/Engine/CZlib/module.modulemap",
      "\(root)/Sources/Engine/CZstd/module.modulemap",
    ]
    return try await Program.run(
      "swiftc",
      ["-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules]
        + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [source])
  }

  @Test func everyErrorOfAPublicCallHasAName() async throws {
    let outcome = try await compile("\(Program.package)/Tests/Embedder/CaughtErrors.swift")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func everyPublicTypeHasItsNameByOneImport() async throws {
    let names = "\(Program.package)/Tests/Embedder/PublicNames.swift"
    let outcome = try await compile(names)
    #expect(outcome.status == 0, "\(outcome)")
    let written = Set(
      try String(contentsOfFile: names, encoding: .utf8)
        .split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    let declaration =
      /^public (?:final |indirect )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
      .anchorsMatchLineEndings()
    for module in Self.modules {
      let folder = "\(Program.package)/Sources/\(module)"
      let files = try #require(FileManager.default.enumerator(atPath: folder))
      var count = 0
      for case let file as String in files where file.hasSuffix(".swift") {
        let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        // An app that uses a name of an earlier release gets a warning.
        if file == "EarlierNames.swift" { continue }
        for match in source.matches(of: declaration) {
          count += 1
          #expect(written.contains(String(match.output.1)), "\(module)/\(file)")
        }
      }
      #expect(count > 0, "\(module)")
    }
  }

  /// Whose public types `import SoundLibrary` gives.
  private static let modules = [
    "Engine/CatalogEngine", "Engine/CatalogModel", "Engine/CatalogStore", "Engine/EventLog",
    "Engine/Projections", "Engine/Support", "Kinds/SoundLibrary/SoundLibrary",
    "Services/Downloads",
  ]

  /// Else the test above would say nothing.
  @Test func whatIsOfThisPackageAloneIsNotSeen() async throws {
    let folder = try ScratchFolder()
    let source = try folder.write(
      "import SoundLibrary\nfunc name(_ history: PlaylistHistory) {}\n", to: "a.swift")
    let outcome = try await compile(source)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot find type 'PlaylistHistory'"), "\(outcome)")
  }

  /// Programs are linked of the modules that they depend on, so a program has the markup of `CatalogPages` only if a module
  /// of it depends on that one.
  @Test func onlyAProgramWithPagesHasMarkup() throws {
    let beginning = Data("<!DOCTYPE html>".utf8)
    for (name, hasPages) in [("catalogctl", true), ("notesctl", false), ("embedder", false)] {
      let program = try Data(contentsOf: URL(filePath: BuiltProgram.besideTests(name)))
      #expect((program.range(of: beginning) != nil) == hasPages, "\(name)")
    }
  }

  /// The application passes the suite for stores, and two of its catalogs share a log there.
  @Test func anApplicationBringsAStore() async throws {
    let folder = try ScratchFolder()
    let outcome = try await Program.run(
      BuiltProgram.path("embedder"), ["objects", folder.path])
    #expect(outcome.status == 0 && outcome.output == "shared\n", "\(outcome)")
  }
}
