import CatalogTestSupport
import Foundation
import PostgresTestSupport
import Promises
import Testing

/// Several catalogs, each in a folder of its own, over one log in a server.
@Suite(
  .promise(
    "A server acknowledges nothing before a standby has it, and a server that may lose "
      + "events is refused",
    by: "a server is accepted by name"),
  .promise(
    "Several folders over one log have the same receipts, and each edit once; what belongs "
      + "to one machine is refused",
    by: "several folders over one PostgreSQL server, with a pooler and a standby"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct SharedLogCommandTests: SharedLogSuite {
  let log: SharedLog

  init() throws { log = try SharedLog() }

  /// One folder follows while the other one appends.
  @Test func changesOfOtherFoldersAreFollowed() async throws {
    let first = try await joined()
    #expect(try await first.importSeed(SampleSeed.text()).status == 0)
    let second = try await joined()
    let outcome = try await Program.shell(
      FollowTests.following + """
        head() { "$CTL" head --catalog "$SECOND" | cut -d' ' -f1; }
        heads=($(head))
        "$CTL" changes $heads --follow --format jsonl --every 0.02 --for 500 --catalog "$FIRST" >"$OUT" 2>"$OUT.errors" &
        for mood in One Two Three Four; do
          "$CTL" tag add "$ITEM" --mood "$mood" --catalog "$SECOND" >"$OUT.said"; heads+=($(head))
        done
        for place in 0 1 2 3; do
          "$CTL" changes ${heads[place]} ${heads[place + 1]} --format jsonl --catalog "$SECOND" --quiet
        done >"$OUT.all"
        until_lines "$OUT" "$(wc -l <"$OUT.all")"
        # Lists that end have no event to continue at.
        sed -E 's/"resume":"[0-9]+:[0-9a-f]{64}",//' "$OUT" | cmp - "$OUT.all" && echo "same $(wc -l <"$OUT")"
        """,
      [
        "CTL": Program.catalogctl, "FIRST": first.path, "SECOND": second.path,
        "OUT": first.folder.file("changes"), "ITEM": SampleSeed.id(201),
      ])
    #expect(outcome.output.hasPrefix("same "), "\(outcome)")
  }

  @Test func twoFoldersHaveOneLog() async throws {
    let first = try await joined()
    #expect(try await first.importSeed(SampleSeed.text()).status == 0)
    let second = try await joined()
    let receipt = await first.run("receipt").output
    #expect(await second.run("receipt").output == receipt)
    let item = SampleSeed.id(201)
    #expect(await second.run("tag", "add", item, "--mood", "Shared").status == 0)
    #expect(await first.run("item", item).output.contains("Shared"))
    #expect(await first.run("receipt").output == second.run("receipt").output)
    for catalog in [first, second] {
      #expect(try await catalog.program("verify").status == 0)
      #expect(await catalog.run("check").status == 0)
      let doctor = await catalog.run("doctor")
      #expect(doctor.status == 0 && doctor.errors.contains("a primary, fsync on"), "\(doctor)")
      let past = await catalog.run("query", "--at", "2", "SELECT count(*) FROM library_item")
      #expect(past.status == 0, "\(past)")
    }
    let read = await InProcess.run(["log", "--newest", "--limit", "1", "--events", address])
    #expect(read.output.contains("Shared"), "\(read)")
    #expect(await second.run("rebuild").status == 0)
    #expect(await first.run("receipt").output == second.run("receipt").output)
  }

  /// The log has the description of its tables: a second folder needs nothing else.
  @Test func aLogOfTablesIsShared() async throws {
    let first = try TestCatalog()
    let kind = try first.folder.write(
      """
      {"kind": "shop", "tables": {"goods": {"key": "sku", "search": "name",
        "columns": {"sku": "text", "name": "text", "n": {"type": "integer", "default": 0}}}},
       "events": {"goods.counted": {"data": {"sku": "text", "n": "integer"},
         "does": [{"set": "goods", "key": ["$sku"], "to": {"n": "$n"}}]}}}
      """, to: "kind.json")
    let made = await first.run("init", "--describe", kind, "--log", address)
    #expect(made.status == 0, "\(made)")
    let goods = try first.folder.write("sku,name\na,Slim lamp\nb,Tap\n", to: "goods.csv")
    #expect(await first.run("import", "goods=\(goods)").status == 0)
    let second = try TestCatalog()
    #expect(await second.run("init", "--log", address).status == 0)
    #expect(await second.run("record", "goods.counted", "sku=a", "n=7").status == 0)
    let rows = await first.run("rows", "goods", "--search", "lamp", "--csv")
    #expect(rows.output == "sku,name,n\na,Slim lamp,7\n", "\(rows)")
    let grown = try first.folder.write(
      try String(contentsOfFile: kind, encoding: .utf8)
        .replacing("\"name\": \"text\"", with: "\"name\": \"text\", \"vendor\": \"text?\""),
      to: "grown.json")
    #expect(await first.run("kind", "change", grown).status == 0)
    #expect(await second.run("rows", "goods", "--csv").output.hasPrefix("sku,name,vendor,n\n"))
    for catalog in [first, second] { #expect(try await catalog.program("verify").status == 0) }
    #expect(await first.run("receipt").output == second.run("receipt").output)
    let third = try TestCatalog()
    let refused = await third.run("init", "--describe", kind, "--log", address)
    #expect(refused.status == 1 && refused.errors.contains("joins it"), "\(refused)")
  }

  /// One history in a folder and in a server has equal heads and databases.
  @Test func aCopyThereAndBackIsTheSame() async throws {
    let own = try await TestCatalog.imported()
    #expect(await own.run("tag", "add", SampleSeed.id(201), "--mood", "Own").status == 0)
    #expect(await own.run("copy", address).status == 0)
    let shared = try await joined()
    #expect(await shared.run("receipt").output == own.run("receipt").output)
    #expect(await shared.run("tag", "add", SampleSeed.id(202), "--mood", "There").status == 0)
    let back = own.folder.file("back")
    #expect(await shared.run("copy", back).status == 0)
    let again = await InProcess.run(["receipt", "--catalog", back])
    #expect(await again.output == shared.run("receipt").output)
    func plain(_ events: String) async throws -> String {
      try await Program.run("bash", ["-c", "cat '\(events)'/*.zst | zstd -dc | sha256sum"]).output
    }
    let lines = try await Program.run(
      "bash", ["-c", "'\(Program.catalogctl)' log --format json --events '\(address)' | sha256sum"])
    #expect(try await plain(back + "/events") == lines.output)
    // The folder's own log goes another way, and neither side is changed.
    #expect(await own.run("tag", "add", SampleSeed.id(203), "--mood", "Own").status == 0)
    let refused = await own.run("copy", address)
    #expect(refused.status == 3, "\(refused)")
  }

  /// Processes of several folders edit at once: each edit is there once, and all see the same.
  @Test func manyWritersMakeProgress() async throws {
    let folders = [try await joined(), try await joined(), try await joined()]
    try await folders[0].importSeed(SampleSeed.text())
    let (writers, edits) = (6, Sample.count(4, of: 25))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          for edit in 0..<edits {
            let outcome = try await folders[writer % folders.count].program(
              "tag", "add", SampleSeed.id(201), "--mood", "Edit \(writer)-\(edit)", "--wait", "120")
            #expect(outcome.status == 0, "\(outcome)")
          }
        }
      }
      try await group.waitForAll()
    }
    // Each of them applies what the others appended last.
    let receipts = [
      await folders[0].run("receipt").output, await folders[1].run("receipt").output,
      await folders[2].run("receipt").output,
    ]
    #expect(Set(receipts).count == 1)
    let wanted = (0..<writers).flatMap { writer in (0..<edits).map { "Edit \(writer)-\($0)" } }
    for folder in folders {
      let names = try await folder.query("SELECT name FROM mood WHERE name LIKE 'Edit %'")
      #expect(names.split(separator: "\n").map(String.init).sorted() == wanted.sorted())
    }
    #expect(await folders[0].run("check").status == 0)
  }

  @Test func commandsThatCopyOrNameSegmentsKnowTheServer() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    let event = await catalog.run("event", "2")
    #expect(event.output.contains("stored: \(address), the row of event 2"), "\(event)")
    let difference = try await catalog.program("projection", "diff", Program.catalogctl)
    #expect(difference.status == 0, "\(difference)")
    try cluster.sql("DELETE FROM log_batch WHERE catalog = '\(address.split(separator: "#")[1])'")
    let lost = await catalog.run("head")
    #expect(lost.status == 3 && lost.errors.contains(address), "\(lost)")
  }

  @Test func whatIsOneMachinesIsRefused() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    for command in ["download", "repair", "delete", "cancel"] {
      let outcome = await catalog.run(command, SampleSeed.sfxPack)
      #expect(outcome.status == 1 && outcome.errors.contains("shared"), "\(outcome)")
    }
    let salvage = await catalog.run("salvage", catalog.folder.file("rescued"))
    #expect(salvage.status == 0 && salvage.output.contains("head"), "\(salvage)")
  }

  @Test func whoeverFollowsSeesWhatOthersAppend() async throws {
    let (first, second) = (try await joined(), try await joined())
    let following = try Program.interruptible([
      "follow", "--every", "0.05", "--format", "json", "--catalog", second.path,
    ])
    try await first.importSeed(SampleSeed.text())
    let head = try await first.head().sequence
    try await Wait.until("event \(head)") {
      try String(contentsOf: following.output, encoding: .utf8).contains("\"sequence\":\(head)")
    }
    following.process.interrupt()
    let outcome = try await following.finish()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.lines.last?.contains("\"sequence\":\(head)") == true, "\(outcome)")
  }

  /// Waits until a query has a row.
  private func until(_ query: String, isAnsweredBy server: PostgresCluster) async throws {
    try await Wait.until("\(query)") { try !server.sql(query).isEmpty }
  }

  /// A reader may ask a standby. What that does not have yet is not lost, and is what a change is planned on.
  @Test func aStandbyThatIsLateLosesNothing() async throws {
    let primary = try PostgresCluster()
    let standby = try PostgresCluster(following: primary)
    func address(_ hosts: String, _ options: String = "") -> String {
      "postgresql://postgres@/postgres?host=\(hosts)\(options)#late"
    }
    let both = "\(standby.folder),\(primary.folder)"
    let first = try TestCatalog()
    let preferring = address(both, "&target_session_attrs=prefer-standby")
    #expect(await first.run("init", "--kind", "sound-library", "--log", preferring).status == 0)
    try await first.importSeed(SampleSeed.text())
    // Waits until the standby has it, and keeps it there.
    try await until(
      "SELECT 1, pg_wal_replay_pause() FROM log_batch WHERE catalog = 'late' AND first_seq > 1",
      isAnsweredBy: standby)
    try await until(
      "SELECT 1 WHERE pg_get_wal_replay_pause_state() = 'paused'", isAnsweredBy: standby)
    let second = try TestCatalog()
    #expect(await second.run("init", "--log", address(both)).status == 0)
    for (number, catalog) in [first, second, first].enumerated() {
      let tagged = await catalog.run(
        "tag", "add", SampleSeed.id(201), "--mood", "Edit \(number)", "--wait", "600")
      #expect(tagged.status == 0, "\(tagged)")
      for command in ["head", "check", "receipt"] {
        let answer = await catalog.run(command)
        #expect(answer.status == 0, "\(command): \(answer)")
      }
    }
    #expect(await second.run("item", SampleSeed.id(201)).output.contains("Edit 2"))
    // The standby alone knows nothing of that, and says so.
    try "\(address(standby.folder))\n".write(
      toFile: first.path + "/log.url", atomically: true, encoding: .utf8)
    let alone = await first.run("head")
    #expect(alone.status == 1 && alone.errors.contains("this standby"), "\(alone)")
    let refused = await first.run("tag", "add", SampleSeed.id(201), "--mood", "Never")
    #expect(refused.status == 1, "\(refused)")
    try standby.sql("SELECT pg_wal_replay_resume()")
    try await Wait.until("the standby's head") { await first.run("head").status == 0 }
    #expect(await first.run("receipt").output == second.run("receipt").output)
  }

  /// At twenty milliseconds to the server each further statement is seen.
  @Test func aTagIsFewStatementsOnOneConnection() async throws {
    let server = try PostgresCluster(settings: ["log_statement=all", "log_connections=on"])
    let catalogs = [try TestCatalog(), try TestCatalog()]
    let address = server.address("cost")
    for catalog in catalogs {
      #expect(
        await catalog.run("init", "--kind", "sound-library", "--log", address).status == 0)
    }
    try await catalogs[0].importSeed(SampleSeed.text())
    #expect(await catalogs[1].run("items", "sfx").status == 0)
    // The second one's database lacks what the first one appended: it is looked for, and read.
    for (catalog, most) in [(catalogs[0], 3), (catalogs[1], 5)] {
      let tag = ["tag", "add", SampleSeed.id(201), "--mood", "Edit \(most)"]
      try await expect(most, of: server, by: tag, in: catalog)
    }
    // A command that changes nothing asks no more than one that reads, and opens the log.
    try await expect(
      2, of: server, by: ["tag", "add", SampleSeed.id(201), "--mood", "Edit 5"], in: catalogs[1])
    try await expect(1, of: server, by: ["item", SampleSeed.id(201)], in: catalogs[1])
  }

  /// - Parameter most: statements at most, on one connection.
  private func expect(
    _ most: Int, of server: PostgresCluster, by arguments: [String], in catalog: TestCatalog
  ) async throws {
    let before = try server.logLength()
    let outcome = try await Program.catalogctl(arguments + ["--catalog", catalog.path])
    #expect(outcome.status == 0, "\(outcome)")
    let lines = try server.logged(after: before).split(separator: "\n")
    let statements = lines.filter {
      $0.contains("LOG:  execute") || $0.contains("LOG:  statement")
    }
    #expect(statements.count <= most, "\(arguments): \(statements)")
    #expect(lines.count { $0.contains("connection received") } == 1, "\(lines)")
  }

  /// The description of the tables is in the log, and is looked for once.
  @Test func aLogOfTablesIsFewStatements() async throws {
    let server = try PostgresCluster(settings: ["log_statement=all", "log_connections=on"])
    let catalog = try TestCatalog()
    let kind = try catalog.folder.write(
      #"{"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text"}}}}"#,
      to: "kind.json")
    let made = await catalog.run("init", "--describe", kind, "--log", server.address("cost"))
    try #require(made.status == 0, "\(made)")
    let goods = try catalog.folder.write("sku\na\nb\n", to: "goods.csv")
    #expect(await catalog.run("import", "goods=\(goods)").status == 0)
    try await expect(7, of: server, by: ["rows", "goods"], in: catalog)
    try await expect(8, of: server, by: ["import", "goods=\(goods)"], in: catalog)
  }

  /// A session may have its own connection of the pool, or each transaction another one.
  @Test(
    .enabled(if: PostgresPooler.isInstalled, "pgbouncer is not installed"),
    arguments: ["session", "transaction"])
  func aPoolerOfTwoServesSeveralFolders(mode: String) async throws {
    let pooler = try await PostgresPooler(
      before: cluster, settings: ["pool_mode = \(mode)", "default_pool_size = 2"])
    defer { pooler.end() }
    let address = pooler.address("pooled-\(mode)")
    let catalogs = [try TestCatalog(), try TestCatalog(), try TestCatalog()]
    for catalog in catalogs {
      let made = try await catalog.program("init", "--kind", "sound-library", "--log", address)
      try #require(made.status == 0, "\(made)")
    }
    let seed = try catalogs[0].folder.write(SampleSeed.text(), to: "seed.json")
    #expect(try await catalogs[0].program("import", seed).status == 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, catalog) in catalogs.enumerated() {
        group.addTask {
          for edit in 0..<3 {
            let tagged = try await catalog.program(
              "tag", "add", SampleSeed.id(201), "--mood", "Edit \(number)-\(edit)", "--wait", "600")
            #expect(tagged.status == 0, "\(tagged)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await catalogs[0].program("check").status == 0)
    #expect(
      try await catalogs[0].program("receipt").output == catalogs[1].program("receipt").output)
    let moods = try await catalogs[0].query("SELECT count(*) FROM mood WHERE name LIKE 'Edit %'")
    #expect(moods == "9")
  }

  /// A change that has the turn needs two connections of a pooler: one that waits for its turn keeps none.
  @Test(.enabled(if: PostgresPooler.isInstalled, "pgbouncer is not installed"))
  func whatWaitsForItsTurnLeavesThePoolToOthers() async throws {
    let pooler = try await PostgresPooler(
      before: cluster,
      settings: ["pool_mode = session", "default_pool_size = 1", "query_wait_timeout = 60"])
    defer { pooler.end() }
    let (catalog, name) = (try TestCatalog(), "waiting-\(UUID())")
    let made = try await catalog.program(
      "init", "--kind", "sound-library", "--log", pooler.address(name))
    try #require(made.status == 0, "\(made)")
    // A process that goes on keeps a connection.
    let seed = try catalog.folder.write(SampleSeed.text(), to: "seed.json")
    #expect(try await catalog.program("import", seed).status == 0)
    // Another writer, which came to the server without the pooler, has the turn.
    let turn = "('x' || left(encode(sha256('catalog log \(name)'), 'hex'), 16))::bit(64)::bigint"
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/env")
    holder.arguments = [
      "psql", "-X", "-h", cluster.folder, "-U", "postgres", "-c",
      "SELECT pg_advisory_lock(\(turn)), pg_sleep(600) /* \(name) */",
    ]
    holder.standardOutput = FileHandle.nullDevice
    try holder.run()
    defer { holder.terminate() }
    func sessions(_ condition: String) throws -> String {
      try cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE \(condition)")
    }
    try await Wait.until("the turn of another writer") {
      try sessions("wait_event = 'PgSleep' AND query LIKE '%\(name)%'") == "1"
    }
    let start = try cluster.sql("SELECT clock_timestamp()")
    async let tagged = catalog.program(
      "tag", "add", SampleSeed.id(201), "--mood", "Later", "--wait", "600")
    // The pooler cleans a connection that is given back.
    try await Wait.until("a connection that is free while the program waits") {
      try sessions("query LIKE 'DISCARD%' AND state_change > '\(start)'") != "0"
    }
    for _ in 0..<3 {
      let asked = try await Program.run(
        "psql",
        [
          "-X", "-w", "-At", "-c", "SELECT 7",
          pooler.address(name).split(separator: "#").map(String.init)[0],
        ])
      #expect(asked.status == 0 && asked.output == "7\n", "\(asked)")
    }
    try cluster.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%\(name)%'"
    )
    #expect(try await tagged.status == 0)
    #expect(try await catalog.query("SELECT count(*) FROM mood WHERE name = 'Later'") == "1")
  }

  @Test func aServerThatMayLoseEventsIsAcceptedByName() async throws {
    let loose = try PostgresCluster(settings: ["fsync=off"])
    let catalog = try TestCatalog()
    let address = loose.address("loose")
    let refused = await catalog.run("init", "--kind", "sound-library", "--log", address)
    #expect(refused.status == 1 && refused.errors.contains("--accept-loss"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: catalog.path))
    #expect(
      await catalog.run("init", "--kind", "sound-library", "--log", address, "--accept-loss")
        .status == 0)
    // The folder keeps it, and one that joined a server with other settings gets it.
    let file = catalog.path + "/log.url"
    let kept = try String(contentsOfFile: file, encoding: .utf8)
    try kept.split(separator: "\n")[0].appending("\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect(try await catalog.importSeed(SampleSeed.text()).status == 1)
    #expect(await catalog.run("init", "--log", address, "--accept-loss").status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == kept)
    #expect(try await catalog.importSeed(SampleSeed.text()).status == 0)
    #expect(await catalog.run("doctor").errors.contains("fsync off"))
    let copy = await InProcess.run(["copy", address, loose.address("copy")])
    #expect(copy.status == 1, "\(copy)")
    let accepted = await InProcess.run(["copy", address, loose.address("copy"), "--accept-loss"])
    #expect(accepted.status == 0, "\(accepted)")
  }

  @Test func aMissingLibraryIsNamed() async throws {
    let folder = try ScratchFolder()
    try "no library".write(
      toFile: folder.file("libpq.so.5"), atomically: true, encoding: .utf8)
    let outcome = try await Program.run(
      "env", ["LD_LIBRARY_PATH=\(folder.path)", Program.catalogctl, "log", "--events", address])
    #expect(outcome.status == 1 && outcome.errors.contains("apt-get install libpq5"), "\(outcome)")
  }
}
