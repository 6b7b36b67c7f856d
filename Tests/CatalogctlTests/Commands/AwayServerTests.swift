import CatalogEngine
import CatalogTestSupport
import Foundation
import PostgresTestSupport
import Promises
import SoundLibrary
import Testing

/// Commands in a folder whose server cannot be reached, or refuses it.
@Suite(
  .promise(
    "While a server is away, commands that read show the rows of the folder, and others say that nothing was appended",
    by: "connections that are cut, logins that are refused, and a server that stops"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct AwayServerTests: SharedLogSuite {
  let log: SharedLog

  init() throws { log = try SharedLog() }

  /// The folder has every row: what reads shows them, and what writes says that it cannot.
  @Test func aServerThatIsAwayLeavesTheRows() async throws {
    let proxy = try CuttingProxy(to: cluster.folder)
    let address = proxy.address("away-\(UUID())")
    let catalog = try TestCatalog()
    #expect(
      await catalog.run("init", "--kind", "sound-library", "--log", address).status == 0)
    try await catalog.importSeed(SampleSeed.text())
    let item = SampleSeed.id(201)
    func outputs() async -> [Outcome] {
      var found: [Outcome] = []
      for command in [
        ["items", "sfx"], ["item", item], ["head"], ["receipt"],
        ["query", "SELECT count(*) FROM mood"], ["tables"],
      ] {
        found.append(await InProcess.run(command + ["--catalog", catalog.path]))
      }
      return found
    }
    let before = await outputs()
    #expect(before.allSatisfy { $0.status == 0 }, "\(before)")
    let head = try await catalog.head().sequence
    proxy.end()
    expect(await outputs(), areStill: before, asOf: head)
    let tagged = await catalog.run("tag", "add", item, "--mood", "Never")
    #expect(
      tagged.status == 1 && tagged.errors.contains("cannot be reached")
        && !tagged.errors.contains("as of event"), "\(tagged)")
    // Not the errors of two replays.
    let verify = await catalog.run("verify")
    #expect(
      verify.status == 1
        && verify.errors.hasPrefix("catalogctl: postgresql://")
        && verify.errors.contains("cannot be reached"), "\(verify)")
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("unreachable"), "\(doctor)")
    // An app opens it, too.
    let opened = try await EventCatalog.open(CatalogDirectory(catalog.path), SoundLibraryKind())
    defer { opened.close() }
    #expect(try await !opened.create(by: "test"))
    await #expect(throws: EventLogError.self) { try await opened.change(by: "test") { _ in [] } }
  }

  /// Only the log describes these tables; the database has what is needed to show them.
  @Test func aServerThatIsAwayLeavesTheRowsOfDescribedTables() async throws {
    let proxy = try CuttingProxy(to: cluster.folder)
    let address = proxy.address("away-\(UUID())")
    let (first, second) = (try TestCatalog(), try TestCatalog())
    let goods = try first.folder.write("sku,name,price\nA1,Tea,3\nB2,Coffee,4\n", to: "goods.csv")
    for words in [
      ["init", "--table", "goods=\(goods)", "--key", "sku", "--kind", "shop", "--log", address],
      ["import", "goods=\(goods)"],
    ] {
      let outcome = await InProcess.run(words + ["--catalog", first.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    // A description that names a column anew, and a folder that joins.
    let text = await first.run("kind", "show").output
    let kind = try first.folder.write(
      text.replacing(#""price": "#, with: #""cost": "#)
        .replacing(#""cost": "integer""#, with: #""cost": {"type": "integer", "was": "price"}"#),
      to: "kind.json")
    let changed = await first.run("kind", "change", kind)
    try #require(changed.status == 0, "\(changed) \(text)")
    #expect(await second.run("init", "--log", address).status == 0)
    func outputs() async -> [Outcome] {
      var found: [Outcome] = []
      for catalog in [first, second] {
        for command in [
          ["rows", "goods"], ["tables"], ["receipt"], ["lint"], ["head"],
          ["query", "SELECT count(*) FROM goods"],
        ] {
          found.append(await InProcess.run(command + ["--catalog", catalog.path]))
        }
      }
      return found
    }
    let before = await outputs()
    #expect(before.allSatisfy { $0.status == 0 }, "\(before)")
    #expect(before[0].output.contains("cost") && before[0].output.contains("Coffee"))
    let head = try await first.head().sequence
    proxy.end()
    expect(await outputs(), areStill: before, asOf: head)
    for catalog in [first, second] {
      #expect(await catalog.run("kind", "show").output.contains("cost"))
      let status = await catalog.run("status")
      #expect(status.status == 0 && status.output.contains("event \(head)"), "\(status)")
      let doctor = await catalog.run("doctor")
      #expect(doctor.status == 2 && doctor.errors.hasSuffix("1 finding\n"), "\(doctor)")
      #expect(await catalog.run("help").output.contains("TABLES OF YOUR OWN"))
      let refused = await catalog.run("import", "goods=\(goods)")
      #expect(
        refused.status == 1 && refused.errors.contains("cannot be reached")
          && !refused.errors.contains("as of event"), "\(refused)")
    }
    // A description in the database that is not the one of the checkpoint is not believed.
    let edited = try await Program.run(
      "sqlite3",
      [
        second.database,
        "UPDATE projection_description SET description = replace(description, 'cost', 'worth')",
      ])
    try #require(edited.status == 0, "\(edited)")
    let doctor = await second.run("doctor")
    #expect(doctor.status == 2 && doctor.errors.hasSuffix("1 finding\n"), "\(doctor)")
    #expect(await second.run("rows", "goods").status == 1)
  }

  /// Compares the answers of commands without the server with those before, but for one line that says it.
  private func expect(_ answers: [Outcome], areStill before: [Outcome], asOf head: Int) {
    for (own, earlier) in zip(answers, before) {
      #expect(own.status == 0 && own.output == earlier.output, "\(own)")
      let lines = own.errors.split(separator: "\n").filter {
        $0.contains("as of event \(head); the server cannot be reached")
      }
      #expect(lines.count == 1, "\(own)")
    }
  }
}
