import CatalogControl
import CatalogEngine
import CatalogPages
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
        && tagged.errors.contains("nothing was appended")
        && !tagged.errors.contains("as of event"), "\(tagged)")
    // The option is understood in each place of the line.
    for words in [
      ["items", "sfx", "--strict"], ["--strict", "item", item], ["head", "--strict"],
      ["receipt", "--strict"], ["--strict", "query", "SELECT 1"], ["tables", "--strict"],
      ["status", "--strict"],
    ] {
      let strict = await InProcess.run(words + ["--catalog", catalog.path])
      #expect(
        strict.status == 1 && strict.output.isEmpty
          && strict.errors.contains("the server cannot be reached"), "\(words): \(strict)")
    }
    // Not the errors of two replays.
    let verify = await catalog.run("verify")
    #expect(
      verify.status == 1
        && verify.errors.hasPrefix("catalogctl: the server cannot be reached: postgresql://"),
      "\(verify)")
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("unreachable"), "\(doctor)")
    // An app opens it, too.
    let opened = try await EventCatalog.open(CatalogDirectory(catalog.path), SoundLibraryKind())
    defer { opened.close() }
    var strict = OpeningOptions()
    strict.needsServer = true
    let options = strict
    await #expect(throws: EventLogError.self) {
      let other = try await EventCatalog.open(
        CatalogDirectory(catalog.path), SoundLibraryKind(), options: options)
      other.close()
    }
    #expect(try await !opened.create(by: "test"))
    await #expect(throws: EventLogError.self) { try await opened.change(by: "test") { _ in [] } }
  }

  /// The history has the past. A command that has to read events says that the server is away.
  @Test func aServerThatIsAwayLeavesThePast() async throws {
    let proxy = try CuttingProxy(to: cluster.folder)
    let address = proxy.address("away-\(UUID())")
    let (catalog, other) = (try TestCatalog(), try TestCatalog())
    #expect(
      await catalog.run("init", "--kind", "sound-library", "--log", address).status == 0)
    try await catalog.importSeed(SampleSeed.text())
    let (item, first) = (SampleSeed.id(201), try await catalog.head().sequence)
    // Another folder gets a history that ends before its database does.
    #expect(await other.run("init", "--log", address).status == 0)
    #expect(await other.run("history", "make").status == 0)
    for mood in ["One", "Two"] {
      #expect(await catalog.run("tag", "add", item, "--mood", mood).status == 0)
    }
    let (last, count) = (try await catalog.head().sequence, "SELECT count(*) FROM mood")
    func answers(_ options: String...) async -> [Outcome] {
      var found: [Outcome] = []
      for command in [
        ["query", "--at", "\(first)", count], ["query", "--at", "yesterday", count],
        ["diff", "\(first)", "\(last)"], ["diff", "\(first)", "live"],
        ["diff", "\(first)", "live", "--json"],
        ["changes", "\(first)"], ["blame", "library_item", item, "--column", "title"],
        ["history", "row", "library_item", item], ["history", "count", count],
        ["bisect", count], ["show", "\(last)"], ["show", "head~1..head"],
        ["blame", "library_item", "Sound 202"],
      ] {
        found.append(await InProcess.run(command + options + ["--catalog", catalog.path]))
      }
      return found
    }
    _ = await answers()
    let before = await answers()
    #expect(before.filter { $0.status == 0 || $0.status == 2 }.count > 7, "\(before)")
    let shown = await other.run("item", item)
    #expect(shown.status == 0 && shown.output.contains("Two"), "\(shown)")
    proxy.end()
    for (own, earlier) in zip(await answers(), before) {
      #expect(own.status == earlier.status && own.output == earlier.output, "\(own)")
      let lines = own.errors.split(separator: "\n").filter {
        $0.contains("the server cannot be reached")
      }
      #expect(
        lines.count == 1 && lines.allSatisfy { $0.contains("as of event \(last); ") }, "\(own)")
    }
    for strict in await answers("--strict") {
      #expect(strict.status == 1 && strict.output.isEmpty, "\(strict)")
    }
    // What came after its end would be denied.
    for arguments in [["query", "--at", "\(first)", count], ["diff", "\(first)", "live"]] {
      let denied = await InProcess.run(arguments + ["--catalog", other.path])
      #expect(
        denied.status == 1 && denied.output.isEmpty
          && denied.errors.contains("the server cannot be reached"), "\(denied)")
    }
    let rows = await other.run("items", "sfx")
    #expect(rows.status == 0 && rows.errors.contains("as of event \(last); "), "\(rows)")
    let event = await catalog.run("event", "\(last)")
    #expect(event.status == 1 && event.errors.contains("cannot be reached"), "\(event)")
    let inspector = CatalogInspector(CatalogControl.program, CatalogDirectory(catalog.path))
    let page = await inspector.answer(
      path: "/answer", query: "sql=SELECT%20count(*)%20FROM%20mood&at=\(first)")
    #expect(
      page.status == 200 && page.body.contains("as of event \(last); the server cannot be reached"),
      "\(page.body)")
    // Without a history no program knows.
    try FileManager.default.removeItem(atPath: catalog.path + "/history.sqlite")
    let nothing = await catalog.run("query", "--at", "\(first)", count)
    #expect(nothing.status == 1 && nothing.errors.contains("cannot be reached"), "\(nothing)")
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

  /// A server that answers and refuses the login is not away: the user, the password or the database is another one.
  @Test func aRefusedLoginIsNamed() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    let file = catalog.path + "/log.url"
    let right = try String(contentsOfFile: file, encoding: .utf8)
    for (part, wrong) in [("@/postgres?", "@/elsewhere?"), ("//postgres@", "//stranger@")] {
      try right.replacing(part, with: wrong).write(toFile: file, atomically: true, encoding: .utf8)
      let shown = await catalog.run("items", "sfx")
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Never")
      let doctor = await catalog.run("doctor")
      #expect(shown.status == 0 && added.status == 1 && doctor.status == 2)
      for text in [shown.errors, added.errors, doctor.output] {
        #expect(
          text.contains("the server answers, but refuses this login")
            && !text.contains("cannot be reached"), "\(text)")
      }
    }
    try right.replacing(cluster.folder, with: "/nowhere").write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect(await catalog.run("items", "sfx").errors.contains("cannot be reached"))
  }

  /// One that lacks a password, or stops, is neither away, nor refuses a login.
  @Test func aServerThatGivesNoConnectionSaysWhy() async throws {
    let own = try PostgresCluster()
    let catalog = try TestCatalog()
    let made = try await catalog.program(
      "init", "--kind", "sound-library", "--log", own.address("closing"))
    try #require(made.status == 0, "\(made)")
    let file = catalog.path + "/log.url"
    let right = try String(contentsOfFile: file, encoding: .utf8)
    func refusal(of user: String) async throws -> String {
      try await Program.run(
        "psql", ["-X", "-w", "-h", own.folder, "-U", user, "-d", "postgres", "-c", ""]
      ).errors
    }
    try own.sql("CREATE ROLE reader LOGIN PASSWORD 'secret'")
    let rules = try own.sql("SHOW hba_file")
    let others = try String(contentsOfFile: rules, encoding: .utf8)
    try "local all reader scram-sha-256\n\(others)".write(
      toFile: rules, atomically: false, encoding: .utf8)
    try own.sql("SELECT pg_reload_conf()")
    try await Wait.until("a password") {
      try await refusal(of: "reader").contains("no password supplied")
    }
    try right.replacing("//postgres@", with: "//reader@").write(
      toFile: file, atomically: true, encoding: .utf8)
    let asked = try await catalog.program("items", "sfx")
    #expect(
      asked.status == 0 && asked.errors.contains("neither PGPASSWORD nor ~/.pgpass has one"),
      "\(asked)")
    try right.write(toFile: file, atomically: true, encoding: .utf8)

    // A session that goes on keeps the server from its end.
    let session = Process()
    session.executableURL = URL(filePath: "/usr/bin/env")
    session.arguments = [
      "psql", "-X", "-h", own.folder, "-U", "postgres", "-c", "SELECT pg_sleep(600)",
    ]
    try session.run()
    defer { session.terminate() }
    try await Wait.until("a session") {
      try own.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%'") == "2"
    }
    let pids = try String(
      contentsOfFile: own.sql("SHOW data_directory") + "/postmaster.pid", encoding: .utf8)
    try #require(kill(Int32(pids.prefix { $0.isNumber }) ?? 0, SIGTERM) == 0)
    try await Wait.until("its end") {
      try await refusal(of: "postgres").contains("is shutting down")
    }
    let stopping = try await catalog.program("items", "sfx")
    #expect(
      stopping.status == 0
        && stopping.errors.contains("the server answers, and gives no connection"),
      "\(stopping)")
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
