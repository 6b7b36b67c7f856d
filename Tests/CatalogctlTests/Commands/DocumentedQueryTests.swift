import CatalogTestSupport
import Foundation
import Promises
import Testing

/// SQL that the pages show, for `query` and `bisect`.
@Suite(
  .promise(
    "Generated statements have at a moment the answers of the database of that moment",
    by: "all SQL of the pages"))
struct DocumentedQueryTests {
  /// All of it that is asked with `catalogctl`.
  private static let statements: [String] = {
    let folder = URL(filePath: Program.package)
    let docs = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/docs")) ?? []
    // These pages ask catalogs of their own, which the tests of the pages make.
    let named = docs.filter { $0.hasSuffix(".md") && !["INSTALL.md", "TABLES.md"].contains($0) }
    let pages = ["README.md"] + named.map { "docs/\($0)" }.sorted()
    let text = pages.compactMap {
      try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }.joined(separator: "\n")
    let found = text.matches(of: /\$ catalogctl .*(?<quote>["'])(?<sql>(SELECT|WITH) .*)\k<quote>/)
    return Array(Set(found.map { String($0.output.sql) })).sorted()
  }()

  @Test func theHistoryAnswersThemAsAReplayDoes() async throws {
    try #require(Self.statements.count >= 5, "\(Self.statements)")
    let sounds = try await TestCatalog.imported()
    _ = try await sounds.importSeed(SampleSeed.text(revision: 2))
    let shows = try TestCatalog()
    for command in [
      ["init", "--kind", "concert-archive"],
      ["shows", "import", Program.package + "/Examples/Concerts/data-v1.0.0"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", shows.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    var answered: Set<String> = []
    for catalog in [sounds, shows] {
      #expect(await catalog.run("history", "make").status == 0)
      let head = try await catalog.head().sequence
      for sql in Self.statements {
        for moment in [1, head / 2, head] {
          let asked = await catalog.run("query", "--at", "\(moment)", sql)
          let replayed = await catalog.run("query", "--no-history", "--at", "\(moment)", sql)
          #expect(
            asked.status == replayed.status && asked.output == replayed.output,
            "\(moment): \(sql): \(asked)")
          if asked.status == 0 { answered.insert(sql) }
        }
      }
    }
    #expect(answered == Set(Self.statements))
  }
}
