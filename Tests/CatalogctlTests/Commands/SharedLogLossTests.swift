import CatalogTestSupport
import Foundation
import PostgresTestSupport
import Promises
import Testing

/// Events that a server lost, and rows of it that were damaged.
@Suite(
  .promise(
    "What a server lost or damaged is named, and what can be read of its log is salvaged",
    by: "rows that were deleted and changed, and pages of its files"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct SharedLogLossTests: SharedLogSuite {
  let log: SharedLog

  init() throws { log = try SharedLog() }

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
    let early = try first.copy()
    #expect(await early.run("history", "make").status == 0)
    #expect(await first.run("tag", "add", SampleSeed.id(201), "--mood", "Lost").status == 0)
    #expect(await early.run("item", SampleSeed.id(201)).output.contains("Lost"))
    let asked = try first.copy()
    #expect(await asked.run("history", "make").status == 0)
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
    // The event of that number in the log is not the one that the folder's row is of.
    #expect(
      !difference.output.contains("event \(sequence), 20")
        && difference.errors.contains("no row is given an event"), "\(difference)")
    // With a history the last event in common is known, and what others appended is left out.
    let common = sequence - 2
    let examined = await asked.run("doctor").output
    #expect(examined.contains("diff \(common) live"))
    // It knows who changed what, which no server has any more, until the history is made of the other log.
    #expect(
      examined.contains("\n  event \(sequence - 1)")
        || examined.contains("\n  events \(sequence - 1)..\(sequence), "),
      "\(examined)")
    #expect(examined.contains("item_mood 1 added"), "\(examined)")
    #expect(!doctor.output.contains("\n  event"), "\(doctor)")
    // A history that ends before the lost event knows an event that both have, and no lost one.
    let older = await early.run("doctor").output
    #expect(older.contains("diff \(common) live") && !older.contains("\n  event"), "\(older)")
    let lost = await asked.run("diff", "\(common)", "live").output
    #expect(lost.contains("Lost") && !lost.contains("Other"), "\(lost)")
    let other = await second.run("diff", "head~1", "live")
    #expect(other.status == 2 && other.output.contains("event \(sequence), 20"), "\(other)")
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
    // The rows that a folder has are all that may be left, also if the end of the log cannot be read.
    try cluster.sql(
      "UPDATE log_batch SET frame = set_byte(frame, 70, get_byte(frame, 70) # 255) WHERE catalog = '\(name)'"
    )
    let rows = await catalog.run(
      "query", "SELECT count(*) FROM library_item", "--at", "live", "--format", "csv")
    #expect(
      rows.status == 3 && rows.lines == ["count(*)", "20"]
        && rows.errors.contains("the rows of the database are shown"), "\(rows)")
  }

  /// An archive has the row that a server lost. Copying it back says that it did nothing, and works once the rows after it are gone.
  @Test func anArchiveIsCopiedBack() async throws {
    let catalog = try await joined()
    try await catalog.importSeed(SampleSeed.text())
    let lost = try await catalog.head().sequence + 1
    for mood in ["One", "Two"] {
      #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood).status == 0)
    }
    let archive = catalog.folder.file("archive")
    #expect(await catalog.run("copy", archive).status == 0)
    let rows = "log_batch WHERE catalog = '\(address.split(separator: "#")[1])' AND first_seq"
    try cluster.sql(
      "SET session_replication_role = replica; DELETE FROM \(rows) = \(lost)")
    let copied = await InProcess.run(["copy", archive, address])
    #expect(
      copied.status == 3 && copied.errors.contains("from the damaged one on and copy again"),
      "\(copied)")
    try cluster.sql("SET session_replication_role = replica; DELETE FROM \(rows) >= \(lost)")
    let again = await InProcess.run(["copy", archive, address])
    #expect(again.status == 0 && again.output.hasPrefix("copied "), "\(again)")
    for command in [["check"], ["verify"]] {
      let outcome = try await Program.catalogctl(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(outcome)")
    }
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
      #expect(
        !past.output.contains("catalog-copies") && !past.output.contains(".jsonl"), "\(past)")
      // A row that is there is named as a query of the server finds it.
      #expect(
        statements.hasPrefix("DELETE") || past.output.contains("first_seq \(ranges[1].lowerBound)"),
        "\(past)")
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
    // The first event names the log, which is a new one; without it one is made, and one that describes the table, as the
    // database of the folder has it.
    let events = try await events(of: rescued)
    #expect(
      page == 0
        ? events.dropFirst(2) == kept[...] : events.dropFirst() == kept.dropFirst(), "\(salvage)")
    let rows = await InProcess.run(["rows", "goods", "--catalog", rescued, "--csv"])
    // The first two batches are no imports.
    let imports = lost.count { $0.lowerBound > 2 }
    #expect(rows.status == 0 && rows.lines.count == 1 + 20 - imports, "\(rows)")
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
}
