import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `report`, whose page is read by another program.
@Suite(
  .promise(
    "A report's numbers are those of the log, of `query --at` and of `diff`; no text of a "
      + "catalog becomes markup",
    by: "the page is read by Python's `html.parser`; the same bytes twice"))
struct ReportCommandTests {
  private static let item = SampleSeed.id(201)

  /// A catalog with a first revision, a merged and an added tag, and a second revision days later.
  private func catalog() async throws -> (TestCatalog, first: Int) {
    let (catalog, first) = try await Self.made.value
    return (try catalog.copy(), first)
  }

  private static let made = Task {
    let catalog = try await TestCatalog.imported()
    let first = try await catalog.head().sequence
    for arguments in [
      ["tag", "add", item, "--mood", "Spooky"], ["tag", "add", item, "--mood", "Spooked"],
      ["tag", "merge", "moods", "Spooked", "Spooky"],
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      try #require(outcome.status == 0, "\(outcome)")
    }
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "second.json")
    let outcome = await catalog.run("import", seed, "--at", "2026-02-10T08:30:00Z")
    try #require(outcome.status == 0, "\(outcome)")
    return (catalog, first)
  }

  private func page(
    of catalog: TestCatalog, _ options: String...
  ) async throws -> HTMLPage {
    let file = catalog.folder.file("report-\(UUID().uuidString).html")
    let outcome = await InProcess.run(
      ["report", file, "--catalog", catalog.path] + options)
    try #require(outcome.status == 0, "\(outcome)")
    return try await HTMLPage(file)
  }

  /// Whatever the catalog holds: one script and one style, those of the policy, and nothing to load.
  private func expectSound(_ page: HTMLPage) {
    #expect(page.problems == [])
    #expect(page.tags["script"] == 1)
    #expect(page.tags["style"] == 1)
    for tag in ["img", "link", "iframe", "object", "embed", "base", "form", "a "] {
      #expect(page.tags[tag] == nil, "\(tag)")
    }
    #expect(page.links.allSatisfy { $0.hasPrefix("#") }, "\(page.links)")
    #expect(page.policy.hasPrefix("default-src 'none'; "))
    #expect(!page.policy.contains("unsafe"))
  }

  // MARK: Numbers

  /// Against Python, which reads what `zstd -dc` prints.
  @Test func itsNumbersAreThoseOfTheLog() async throws {
    let (catalog, first) = try await catalog()
    let script = """
      import collections, json, sys
      first = int(sys.argv[1])
      names = ("type", "by", "day")
      counts = {name: collections.Counter() for name in names}
      size, batches = 0, {}
      for line in sys.stdin.buffer:
          event = json.loads(line)
          if event["seq"] <= first: continue
          event["day"] = event["at"][:10]
          for name in names: counts[name][event[name]] += 1
          size += len(line)
          batches[event["op"]] = batches.get(event["op"], 0) + len(line)
      print(json.dumps([counts["type"], counts["by"], counts["day"], batches, {"bytes": size}]))
      """
    for since in [0, first] {
      let counted = try await Program.shell(
        "zstd -dc \(catalog.events)/*.zst | python3 -c '\(script)' \(since)")
      let expected = try #require(
        try JSONSerialization.jsonObject(with: Data(counted.output.utf8)) as? [[String: Int]],
        "\(counted)")
      let page =
        try await since == 0
        ? page(of: catalog) : page(of: catalog, "--since", "\(since)")
      expectSound(page)

      let events = expected[0].values.reduce(0, +)
      #expect(page.fact("events") == "\(events)")
      #expect(page.fact("batches") == "\(expected[3].count)")
      #expect(page.fact("bytes") == "\(expected[4]["bytes"] ?? 0)")
      #expect(page.fact("since") == "\(since)")
      for (name, head, counts) in [
        ("types", "type", expected[0]), ("sources", "source", expected[1]),
      ] {
        let numbers = try page.table("\(name)-numbers")
        let shown = try zip(
          numbers.column(head).map(\.text), numbers.column("events").compactMap(\.value))
        #expect(Dictionary(uniqueKeysWithValues: shown) == counts, "\(name)")
        #expect(numbers.sums == ["events": events])
      }
      let heaviest = try page.table("heaviest")
      let bytes = try zip(
        heaviest.column("operation").map(\.text), heaviest.column("bytes").compactMap(\.value))
      #expect(Dictionary(uniqueKeysWithValues: bytes) == expected[3])
    }
    let head = try await catalog.head()
    let page = try await page(of: catalog)
    #expect(page.fact("log") == head.logID)
    #expect(page.fact("chain") == head.chain)
    #expect(page.fact("sequence") == "\(head.sequence)")
    #expect(page.text.contains(head.chain))
  }

  /// Against the database at both ends, and batch by batch.
  @Test func rowsOverTimeAreThoseOfTheDatabase() async throws {
    let (catalog, first) = try await catalog()
    let numbers = try await page(of: catalog, "--since", "\(first)").table("row-numbers")
    #expect(numbers.rows.contains { $0[0].text == "mood" })
    for row in numbers.rows {
      let sql = "SELECT count(*) FROM \(row[0].text)"
      let before = await catalog.run("query", "--at", "\(first)", sql)
      let count = try #require(row[1].value)
      #expect(before.output.split(separator: "\n").dropFirst().first == "\(count)", "\(before)")
      #expect(try await catalog.query(sql) == "\(try #require(row[3].value))")
    }
    // Three batches of edits: one value more, another one, and one that is merged.
    let moods = try #require(numbers.rows.first { $0[0].text == "mood" })
    #expect(moods.compactMap(\.value) == [2, 3, 3])
  }

  /// Compares the changes of an operation with a difference of the states around it.
  @Test func operationsAreShownWithWhatTheyChanged() async throws {
    let (catalog, first) = try await catalog()
    let page = try await page(of: catalog)
    let operations = try page.table("heaviest").column("sequences").compactMap(\.value)
    #expect(operations.contains(first + 1))
    for sequence in operations where sequence > 1 {
      let after = [
        "log", "--after", "\(sequence - 1)", "--format", "json", "--catalog", catalog.path,
      ]
      let event = try await InProcess.run(after + ["--limit", "1"]).object()
      let operation = try #require(event["op"] as? String)
      let newest = try await InProcess.run(after + ["--op", operation, "--newest", "--limit", "1"])
        .object()
      let last = try #require(newest["seq"] as? Int)
      let diff = try await catalog.run("diff", "\(sequence - 1)", "\(last)", "--format", "json")
        .objects()
      let counts = try page.table("operation-\(sequence)-counts")
      #expect(
        counts.rows.map { $0[0].text } == diff.compactMap { $0["table"] as? String }, "\(sequence)")
      for change in ["added", "removed", "changed"] {
        #expect(
          try counts.column(change).map(\.value) == diff.map { $0[change] as? Int }, "\(sequence)")
      }
    }
  }

  /// Out of the catalog's history, out of one that is made for the page, or of events alone.
  @Test func itIsTheSameWhateverAnswers() async throws {
    let (catalog, first) = try await catalog()
    let own = try await page(of: catalog, "--since", "\(first)")
    let made = try await page(of: catalog, "--since", "\(first)", "--no-history")
    #expect(own.text == made.text)
    let events = catalog.folder.file("events.html")
    let outcome = await InProcess.run(
      ["report", events, "--events", catalog.events, "--since", "\(first)"])
    try #require(outcome.status == 0, "\(outcome)")
    let page = try await HTMLPage(events)
    expectSound(page)
    for table in ["row-numbers", "types-numbers", "heaviest", "change-rows"] {
      #expect(
        try page.table(table).rows.map { $0.map(\.text) }
          == own.table(table).rows.map { $0.map(\.text) })
    }
  }

  // MARK: Rows

  @Test func rowChangesAreThoseOfADiffWithTheEventsBehindThem() async throws {
    let (catalog, first) = try await catalog()
    let head = try await catalog.head().sequence
    let page = try await page(of: catalog, "--since", "\(first)")
    let diff = try await catalog.run("diff", "\(first)", "\(head)", "--format", "json").objects()
    let tables = try page.table("change-tables")
    #expect(
      try tables.rows.map { try #require($0.first).text }
        == diff.compactMap { $0["table"] as? String })
    for change in ["added", "removed", "changed"] {
      #expect(
        try tables.column(change).map(\.value) == diff.map { $0[change] as? Int }, "\(change)")
    }
    let rows = try page.table("change-rows")
    // The page has a line for each row, and `diff` an object for each column that changed.
    var differences: [[String: Any]] = []
    for difference in diff.flatMap({ $0["differences"] as? [[String: Any]] ?? [] }) {
      let key = difference["key"] as? [String: String]
      if differences.last?["key"] as? [String: String] != key { differences.append(difference) }
    }
    #expect(rows.rows.count == differences.count)
    #expect(
      try rows.column("change").map { cell in
        ["added", "removed"].first { cell.text.hasPrefix("\($0) ") } ?? "changed"
      } == differences.compactMap { $0["change"] as? String })
    let events = differences.map { $0["event"] as? [String: Any] }
    #expect(try rows.column("event").map(\.value) == events.map { $0?["sequence"] as? Int })
    for (cell, event) in try zip(rows.column("event"), events) {
      #expect(cell.text.hasSuffix(try #require(event?["op"] as? String)))
    }
    let title = try #require(
      rows.rows.first { $0.contains { $0.text == "title: 'Place 101' → 'Place 101 again'" } })
    #expect(
      title.map(\.text).prefix(2)
        == ["library_item", "Place 101 again\(SampleSeed.id(101))"])
  }

  @Test func whatIsLeftOutIsCounted() async throws {
    let (catalog, _) = try await catalog()
    let all = try await page(of: catalog)
    let total = try all.table("change-tables").column("listed").compactMap(\.value).reduce(0, +)
    #expect(all.attributes["changes-left"] == nil)
    #expect(try all.table("change-rows").rows.count == total)
    let few = try await page(of: catalog, "--rows", "40")
    let listed = try few.table("change-tables").column("listed").compactMap(\.value)
    #expect(listed.reduce(0, +) == 40)
    // No table is hidden behind a large one.
    #expect(!listed.contains(0))
    #expect(few.attributes["changes-left"]?["data-left"] == "\(total - 40)")
    #expect(few.text.contains("\(total - 40) were left out"))
    #expect(try few.table("change-rows").rows.count == 40)
  }

  // MARK: Drift

  @Test func driftIsToldWithTheEventThatSaysWhatTheRowShouldBe() async throws {
    let (catalog, _) = try await catalog()
    #expect(try await page(of: catalog).attributes["drift-state"]?["data-drift"] == "none")
    try await catalog.sqlite(
      """
      UPDATE library_item SET title = 'Forged' WHERE id = '\(Self.item)';
      DELETE FROM music_playlist_ref WHERE item_id = '\(SampleSeed.id(2))';
      INSERT INTO mood (id, name, is_system, created_at) VALUES (77, 'Mine', 0, '2026-01-31');
      CREATE TABLE mine (a)
      """)
    let page = try await page(of: catalog)
    expectSound(page)
    #expect(page.attributes["drift-state"]?["data-drift"] == "found")
    #expect(page.text.contains("4 differences: the live database is not what the log says"))
    #expect(
      page.text.contains(
        "the live database has the table mine, which the projector does not create"))
    let rows = try page.table("drift-rows").rows
    #expect(rows.count == 3)
    // The same as `verify` finds, which replays in processes of its own.
    let verified = try await catalog.program("verify", "--format", "json").object()
    let findings = try #require(verified["findings"] as? [[String: Any]])
      .filter { $0["table"] != nil }
    #expect(rows.map { $0.last?.value } == findings.map { $0["event"] as? Int })
    let forged = try #require(rows.first { $0[0].text.contains(Self.item) })
    #expect(forged[1...3].map(\.text) == ["title changed", "'Forged'", "'Sound 201'"])
    #expect(forged[4].text.contains("item.upserted by seed:sample"))
    #expect(rows.contains { $0[1].text == "missing" && $0[4].text.contains("playlist.linked") })
    #expect(
      rows.contains {
        $0[2].text.contains("name: 'Mine'") && $0[4].text == "no event wrote this row"
      })
    // The difference in the events alone, and many of them.
    try await catalog.sqlite("UPDATE library_item SET title = title || '!'")
    let many = try await self.page(of: catalog, "--rows", "5")
    #expect(try many.table("drift-rows").rows.count == 5)
    #expect(many.attributes["drift-left"]?["data-left"] == "18")
    #expect(many.text.contains("24 differences"))
  }

  @Test func aDatabaseThatIsBehindOrNoneIsToldOf() async throws {
    let (catalog, first) = try await catalog()
    func state(_ options: String..., status: Int32 = 0) async throws -> (String?, String) {
      let file = catalog.folder.file("state-\(UUID().uuidString).html")
      let outcome = await InProcess.run(["report", file] + options)
      try #require(outcome.status == status, "\(outcome)")
      let page = try await HTMLPage(file)
      expectSound(page)
      return (page.attributes["drift-state"]?["data-drift"], page.text)
    }
    let head = try await catalog.head().sequence
    let here = ["--catalog", catalog.path]
    let events = try await state("--events", catalog.events)
    #expect(events.0 == "unknown" && events.1.contains("Only events were read"))

    let old = catalog.folder.file("old.sqlite")
    #expect(await catalog.run("materialize", "\(first)", old).status == 0)
    func replaceDatabase(with file: String?) throws {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: catalog.database + suffix)
      }
      if let file { try FileManager.default.copyItem(atPath: file, toPath: catalog.database) }
    }
    try replaceDatabase(with: old)
    let behind = try await state(here[0], here[1])
    #expect(behind.0 == "none")
    #expect(behind.1.contains("It is \(head - first) events behind the log"))
    // Nothing was caught up: a report only reads.
    #expect(try await catalog.query("SELECT sequence FROM projection_checkpoint") == "\(first)")

    try await catalog.sqlite("UPDATE projection_checkpoint SET fingerprint = 'another<one'")
    let other = try await state(here[0], here[1])
    #expect(other.0 == "another-projector" && other.1.contains("another<one"))
    try await catalog.sqlite("UPDATE projection_checkpoint SET sequence = 99999")
    #expect(try await state(here[0], here[1]).0 == "checkpoint-changed")
    let unknown = String(repeating: "0", count: 64)
    try await catalog.sqlite(
      """
      UPDATE projection_checkpoint SET chain = '\(unknown)';
      UPDATE projection_digest SET rows = 99999, digest = x'\(unknown)' WHERE table_name = ''
      """)
    #expect(try await state(here[0], here[1], status: 3).0 == "lost-events")
    try await catalog.sqlite(
      "UPDATE projection_checkpoint SET log_id = '11111111-2222-3333-4444-555555555555'")
    let replaced = try await state(here[0], here[1], status: 3)
    #expect(replaced.0 == "lost-events" && replaced.1.contains("another log"), "\(replaced)")
    // The id of no log at all: somebody wrote it there.
    try await catalog.sqlite("UPDATE projection_checkpoint SET log_id = 'x'")
    #expect(try await state(here[0], here[1]).0 == "checkpoint-changed")
    try await catalog.sqlite("DELETE FROM projection_checkpoint")
    #expect(try await state(here[0], here[1]).0 == "unreadable")
    try replaceDatabase(with: old)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: old)))
    bytes.replaceSubrange(4_096 * 3..<4_096 * 40, with: repeatElement(0xAA, count: 4_096 * 37))
    try Data(bytes).write(to: URL(filePath: catalog.database))
    let damaged = try await state(here[0], here[1])
    #expect(damaged.0 == "unreadable" && damaged.1.contains("malformed"), "\(damaged)")
    try replaceDatabase(with: catalog.firstSegment)
    let none = try await state(here[0], here[1])
    #expect(none.0 == "unreadable" && none.1.contains("cannot be read"))
    try replaceDatabase(with: nil)
    #expect(try await state(here[0], here[1]).0 == "unknown")
    #expect(!FileManager.default.fileExists(atPath: catalog.database))
  }

  // MARK: Text

  @Test func hostileTextsStayText() async throws {
    let texts = [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "'--></style></script>]]>",
      "<!-- &lt; &amp; -->", "https://example.com/?a=1&b=<2>", "</title></svg></td></table>",
    ]
    for text in texts {
      let catalog = try TestCatalog()
      let title = text.replacing("\"", with: "\\\"")
      var seed = SampleSeed.replacing("\"Place 103\"", "\"\(title) \\u202e\"")
      seed = seed.replacing("Ominous", with: title)
      let imported = try await catalog.importSeed(seed)
      try #require(imported.status == 0, "\(imported)")
      try await catalog.sqlite(
        "UPDATE library_item SET subtitle = '\(text.replacing("'", with: "''"))'")
      let page = try await page(of: catalog)
      expectSound(page)
      let quoted = text.replacing("'", with: "''")
      #expect(page.text.contains("title: '\(quoted) \\u{202e}'"), "\(text)")
      #expect(page.text.contains("name: '\(quoted)'"), "\(text)")
      #expect(page.text.unicodeScalars.allSatisfy { $0.value != 0x202E })
    }
  }

  // MARK: The file

  /// In surroundings that differ in everything that must not matter.
  @Test func twoProcessesWriteTheSameBytes() async throws {
    let (catalog, first) = try await catalog()
    try await catalog.sqlite("UPDATE library_item SET title = 'Forged'")
    for options in [[], ["--since", "\(first)"], ["--rows", "7"]] {
      var pages: Set<[UInt8]> = []
      for (index, environment) in [
        ["SWIFT_DETERMINISTIC_HASHING": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"],
        ["LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"], [:],
      ].enumerated() {
        let name = "\(index)-\(options.joined()).html"
        let outcome = try await Program.catalogctl(
          ["report", catalog.folder.file(name), "--catalog", catalog.path] + options,
          environment: environment)
        try #require(outcome.status == 0, "\(outcome)")
        pages.insert(try catalog.folder.bytes(name))
      }
      // Not compared in place: what failed would be printed byte by byte.
      let count = pages.count
      #expect(count == 1, "\(options)")
    }
  }

  @Test func theRangeBeginsWhereItIsAsked() async throws {
    let (catalog, first) = try await catalog()
    let head = try await catalog.head().sequence
    let byTime = try await page(of: catalog, "--since", TestCatalog.time)
    #expect(byTime.fact("since") == "\(first)")
    let within = try await page(of: catalog, "--since", "5")
    #expect(within.fact("since") == "\(first)", "the whole batch is before the range")
    let early = try await page(of: catalog, "--since", "2001-01-01")
    #expect(early.fact("since") == "0")
    #expect(early.fact("events") == early.fact("log-events"))
    let nothing = try await page(of: catalog, "--since", "\(head)")
    expectSound(nothing)
    #expect(nothing.fact("events") == "0")
    #expect(nothing.text.contains("There are no events in this range."))
    #expect(nothing.text.contains("The rows are the same at both ends of the range."))
    for (moment, status, message) in [
      ("live", 64, "--since takes a sequence or a time"), ("soon", 64, "soon"),
      ("99999", 1, "there is no event 99999"), ("0", 1, "there is no event 0"),
    ] {
      let outcome = await catalog.run(
        "report", catalog.folder.file("none.html"), "--since", moment)
      #expect(outcome.status == Int32(status), "\(outcome)")
      #expect(outcome.errors.contains(message), "\(outcome)")
      #expect(!catalog.folder.exists("none.html"))
    }
  }

  @Test func aFileIsMadeWholeOrNotAtAll() async throws {
    let (catalog, _) = try await catalog()
    let folder = catalog.folder.file("reports")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
    let file = folder + "/a.html"
    #expect(await catalog.run("report", file).status == 0)
    #expect(try names() == ["a.html"])

    let before = try Data(contentsOf: URL(filePath: file))
    let again = await catalog.run("report", file)
    #expect(again.status == 1)
    #expect(again.errors == "catalogctl: \(file) already exists; name a new file\n")
    #expect(try Data(contentsOf: URL(filePath: file)) == before)

    let nowhere = await catalog.run("report", folder + "/none/b.html")
    #expect(nowhere.status == 1)
    #expect(nowhere.errors.contains("cannot create"), "\(nowhere)")
    #expect(await catalog.run("report", folder + "/").status == 64)
    #expect(await catalog.run("report").status == 64)
    #expect(await catalog.run("report", folder + "/b.html", "--rows", "0").status == 64)

    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[bytes.count * 3 / 4] ^= 1
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))
    #expect(await catalog.run("report", folder + "/c.html").status == 3)
    #expect(try names() == ["a.html"])
  }

  /// A page that is larger than a file may be; the database that its rows come from is far smaller.
  @Test func whatCouldNotBeWrittenIsGoneAgain() async throws {
    let catalog = try await SharedCatalogs.starter.value
    let folder = try ScratchFolder()
    let outcome = try await Program.shell(
      """
      ulimit -f 5000
      exec \(Program.catalogctl) report --rows 100000 --out \(folder.path)/a.html \
        --catalog \(catalog.path)
      """)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("cannot write \(folder.path)/a.html: File too large"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func theAnswerTellsWhatWasWritten() async throws {
    let (catalog, first) = try await catalog()
    let head = try await catalog.head()
    let file = catalog.folder.file("answer.html")
    let text = await catalog.run("report", file)
    #expect(text.output.hasPrefix("\(file): \(head.sequence) events, "))
    #expect(text.output.hasSuffix(", no drift\n"))
    let json = try await catalog.run(
      "report", file + "2", "--since", "\(first)", "--format", "json"
    ).object()
    #expect(json["file"] as? String == file + "2")
    #expect(json["since"] as? Int == first)
    #expect(json["sequence"] as? Int == head.sequence)
    #expect(json["chain"] as? String == head.chain)
    #expect(json["events"] as? Int == head.sequence - first)
    #expect(json["drift"] as? Int == 0)
    let events = try await InProcess.run(
      ["report", file + "3", "--events", catalog.events, "--format", "json"]
    ).object()
    #expect(events["drift"] == nil)
  }
}
