import CatalogEngine
import CatalogTestSupport
import EventLog
import Foundation
import PostgresTestSupport
import Promises
import SoundLibrary
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
    by: "several folders over one PostgreSQL server, with a pooler, a standby and a server "
      + "that is away"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct SharedLogCommandTests {
  private let cluster: PostgresCluster
  private let address: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    address = cluster.address("commands")
  }

  private func joined() async throws -> TestCatalog {
    let catalog = try TestCatalog()
    let outcome = await catalog.run("init", "--log", address)
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }

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
        sed -E 's/"resume":[0-9]+,//' "$OUT" | cmp - "$OUT.all" && echo "same $(wc -l <"$OUT")"
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
    let second = try await joined()
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

  /// A server that was restored to an earlier state lacks events: nothing is written.
  @Test func aServerThatWasSetBackIsALoss() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Lost").status == 0)
    let name = address.split(separator: "#")[1]
    try cluster.sql(
      """
      DELETE FROM log_batch WHERE catalog = '\(name)' AND first_seq = \
      (SELECT max(first_seq) FROM log_batch WHERE catalog = '\(name)')
      """)
    for arguments in [
      ["tag", "add", SampleSeed.id(201), "--mood", "Next"], ["head"], ["doctor"], ["follow"],
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(outcome.status == 3, "\(arguments): \(outcome)")
    }
    let count = try cluster.sql("SELECT count(*) FROM log_batch WHERE catalog = '\(name)'")
    #expect(count == "2")
    let doctor = await catalog.run("doctor")
    #expect(doctor.output.contains("restore the log at \(address)"), "\(doctor)")
  }

  /// A server that was restored to an earlier state takes another event of the number that went. The folder that had that one
  /// names what went with it.
  @Test func whatASetBackServerLostIsNamed() async throws {
    let (first, second) = (try await joined(), try await joined())
    try await first.importSeed(SampleSeed.text())
    #expect(await second.run("head").status == 0)
    #expect(await second.run("receipt").status == 0)
    #expect(await first.run("tag", "add", SampleSeed.id(201), "--mood", "Lost").status == 0)
    let name = address.split(separator: "#")[1]
    try cluster.sql(
      """
      DELETE FROM log_batch WHERE catalog = '\(name)' AND first_seq = \
      (SELECT max(first_seq) FROM log_batch WHERE catalog = '\(name)')
      """)
    #expect(await second.run("tag", "add", SampleSeed.id(202), "--mood", "Other").status == 0)
    let sequence = try await second.head().sequence
    let doctor = await first.run("doctor")
    #expect(
      doctor.status == 3 && doctor.output.contains("diff \(sequence) live"), "\(doctor)")
    let difference = await first.run("diff", "\(sequence)", "live")
    #expect(
      difference.status == 3 && difference.output.contains("Lost")
        && difference.output.contains("Other"), "\(difference)")
  }

  @Test func aRowThatWasChangedIsRestored() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    let name = address.split(separator: "#")[1]
    try cluster.sql(
      "UPDATE log_batch SET frame = set_byte(frame, 150, get_byte(frame, 150) # 1) WHERE catalog = '\(name)'"
    )
    let doctor = await catalog.run("doctor")
    #expect(doctor.status == 3 && doctor.output.contains("salvage"), "\(doctor)")
    #expect(doctor.output.contains("restore the log at \(address)"), "\(doctor)")
  }

  /// A damaged row, one that is gone, and both lose their own events: all others that a copy had before are salvaged.
  @Test(arguments: [
    "UPDATE log_batch SET frame = set_byte(frame, length(frame) - 9, get_byte(frame, length(frame) - 9) # 1) WHERE {1}",
    "UPDATE log_batch SET frame = set_byte(frame, 70, get_byte(frame, 70) # 255) WHERE {1}",
    "UPDATE log_batch SET frame = substring(frame FOR 40) WHERE {1}",
    "DELETE FROM log_batch WHERE {1}",
    "UPDATE log_batch SET frame = '' WHERE {1}; DELETE FROM log_batch WHERE {3}",
  ])
  func whatIsIntactIsSalvaged(damage: String) async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    var ranges: [ClosedRange<Int>] = []
    // Each is of another item: what one of them says does not depend on the others.
    for (place, mood) in ["Windy", "Sandy", "Muddy", "Foggy"].enumerated() {
      let before = try await sequence(catalog)
      let added = await catalog.run(
        "tag", "add", SampleSeed.id(101 + place), "--mood", mood, "--new")
      try #require(added.status == 0, "\(added)")
      ranges.append(try await before + 1...sequence(catalog))
    }
    let copy = catalog.folder.file("whole")
    #expect(await catalog.run("copy", copy).status == 0)
    let whole = try await events(of: copy)

    let name = address.split(separator: "#")[1]
    let damaged = [1, 3].filter { damage.contains("{\($0)}") }
    let statements = damaged.reduce(damage) { text, place in
      text.replacing(
        "{\(place)}", with: "catalog = '\(name)' AND first_seq = \(ranges[place].lowerBound)")
    }
    // The keys of the table do not let a row go to which another one refers.
    try cluster.sql("SET session_replication_role = replica; \(statements)")

    let first = catalog.folder.file("first")
    let beginning = await catalog.run("salvage", first, "--format", "json")
    #expect(beginning.status == 2, "\(beginning)")
    #expect(try await events(of: first) == Array(whole[..<(ranges[1].lowerBound - 1)]))
    let all = catalog.folder.file("all")
    let past = await catalog.run("salvage", all, "--past-gaps")
    #expect(past.status == 2, "\(past)")
    let lost = Set(damaged.flatMap { Array(ranges[$0]) })
    let kept = whole.enumerated().filter { !lost.contains($0.offset + 1) }.map(\.element)
    // The first event names the log, which is a new one.
    #expect(try await events(of: all).dropFirst() == kept.dropFirst(), "\(past)")
    for place in damaged {
      let range = ranges[place]
      let words =
        range.count == 1
        ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound)"
      #expect(past.output.contains("missing  \(words)"), "\(past)")
      #expect(!past.output.contains("catalog-copies"), "\(past)")
    }
    #expect(try await Program.catalogctl(["verify", "--catalog", all]).status == 0)
  }

  /// The server cannot read a page of the table: all rows of other pages are salvaged, also of a kind that the log describes.
  @Test(arguments: [0, 1, 2])
  func rowsOfOtherPagesAreSalvaged(page: Int) async throws {
    let cluster = try PostgresCluster(settings: ["shared_buffers=128kB"])
    let address = cluster.address("paged")
    let shop = try TestCatalog()
    let kind = try shop.folder.write(
      #"{"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text", "note": "text"}}}}"#,
      to: "kind.json")
    try #require(await shop.run("init", "--describe", kind, "--log", address).status == 0)
    for number in 0..<20 {
      // It is compressed to a kilobyte: a page has a few rows, and no row is kept elsewhere.
      let note = (0..<400).map { "\(($0 &* 7919 &+ number &* 104_729) % 9_973)" }.joined(
        separator: " ")
      let list = try shop.folder.write("sku,note\nS\(number),\(note)\n", to: "\(number).csv")
      try #require(await shop.run("import", "goods=\(list)").status == 0)
    }
    let copy = shop.folder.file("whole")
    #expect(await shop.run("copy", copy).status == 0)
    let whole = try await events(of: copy)
    let lost = try cluster.sql(
      "SELECT first_seq, last_seq FROM log_batch WHERE ctid >= '(\(page),0)' AND ctid < '(\(page + 1),0)'"
    ).split(separator: "\n").map { line in
      let ends = line.split(separator: "|").compactMap { Int($0) }
      return try ends[0]...#require(ends.last)
    }
    try #require(!lost.isEmpty && lost.count < 20)

    let file = try cluster.sql(
      "CHECKPOINT; SELECT current_setting('data_directory') || '/' || pg_relation_filepath('log_batch')"
    )
    let handle = try FileHandle(
      forWritingTo: URL(filePath: String(file.split(separator: "\n").last ?? "")))
    try handle.seek(toOffset: UInt64(page) * 8_192)
    try handle.write(contentsOf: Data(repeating: 0xFF, count: 64))
    try handle.close()
    // The few buffers of the server get other pages.
    try cluster.sql("SELECT count(*) FROM pg_attribute; SELECT count(*) FROM pg_proc")
    #expect(throws: PostgresCluster.Refused.self) {
      try cluster.sql("SELECT sum(length(frame)) FROM log_batch")
    }

    let rescued = shop.folder.file("rescued")
    let salvage = await shop.run("salvage", "--past-gaps", rescued)
    #expect(salvage.status == 2 && !"\(salvage)".contains("catalog-copies"), "\(salvage)")
    #expect(salvage.errors.contains("cannot read 1 place of its table"), "\(salvage)")
    let kept = whole.enumerated().filter { place, _ in
      !lost.contains { $0.contains(place + 1) }
    }.map(\.element)
    // The first event names the log, which is a new one; without it one is made.
    #expect(
      try await events(of: rescued).dropFirst() == (page == 0 ? kept[...] : kept.dropFirst()),
      "\(salvage)")
  }

  /// A folder that lacks the events of a damaged row says that the log is damaged, and not that it is of another kind. Salvage finds
  /// the kind in the events, also of a folder of events alone.
  @Test func damageIsNoOtherKind() async throws {
    let (first, second) = (try TestCatalog(), try TestCatalog())
    let kind = try first.folder.write(
      #"{"kind": "shop", "tables": {"goods": {"key": "sku", "columns": {"sku": "text"}}}}"#,
      to: "kind.json")
    try #require(await first.run("init", "--describe", kind, "--log", address).status == 0)
    func take(_ sku: String) async throws -> Int {
      let list = try first.folder.write("sku\n\(sku)\n", to: "\(sku).csv")
      try #require(await first.run("import", "goods=\(list)").status == 0)
      return try await sequence(first)
    }
    let before = try await take("A")
    try #require(await second.run("init", "--log", address).status == 0)
    #expect(await second.run("rows", "goods").output.contains("A"))
    for sku in ["B", "C"] { _ = try await take(sku) }
    let copy = first.folder.file("copy")
    #expect(await first.run("copy", copy).status == 0)
    let name = address.split(separator: "#")[1]
    try cluster.sql(
      "UPDATE log_batch SET frame = substring(frame FOR 40) WHERE catalog = '\(name)' AND first_seq = \(before + 1)"
    )
    let rows = await second.run("rows", "goods")
    #expect(rows.status == 3 && !rows.errors.contains("of kind"), "\(rows)")
    let check = await second.run("check")
    #expect(
      check.status == 3
        && check.errors.contains(
          "event \(before + 1) is damaged, and those after it were not read"),
      "\(check)")

    // The same in a folder.
    let events = copy + "/events"
    let segment = try #require(
      FileManager.default.contentsOfDirectory(atPath: events).first { $0.hasSuffix(".zst") })
    var bytes = try Data(contentsOf: URL(filePath: "\(events)/\(segment)"))
    bytes[bytes.count - 30] ^= 1
    try bytes.write(to: URL(filePath: "\(events)/\(segment)"))
    for (log, place) in [(events, "folder"), (address, "server")] {
      let rescued = first.folder.file("rescued-\(place)")
      let salvage = await InProcess.run(["salvage", "--events", log, "--past-gaps", rescued])
      #expect(salvage.status == 2, "\(salvage)")
      let found = await InProcess.run(["rows", "goods", "--csv", "--catalog", rescued])
      #expect(found.status == 0 && found.output.contains("A\n"), "\(found)")
    }
  }

  /// A log that is not there is named by its address.
  @Test func aLogThatIsNotThereIsNotSalvaged() async throws {
    let catalog = try await joined()
    let away = cluster.address("nowhere")
    let salvage = await catalog.run(
      "salvage", "--events", away, catalog.folder.file("rescued"))
    #expect(
      salvage.status == 1 && salvage.errors.contains("there is no event log in \(away)"),
      "\(salvage)")
  }

  private func sequence(_ catalog: TestCatalog) async throws -> Int {
    try #require(Int(await catalog.run("head").output.prefix { $0 != " " }))
  }

  /// Types and payloads of all events of a log in a folder.
  private func events(of folder: String) async throws -> [String] {
    let listed = try await Program.catalogctl(["log", "--format", "json", "--catalog", folder])
    try #require(listed.status == 0, "\(listed)")
    return try listed.output.split(separator: "\n").map { line in
      let event = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let data = try JSONSerialization.data(
        withJSONObject: event["data"] as Any, options: [.sortedKeys])
      return "\(event["type"] ?? "") \(String(decoding: data, as: UTF8.self))"
    }
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

  /// A folder that joins needs no name of a kind: the log has it.
  @Test func aFolderJoinsALogOfItsKind() async throws {
    let first = try TestCatalog()
    #expect(
      await first.run("init", "--kind", "concert-archive", "--log", address).status == 0)
    let second = try await TestCatalog().run("init", "--log", address)
    #expect(
      second.status == 0 && second.output.contains("of kind concert-archive"), "\(second)")
    let other = try TestCatalog()
    let refused = await other.run("init", "--kind", "track-library", "--log", address)
    #expect(refused.status == 1 && refused.errors.contains("concert-archive"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test func machinesThatBeginALogAtOnceHaveOne() async throws {
    let catalogs = try (0..<6).map { _ in try TestCatalog() }
    let outputs = try await withThrowingTaskGroup(of: Outcome.self) { group in
      for catalog in catalogs {
        group.addTask { try await catalog.program("init", "--log", address) }
      }
      return try await group.reduce(into: [Outcome]()) { $0.append($1) }
    }
    #expect(outputs.allSatisfy { $0.status == 0 }, "\(outputs)")
    #expect(outputs.count { $0.output.hasPrefix("created") } == 1)
    var heads: Set<String> = []
    for catalog in catalogs { heads.insert(await catalog.run("head", "--format", "json").output) }
    #expect(heads.count == 1)
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

  @Test func aFolderThatCannotJoinKeepsNoTrace() async throws {
    let catalog = try TestCatalog()
    let away = "postgresql://postgres@/postgres?host=/nowhere#x"
    #expect(await catalog.run("init", "--log", away).status == 1)
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/log.url"))
    let secret = await catalog.run("init", "--log", "postgresql://a:hidden@h/d#x")
    #expect(secret.status == 1 && !secret.errors.contains("hidden"), "\(secret)")
    let own = try await TestCatalog.imported()
    let refused = await own.run("init", "--log", address)
    #expect(refused.status == 1, "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: own.path + "/log.url"))
  }

  /// The server knows the database, and does not let this role make tables in it.
  @Test(arguments: ["no folder", "an empty folder", "a folder with files", "its address"])
  func aRefusedInitChangesNothing(before: String) async throws {
    if try cluster.sql("SELECT 1 FROM pg_roles WHERE rolname = 'reader'").isEmpty {
      // Another case of this test may make it at the same time.
      _ = try? cluster.sql("CREATE ROLE reader LOGIN")
    }
    let database = "refused_\(before.utf8.count)"
    try cluster.sql("CREATE DATABASE \(database)")
    let address = "postgresql://reader@/\(database)?host=\(cluster.folder)#x"
    let catalog = try TestCatalog()
    let path = catalog.path + "/deep/er"
    switch before {
    case "no folder": break
    case "an empty folder": try make(path)
    case "its address":
      try make(path)
      try "\(address)\n".write(toFile: path + "/log.url", atomically: true, encoding: .utf8)
    default:
      try make(path + "/events")
      try "a text".write(toFile: path + "/LOCK", atomically: true, encoding: .utf8)
      try "a note".write(toFile: path + "/notes.txt", atomically: true, encoding: .utf8)
    }
    let all = try ScratchFolder.contents(catalog.folder.path).filter { !$0.key.hasSuffix("/LOCK") }
    for options in [[], ["--accept-loss"]] {
      let refused = await InProcess.run(["init", "--log", address, "--catalog", path] + options)
      #expect(refused.status == 1 && refused.errors.contains("42501"), "\(refused)")
      let left = try ScratchFolder.contents(catalog.folder.path).filter {
        !$0.key.hasSuffix("/LOCK") || before != "a folder with files"
      }
      #expect(left == all, "\(left.keys.sorted())")
    }
    let examined = await InProcess.run(["doctor", "--catalog", path])
    #expect(examined.status == 1 && !examined.output.contains("behind"), "\(examined)")
    try cluster.sql("GRANT CREATE ON SCHEMA public TO PUBLIC", in: database)
    let made = await InProcess.run(["init", "--log", address, "--catalog", path])
    #expect(made.status == 0, "\(made)")
    // The tables are there now: a role that may only append begins another log in them.
    try cluster.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: database)
    let other = await InProcess.run([
      "init", "--log", address + "-2", "--catalog", catalog.folder.file("other"),
    ])
    #expect(other.status == 0, "\(other)")
  }

  private func make(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Otherwise a second log would begin in the folder.
  @Test func anAddressThatCannotBeReadIsNoEmptyFolder() async throws {
    let catalog = try TestCatalog()
    let file = catalog.path + "/log.url"
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    for command in [["init"], ["head"], ["doctor"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status != 0, "\(command): \(outcome)")
      #expect(
        (outcome.errors + outcome.output).contains("cannot be read"), "\(command): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/events"))
  }

  /// A typing error would otherwise be a refusal of the server, much later.
  @Test func anUnknownLineAfterTheAddressIsRefused() async throws {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(atPath: catalog.path, withIntermediateDirectories: true)
    try "postgresql:///db?host=/nowhere#x\naccept-los\n".write(
      toFile: catalog.path + "/log.url", atomically: true, encoding: .utf8)
    for command in ["init", "head", "doctor"] {
      let outcome = await InProcess.run([command, "--catalog", catalog.path])
      #expect(outcome.status != 0, "\(command): \(outcome)")
      #expect(
        (outcome.errors + outcome.output).contains("is not accept-loss"), "\(command): \(outcome)")
    }
  }

  @Test func whoeverFollowsSeesWhatOthersAppend() async throws {
    let (first, second) = (try await joined(), try await joined())
    async let followed = second.program(
      "follow", "--every", "0.05", "--for", "20", "--format", "json")
    try await first.importSeed(SampleSeed.text())
    let head = try await first.head().sequence
    let outcome = try await followed
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
        "tag", "add", SampleSeed.id(201), "--mood", "Edit \(number)", "--wait", "5")
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
    for (own, earlier) in zip(await outputs(), before) {
      #expect(own.status == 0 && own.output == earlier.output, "\(own)")
      let lines = own.errors.split(separator: "\n").filter {
        $0.contains("as of event \(head); the server cannot be reached")
      }
      #expect(lines.count == 1, "\(own)")
    }
    let tagged = await catalog.run("tag", "add", item, "--mood", "Never")
    #expect(
      tagged.status == 1 && tagged.errors.contains("cannot be reached")
        && !tagged.errors.contains("as of event"), "\(tagged)")
    // Not the errors of two replays.
    let verify = await catalog.run("verify")
    #expect(
      verify.status == 1 && verify.errors.hasPrefix("catalogctl: postgresql://")
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
      ["init", "--table", "goods=\(goods)", "--key", "sku", "--log", address],
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
    for (own, earlier) in zip(await outputs(), before) {
      #expect(own.status == 0 && own.output == earlier.output, "\(own)")
      let lines = own.errors.split(separator: "\n").filter {
        $0.contains("as of event \(head); the server cannot be reached")
      }
      #expect(lines.count == 1, "\(own)")
    }
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

  /// A machine begins with the database of an archive, and reads from the server only what is newer.
  @Test func aFolderJoinsWithTheDatabaseOfAnArchive() async throws {
    let first = try await joined()
    try await first.importSeed(SampleSeed.text())
    let archive = first.folder.file("archive")
    #expect(await first.run("copy", archive).status == 0)
    #expect(await InProcess.run(["receipt", "--catalog", archive]).status == 0)
    #expect(await first.run("tag", "add", SampleSeed.id(201), "--mood", "Newer").status == 0)
    let second = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: second.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: archive + "/catalog.sqlite", toPath: second.path + "/catalog.sqlite")
    // The earlier rows cannot be read any more.
    let name = address.split(separator: "#")[1]
    let own = "catalog = '\(name)' AND first_seq = 2"
    let frame = try cluster.sql("SELECT encode(frame, 'hex') FROM log_batch WHERE \(own)")
    try cluster.sql("UPDATE log_batch SET frame = set_byte(frame, 150, 0) WHERE \(own)")
    #expect(await second.run("init", "--log", address).status == 0)
    #expect(await second.run("item", SampleSeed.id(201)).output.contains("Newer"))
    try cluster.sql("UPDATE log_batch SET frame = decode('\(frame)', 'hex') WHERE \(own)")
    #expect(await second.run("receipt").output == first.run("receipt").output)
    #expect(try await second.program("verify").status == 0)
    // The database of another catalog is refused.
    let other = try await TestCatalog.imported()
    try? FileManager.default.removeItem(atPath: other.events)
    let refused = await other.run("init", "--log", address)
    #expect(refused.status != 0, "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: other.path + "/log.url"))
  }
}
