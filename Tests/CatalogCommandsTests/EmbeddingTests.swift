import CatalogTestSupport
import Foundation
import Testing

/// What an application in another package sees.
@Suite struct EmbeddingTests {
  /// Compiles a file without this package's name: what is `package` is not to be seen then.
  private func compile(_ source: String) async throws -> Outcome {
    let root = Program.package
    let modules = URL(filePath: Program.catalogctl).deletingLastPathComponent().path + "/Modules"
    let maps = [
      "\(root)/.build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap",
      "\(root)/Sources/Engine/COpenSSL/module.modulemap",
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

  /// Else the test above would say nothing.
  @Test func whatIsOfThisPackageAloneIsNotSeen() async throws {
    let folder = try ScratchFolder()
    let source = try folder.write(
      "import Catalog\nfunc name(_ event: CatalogEvent) {}\n", to: "a.swift")
    let outcome = try await compile(source)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot find type 'CatalogEvent'"), "\(outcome)")
  }
}
