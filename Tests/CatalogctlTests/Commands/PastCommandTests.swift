import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `blame`, `diff`, `query` and `materialize`.
@Suite(
  .promise(
    "The catalog as it was, the event behind each cell, and the changes between two "
      + "moments are what plain models find",
    by: "`blame`, `diff`, `query` and `materialize`"),
  .promise(
    "A folder of temporary files is for its user alone and is removed, even if its process "
      + "was killed; no other folder is removed",
    by: "every file that is made, by strace"),
  .promise("No statement does more than ask", by: "PRAGMA in every disguise"),
  .promise(
    "A time means the last batch of the log that is not later; a moment that is rounded or "
      + "ambiguous is reported as such",
    by: "a moment within a batch, in text and JSON"))
struct PastCommandTests {
  private let item = SampleSeed.id(201)

  /// A catalog with a first revision, a tag of a person, and a second revision.
  private func catalog() async throws -> (TestCatalog, first: Int, tagged: Int) {
    let catalog = try await TestCatalog.imported()
    let first = try await catalog.head().sequence
    _ = await catalog.run("tag", "add", item, "--mood", "Spooky")
    let tagged = try await catalog.head().sequence
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    return (catalog, first, tagged)
  }

  @Test func blameNamesTheEventOfEachColumnAndTag() async throws {
    let (catalog, _, tagged) = try await catalog()
    let place = try await catalog.run(
      "blame", "library_item", SampleSeed.id(101), "--format", "json"
    )
    .object()
    let columns = try #require(place["columns"] as? [[String: Any]])
    let title = try #require(columns.first { $0["column"] as? String == "title" })
    #expect(title["value"] as? String == "'Place 101 again'")
    #expect(title["before"] as? String == "'Place 101'")
    let event = try #require((title["event"] as? [String: Any])?["sequence"] as? Int)
    #expect(event > tagged)
    let text = await catalog.run("blame", "library_item", item, "--column", "title")
    #expect(text.lines.first == "title = 'Sound 201'")
    let tags = await catalog.run("blame", "library_item", item)
    #expect(tags.output.contains("moods: Spooky"))
    #expect(tags.output.contains("moods: gone: Ominous"))
    #expect(tags.output.contains("event \(tagged), "))
  }

  @Test func diffListsRowsByOperationAndEndsWithTwo() async throws {
    let (catalog, first, tagged) = try await catalog()
    let outcome = await catalog.run("diff", "\(first)", "\(tagged)")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("item_mood: 1 added, 0 removed, 0 changed"))
    #expect(outcome.output.contains("item.tags.set, person"))
    #expect(outcome.output.contains("name='Spooky'"))
    #expect(await catalog.run("diff", "\(tagged)", "\(tagged)").output == "the same\n")
    #expect(await catalog.run("diff", "\(tagged)", "\(tagged)").status == 0)
    // Rows that changed in several columns too are only counted where that is asked for.
    let counts = try await catalog.run(
      "diff", "\(first)", "\(await catalog.head().sequence)",
      "--summary", "--format", "json"
    ).objects()
    #expect(counts.allSatisfy { ($0["differences"] as? [Any])?.isEmpty == true }, "\(counts)")
    // A row changed by hand, against the log's head.
    let head = try await catalog.head().sequence
    #expect(await catalog.run("diff", "\(head)", "live").status == 0)
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops' WHERE id = '\(item)'")
    let drifted = await catalog.run("diff", "\(head)", "live")
    #expect(drifted.output.contains("title: 'Sound 201' → 'Oops'"))
    let summary = try await catalog.run("diff", "\(head)", "live", "--summary", "--format", "json")
      .objects()
    #expect(summary.count == 1)
    #expect(summary.first?["changed"] as? Int == 1)
  }

  @Test func queryAsksThePastAndOnlyReads() async throws {
    let (catalog, first, _) = try await catalog()
    let sql = "SELECT count(*) AS items FROM library_item WHERE is_visible"
    #expect(await catalog.run("query", sql).lines == ["items", "20"])
    #expect(await catalog.run("query", sql, "--at", "\(first)").lines == ["items", "20"])
    #expect(
      await InProcess.run(["query", sql, "--events", catalog.events]).lines == ["items", "20"])
    let moods = "SELECT name FROM mood ORDER BY name"
    #expect(await catalog.run("query", moods).lines == ["name", "Cozy", "Ominous", "Spooky"])
    let before = await catalog.run("query", moods, "--at", "\(first)", "--format", "json")
    let rows = try #require(try before.object()["rows"] as? [[String]])
    #expect(rows == [["Cozy"], ["Ominous"]])
    for (statement, message) in [
      ("DELETE FROM mood", "only statements that read"),
      ("CREATE TABLE x (a)", "only statements that read"),
      ("ATTACH '\(catalog.path)/other.sqlite' AS other", "only statements that read"),
      ("SELEC", "syntax error"),
      ("SELECT 1; SELECT 2", "one by one"),
    ] {
      let outcome = await catalog.run("query", statement)
      #expect(outcome.status == 1, "\(statement)")
      #expect(outcome.errors.contains(message), "\(outcome)")
    }
    #expect(try await catalog.query(moods) == "Cozy\nOminous\nSpooky")
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/other.sqlite"))
    let endless = await catalog.run(
      "query", "--timeout", "0.3",
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r")
    #expect(endless.status == 1)
    #expect(endless.errors.contains("--timeout"))
  }

  /// A question does not wait for another one of its own command: the history has the first moment, and not yet the second.
  @Test func aMomentThatTheHistoryLacksIsAddedBesideOneThatItHas() async throws {
    let (catalog, first, tagged) = try await catalog()
    _ = await catalog.run("history", "make")
    _ = await catalog.run("tag", "add", item, "--mood", "Grim")
    let head = try await catalog.head().sequence
    let diff = await catalog.run("diff", "\(tagged)", "\(head)")
    #expect(diff.status == 2 && diff.output.contains("name='Grim'"), "\(diff)")
    #expect(!diff.errors.contains("the history is not used"), "\(diff)")
    #expect(first < tagged)
  }

  /// A database that is older than the log says so beside its answer.
  @Test func aDatabaseThatLacksEventsSaysHowMany() async throws {
    let (catalog, _, tagged) = try await catalog()
    let sql = "SELECT count(*) FROM mood"
    #expect(!(await catalog.run("query", sql)).errors.contains("lacks"))
    let older = try catalog.copy()
    _ = await catalog.run("tag", "add", item, "--mood", "Grim")
    let head = try await catalog.head().sequence
    for name in ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: "\(catalog.path)/\(name)")
    }
    try FileManager.default.copyItem(atPath: older.database, toPath: catalog.database)
    let known = try await older.head().sequence
    #expect(tagged < known && known < head)
    let asked = await catalog.run("query", sql)
    let words =
      "the database lacks \(head - known) events of the log, and shows the rows after event \(known) of \(head)"
    #expect(asked.status == 0 && asked.errors.contains(words), "\(asked)")
    let caughtUp = await catalog.run("tag", "list", "moods")
    #expect(caughtUp.status == 0)
    #expect(!(await catalog.run("query", sql)).errors.contains("lacks"))
  }

  /// There is no state within a batch: another one is shown, and is said to be.
  @Test func aMomentWithinABatchIsSaidToBeRounded() async throws {
    let (catalog, first, tagged) = try await catalog()
    let rounded = "as of event \(first), the end of the batch that holds event 5"
    let sql = "SELECT count(*) AS moods FROM mood"
    let asked = await catalog.run("query", "--at", "5", sql)
    #expect(asked.errors.contains("history.sqlite was made: "), "\(asked)")
    let query = await catalog.run("query", "--at", "5", sql)
    #expect(query.errors == "\(rounded)\n1 row\n", "\(query)")
    #expect(query.output == asked.output)
    let exact = await catalog.run("query", "--at", "\(first)", sql)
    #expect(exact.errors == "1 row\n", "\(exact)")
    #expect(await catalog.run("query", sql).errors == "1 row\n")
    // The second import has the time of the first one.
    let end = try await catalog.head().sequence
    let time = await catalog.run("query", "--at", TestCatalog.time, sql)
    #expect(
      time.errors.hasPrefix(
        "as of event \(end), the end of the last batch of the log not after 2026-01-31"), "\(time)")
    func json(_ words: String...) async throws -> [String: Any] {
      try await InProcess.run(words + ["--format", "json", "--catalog", catalog.path]).object()
    }
    #expect(try await json("query", "--at", "5", sql)["sequence"] as? Int == first)
    #expect(try await json("query", sql)["sequence"] == nil)

    let diff = await catalog.run("diff", "5", "\(tagged)", "--all")
    #expect(diff.errors == "from: \(rounded)\n", "\(diff)")
    let tables = try await catalog.run("diff", "5", "live", "--format", "json").objects()
    #expect(!tables.isEmpty && tables.allSatisfy { $0["fromSequence"] as? Int == first })
    #expect(tables.allSatisfy { $0["toSequence"] == nil })
    let same = await catalog.run("diff", "5", "6", "--format", "json")
    #expect(same.errors.contains("from: \(rounded)\n"), "\(same)")

    let place = SampleSeed.id(101)
    let blame = await catalog.run("blame", "--at", "5", "library_item", place)
    #expect(blame.errors == "\(rounded)\n", "\(blame)")
    #expect(
      try await json("blame", "--at", "5", "library_item", place)["sequence"] as? Int == first)
    let head = try await catalog.head().sequence
    #expect(try await json("blame", "library_item", place)["sequence"] as? Int == head)

    let file = catalog.folder.file("then.sqlite")
    let made = await catalog.run("materialize", "5", file)
    #expect(made.errors == "\(rounded)\n" && made.output.contains("after event \(first)"))
    let bisect = await catalog.run(
      "bisect", "--good", "5", "--bad", "\(tagged)", "SELECT count(*) > 2 FROM mood")
    #expect(
      bisect.errors.hasPrefix("from: \(rounded)\n") && !bisect.errors.contains("to: "), "\(bisect)")
    let turns = try await catalog.run(
      "bisect", "--good", "5", "SELECT count(*) > 2 FROM mood", "--format", "json"
    ).objects()
    #expect(turns.first?["fromSequence"] as? Int == first)
    #expect(turns.first?["toSequence"] as? Int == head)
    let report = await catalog.run(
      "report", "--since", "5", catalog.folder.file("report.html"))
    #expect(report.errors == "since: \(rounded)\n", "\(report)")
  }

  // MARK: Statements that do more than ask

  @Test(arguments: [
    "PRAGMA hard_heap_limit=1", "pragma hard_heap_limit(1)", "PRAGMA main.hard_heap_limit = 1",
    "/* a */ -- b\n\tPRAGMA hard_heap_limit=1", "; PRAGMA hard_heap_limit=1",
    "SELECT 1; PRAGMA hard_heap_limit=1", "SELECT ';'; PRAGMA hard_heap_limit=1",
    "EXPLAIN PRAGMA hard_heap_limit=1", "EXPLAIN QUERY PLAN PRAGMA hard_heap_limit=1",
    "PRAGMA 'hard_heap_limit'=1", "PRAGMA \"hard_heap_limit\"=1", "PRAGMA [hard_heap_limit]=1",
    "\u{FEFF}PRAGMA hard_heap_limit=1", "PRAGMA soft_heap_limit=1", "PRAGMA mmap_size=0",
    "PRAGMA query_only=0", "PRAGMA writable_schema=1", "PRAGMA temp_store_directory='/'",
    "PRAGMA wal_checkpoint", "PRAGMA user_version; PRAGMA hard_heap_limit=1",
    "PRAGMA table_info(pack); PRAGMA hard_heap_limit=1", "PRAGMA", "PRAGMA optimize",
  ])
  func aPragmaThatDoesMoreThanAskIsRefused(sql: String) async throws {
    let catalog = try await SharedCatalogs.sample.value
    let outcome = try await catalog.program("query", sql)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("does more than ask"), "\(outcome)")
    let bisect = try await catalog.program("bisect", sql)
    #expect(bisect.status == 1, "\(bisect)")
  }

  @Test(arguments: [
    ("PRAGMA user_version", "user_version"), ("PRAGMA table_info(pack)", "manifest_url"),
    ("PRAGMA main.index_list('pack_item')", "unique"),
    ("SELECT name FROM pragma_table_info('pack') WHERE name = 'title'", "title"),
    ("SELECT 'PRAGMA hard_heap_limit=1' AS text", "hard_heap_limit"),
    ("SELECT 1 AS one -- ; PRAGMA hard_heap_limit=1", "one"),
    ("EXPLAIN QUERY PLAN SELECT 1", "detail"), ("PRAGMA quick_check", "ok"),
  ])
  func aPragmaThatAsksIsAnswered(sql: String, says: String) async throws {
    let outcome = try await SharedCatalogs.sample.value.program("query", sql)
    #expect(outcome.status == 0 && outcome.output.contains(says), "\(outcome)")
  }

  // MARK: Copies

  /// A catalog may be private: what is copied of it to where everybody's files are is, too.
  @Test(
    .enabled(if: Strace.works, "strace cannot trace here"),
    arguments: [
      ["verify"], ["query", "SELECT 1"], ["query", "--no-history", "--at", "5", "SELECT 1"],
      ["diff", "--no-history", "5", "live"],
      ["report", "report.html"],
      ["bisect", "--no-history", "SELECT count(*) > 2 FROM mood"],
    ])
  func copiesAreForThisUserAlone(command: [String]) async throws {
    let (catalog, _, _) = try await catalog()
    let temporary = try ScratchFolder()
    let trace = catalog.folder.file("trace")
    let arguments = command.map { $0 == "report.html" ? catalog.folder.file($0) : $0 }
    let outcome = try await Program.run(
      "strace",
      [
        "-f", "-s", "4096", "-o", trace, "-e", "trace=mkdir,mkdirat,open,openat,creat",
        Program.catalogctl,
      ] + arguments + ["--catalog", catalog.path], environment: ["TMPDIR": temporary.path])
    #expect([0, 2].contains(outcome.status), "\(outcome)")
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains(temporary.path) }
    // Within such a folder nobody else comes.
    let folders = calls.filter { call in
      call.contains("mkdir") && !call.contains(#/catalog-copies-[^/"]+//#)
    }
    // The live database is read where it is.
    #expect(folders.isEmpty == (command == ["query", "SELECT 1"]), "\(folders)")
    #expect(folders.allSatisfy { $0.contains(", 0700)") }, "\(folders)")
    let made = calls.filter { $0.contains("O_CREAT") || $0.contains("creat(") }
    #expect(
      made.allSatisfy { $0.contains("\(temporary.path)/catalog-copies-") }, "\(made)")
    #expect(try ScratchFolder.contents(temporary.path).isEmpty)
  }

  @Test func whatAKilledProcessLeftIsRemovedByTheNext() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let temporary = try ScratchFolder()
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        .filter { $0.hasPrefix("catalog-copies-") }
    }
    // By a shell, which the other tests of this process do not keep waiting.
    _ = try await Program.shell(
      """
      '\(Program.catalogctl)' verify --catalog '\(catalog.path)' & process=$!
      until ls -d '\(temporary.path)'/catalog-copies-* || ! kill -0 $process; do :; done
      kill -KILL $process; wait $process
      """, ["TMPDIR": temporary.path])
    let names = try left()
    try #require(!names.isEmpty, "nothing was left")
    let mode =
      try FileManager.default.attributesOfItem(
        atPath: "\(temporary.path)/\(names[0])")[.posixPermissions] as? Int
    #expect(mode == 0o700)
    // Its replays end on their own, at the latest where their files are gone.
    var rounds = 0
    while try !left().isEmpty, rounds < 200 {
      rounds += 1
      let outcome = try await catalog.program(
        "query", "--no-history", "--at", "1", "SELECT 1", environment: ["TMPDIR": temporary.path])
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(try left().isEmpty)
  }

  @Test func materializeWritesTheFileThatARebuildThenWouldHave() async throws {
    let catalog = try await TestCatalog.imported()
    let first = try await catalog.head().sequence
    let then = catalog.folder.file("then.sqlite")
    _ = await catalog.run("rebuild", "--out", then)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let past = catalog.folder.file("past.sqlite")
    let outcome = await catalog.run("materialize", "\(first)", past)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try catalog.folder.bytes("past.sqlite") == catalog.folder.bytes("then.sqlite"))
    #expect(await catalog.run("materialize", "1", past).status == 1)
    #expect(await catalog.run("diff", past, "\(first)").status == 0)
  }

  /// Texts that people put in by hand: whole, and by their bytes.
  @Test func textsAreReadWholeAndComparedByBytes() async throws {
    let (catalog, first, tagged) = try await catalog()
    let outcome = await catalog.run(
      "query", "SELECT 'a' || char(0) || 'z', CAST(x'6100' AS TEXT)", "--format", "json")
    let rows = try #require(try outcome.object()["rows"] as? [[String]])
    #expect(rows == [["a\0z", "a\0"]])
    // One letter, and a letter with an accent behind it: equal to Swift, not to SQLite.
    let turned = await catalog.run(
      "bisect", "--changed", "--good", "\(first)", "--bad", "\(tagged)",
      "SELECT iif((SELECT count(*) FROM mood) = 2, char(233), 'e' || char(769))")
    #expect(turned.status == 2, "\(turned)")
    let live = await catalog.run("blame", "library_item", item, "--at", "live")
    #expect(live.status == 64 && live.errors.contains("name a sequence or a time"), "\(live)")
  }

  @Test func aSchemaThatDriftedIsADifference() async throws {
    let (catalog, _, _) = try await catalog()
    let head = try await catalog.head().sequence
    try await catalog.sqlite("ALTER TABLE pack ADD COLUMN extra; CREATE TABLE stray (a)")
    let outcome = await catalog.run("diff", "\(head)", "live")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("the schemas differ (table pack, table stray)"), "\(outcome)")
    try await catalog.sqlite("ALTER TABLE pack DROP COLUMN description")
    let lacking = await catalog.run("diff", "\(head)", "live")
    #expect(lacking.status == 1)
    #expect(lacking.errors.contains("the newer side lacks pack (description)"), "\(lacking)")
  }

  /// Without a database nothing else tells that a copy of the events lacks its end.
  @Test func aCopyThatWasCutShortIsSaid() async throws {
    let (catalog, _, _) = try await catalog()
    let segment = catalog.firstSegment
    let size = try FileManager.default.attributesOfItem(atPath: segment)[.size] as? Int ?? 0
    _ = try await Program.run("truncate", ["-s", "\(size - 20)", segment])
    for command in [["stats"], ["log"], ["query", "SELECT 1"]] {
      let outcome = await InProcess.run(command + ["--events", catalog.events])
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("it may have been cut short"), "\(command): \(outcome)")
    }
  }

  /// A copied, read-only folder of events is enough.
  @Test func eventsAloneAreEnough() async throws {
    let (catalog, first, tagged) = try await catalog()
    let copy = catalog.folder.file("copy")
    try FileManager.default.copyItem(atPath: catalog.events, toPath: copy)
    _ = try await Program.run("chmod", ["-R", "a-w", copy])
    for arguments in [
      ["diff", "\(first)", "\(tagged)"], ["blame", "library_item", item],
      ["query", "--at", "\(first)", "SELECT 1"],
      ["materialize", "\(tagged)", catalog.folder.file("copy.sqlite")],
    ] {
      let outcome = await InProcess.run(arguments + ["--events", copy])
      #expect(outcome.status == (arguments[0] == "diff" ? 2 : 0), "\(arguments): \(outcome)")
    }
    let live = await InProcess.run(["query", "SELECT 1", "--at", "live", "--events", copy])
    #expect(live.status == 1 && live.errors.contains("name a sequence or a time"), "\(live)")
    _ = try await Program.run("chmod", ["-R", "u+w", copy])
  }

  @Test func anEventTellsWhatItDidToTheRows() async throws {
    let (catalog, first, tagged) = try await catalog()
    let added = await catalog.run("event", "\(first + 1)", "--rows")
    #expect(added.output.contains("row: + mood id="))
    #expect(added.output.contains("name='Spooky' sort_order=NULL is_system=0"))
    let given = await catalog.run("event", "\(tagged)", "--rows")
    #expect(given.output.contains("row: + item_mood item_id='\(item)'"))
    let line = try #require(
      await catalog.run("log", "--grep", "Place 101 again", "--format", "json").lines.first)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let renamed = await catalog.run("event", "\(try #require(object?["seq"] as? Int))", "--rows")
    #expect(
      renamed.output.contains(
        "row: ~ library_item id='\(SampleSeed.id(101))' title: 'Place 101' → 'Place 101 again'"))
    #expect(renamed.output.contains("row: ~ projection_item_text"))
    #expect(await catalog.run("event", "1", "--rows").output.contains("no row changed"))
    // As JSON it is the stored line.
    #expect(await catalog.run("event", "\(tagged)", "--format", "json").lines.count == 1)
  }

  /// Ctrl-C ends SQL that runs for ever, and nothing is left in the temporary folder.
  @Test(arguments: [["query"], ["bisect"]])
  func endlessSQLIsStopped(command: [String]) async throws {
    let (catalog, _, _) = try await catalog()
    let temporary = try ScratchFolder()
    let endless =
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
    let stopped = try await Program.run(
      "python3",
      [
        "-c",
        """
        import os, signal, subprocess, sys, time
        # Neither blocked nor ignored, as a job in the background inherits it.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen(sys.argv[1:])
        stat = lambda: open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
        # Ticks of processor time, far more than it takes to get to the statement.
        while int(stat()[11]) < 150: time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            print(process.wait(60))
        finally:
            process.kill()
        """, Program.catalogctl,
      ] + command + [endless, "--catalog", catalog.path], environment: ["TMPDIR": temporary.path])
    #expect(stopped.output == "-2\n", "\(stopped)")
    #expect(try ScratchFolder.contents(temporary.path).isEmpty)
  }

  @Test func bisectFindsTheBatchAndWhatItDid() async throws {
    let (catalog, first, tagged) = try await catalog()
    let sql = "SELECT count(*) > 2 FROM mood"
    #expect(await catalog.run("history", "make").status == 0)
    let outcome = await catalog.run("bisect", sql, "--details")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.lines.first == "events \(first + 1) to \(tagged): 0 → 1")
    #expect(outcome.output.contains("person, operation "))
    #expect(!outcome.output.contains("+ mood id="), "\(outcome)")
    #expect(outcome.errors == "all 3 states queried\n", "\(outcome)")
    let rows = await catalog.run("bisect", sql, "--rows")
    #expect(rows.output.contains("+ mood id="), "\(rows)")
    #expect(rows.output.contains("+ item_mood item_id='\(item)'"), "\(rows)")
    let json = try await catalog.run("bisect", sql, "--all", "--format", "json").objects()
    #expect(json.map { $0["firstSequence"] as? Int } == [first + 1])
    #expect((json.first?["types"] as? [String: Int])?["item.tags.set"] == 1)
    #expect(outcome.output.contains("item_mood: 1 added, 0 removed, 0 changed"), "\(outcome)")
    for options in [[], ["--all"], ["--scan"]] {
      let hint = await InProcess.run(["bisect", sql, "--catalog", catalog.path] + options)
      #expect(hint.output.contains("catalogctl diff \(first) \(tagged)"))
    }
    let none = await catalog.run("bisect", "SELECT 1")
    #expect(none.status == 0 && none.output.isEmpty, "\(none)")
    let nothing = await catalog.run("bisect", "SELECT 1", "--format", "json")
    #expect(try nothing.status == 0 && nothing.objects().isEmpty, "\(nothing)")
    #expect(none.errors.contains("the answer is 1 at both ends"))
    #expect(await catalog.run("bisect", "SELECT 1", "--all").status == 0)
    #expect(await catalog.run("bisect", "SELEC").status == 1)
    #expect(await catalog.run("bisect", "DELETE FROM mood").status == 1)
    let endless = await catalog.run(
      "bisect", "--timeout", "0.3",
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r")
    #expect(endless.status == 1 && endless.errors.contains("--timeout"), "\(endless)")
    #expect(await catalog.run("bisect", sql, "--good", "live").status == 64)
    let turned = await catalog.run(
      "bisect", sql, "--good", "\(tagged)", "--bad", "\(first)")
    #expect(turned.status == 1 && turned.errors.contains("is not before"), "\(turned)")
    let near = await catalog.run("bisect", sql, "--good", "\(tagged)")
    #expect(near.status == 0, "\(near)")
  }

  @Test func anyTwoAnswersAreAChange() async throws {
    let (catalog, _, tagged) = try await catalog()
    let sql = "SELECT title FROM library_item WHERE id = '\(SampleSeed.id(101))'"
    for options in [[], ["--all"], ["--changed"]] {
      let outcome = await InProcess.run(
        ["bisect", sql, "--catalog", catalog.path] + options)
      #expect(outcome.status == 2, "\(outcome)")
      let head = try await catalog.head().sequence
      #expect(
        outcome.lines.first == "events \(tagged + 1) to \(head): 'Place 101' → 'Place 101 again'",
        "\(outcome)")
    }
  }

  @Test func theFirstImportIsNoChangeUnlessItIsAskedFor() async throws {
    let (catalog, first, _) = try await catalog()
    let sql = "SELECT count(*) > 0 FROM library_item"
    let outcome = await catalog.run("bisect", sql)
    #expect(outcome.status == 0, "\(outcome)")
    let head = try await catalog.head().sequence
    #expect(
      outcome.errors.contains(
        "the answer is 1 at both ends, after event \(first) and after event \(head)"), "\(outcome)")
    let whole = await catalog.run("bisect", sql, "--good", "1")
    #expect(whole.lines.first == "events 2 to \(first): 0 → 1", "\(whole)")
    let new = try await SharedCatalogs.sample.value.run("bisect", sql)
    #expect(new.status == 1 && new.errors.contains("nothing after its first import"), "\(new)")
  }

  @Test func bisectSaysWhatItDidNotLookAt() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    for number in 1...8 {
      _ = await catalog.run("tag", "add", item, "--mood", "Mood \(number)")
    }
    let head = try await catalog.head().sequence
    let sql = "SELECT count(*) FROM mood"
    #expect(await catalog.run("history", "make").status == 0)
    let outcome = await catalog.run("bisect", sql, "--details")
    #expect(outcome.lines.first?.hasSuffix(": 2 → 3") == true, "\(outcome)")
    #expect(
      outcome.errors == """
        the answer changed again: after event \(head) it is 10; --all lists every change
        5 of 9 states queried; 4 not, which can contain other changes: --all finds them

        """, "\(outcome)")
    let json = await catalog.run("bisect", sql, "--format", "json")
    #expect(json.errors == outcome.errors)
    let scan = await catalog.run("bisect", sql, "--all")
    #expect(scan.lines.count { $0.hasPrefix("events ") } == 8, "\(scan)")
    #expect(scan.errors == "8 changes\n")
    for words in [["--all"], ["--scan"], ["--format", "json"]] {
      let refused = await InProcess.run(
        ["bisect", sql, "--rows", "--catalog", catalog.path] + words)
      #expect(refused.status == 64 && refused.errors.contains("--rows"), "\(refused)")
    }
  }

  @Test func logFindsEventsByWhatTheySay() async throws {
    let (catalog, first, tagged) = try await catalog()
    func sequences(_ options: String...) async throws -> [Int] {
      let outcome = await InProcess.run(
        ["log", "--format", "json", "--catalog", catalog.path] + options)
      #expect(outcome.status == 0, "\(outcome)")
      return try outcome.lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["seq"] as? Int)
      }
    }
    let all = try await sequences()
    #expect(try await sequences("--by", "person") == [first + 1, tagged])
    #expect(try await sequences("--tag", "Spooky") == [first + 1, tagged])
    #expect(try await sequences("--item", item, "--by", "person") == [tagged])
    let packed = try await sequences("--pack", SampleSeed.sfxPack, "--type", "pack.items.set")
    #expect(packed.count == 2)
    #expect(try await sequences("--grep", "Place 101 again").count == 1)
    #expect(try await sequences("--newest") == all.reversed())
    #expect(try await sequences("--newest", "--limit", "3") == all.reversed().prefix(3).map { $0 })
    #expect(try await sequences("--until", "2026-01-31T12:00:00Z").count == all.count - 2)
    #expect(try await sequences("--since", "2026-01-31T12:00:01Z") == [first + 1, tagged])
    let event = try await catalog.run(
      "log", "--after", "\(first)", "--limit", "1", "--format", "json"
    )
    .object()
    let op = try #require(event["op"] as? String)
    #expect(try await sequences("--op", op) == [first + 1, tagged])
    #expect(try await sequences("--op", String(op.prefix(4)).uppercased()) == [first + 1, tagged])
    #expect(await catalog.run("log", "--op", String(op.prefix(3))).status == 64)
    #expect(await catalog.run("log", "--op", "\(op)0").status == 64)
    #expect(await catalog.run("log", "--since", "soon").status == 64)
    #expect(await catalog.run("log", "--item", "x").status == 64)
    #expect(await catalog.run("log", "--newest", "--follow").status == 64)
  }

  /// The newest are looked for at the end first: what is wanted lies near it, far from it, or nowhere.
  @Test(arguments: [
    [], ["--type", "item.upserted"], ["--type", "item.tags.set"],
    ["--type", "dimension.value.added"],
    ["--type", "catalog.created"], ["--by", "nobody"], ["--grep", "Rain"],
  ])
  func theNewestAreTheEndOfTheOldest(filter: [String]) async throws {
    let catalog = try await SharedCatalogs.starter.value
    func lines(_ options: [String]) async -> [String] {
      await InProcess.run(
        ["log", "--format", "json", "--catalog", catalog.path] + filter + options
      ).lines
    }
    let all = await lines([])
    #expect(filter == ["--by", "nobody"] ? all.isEmpty : !all.isEmpty)
    for limit in [1, 2, 7, 1_000, 5_000] {
      let newest = await lines(["--newest", "--limit", "\(limit)"])
      #expect(newest == Array(all.reversed().prefix(limit)), "\(limit) of \(filter)")
    }
    let late = await lines(["--newest", "--after", "3000", "--limit", "5"])
    let lateOnes = await lines(["--after", "3000"])
    #expect(late == Array(lateOnes.reversed().prefix(5)))
  }

  @Test(.timeLimit(.minutes(10))) func logFollowsWhatOtherProcessesAppend() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head().sequence
    let following = try Program.started(
      Program.catalogctl,
      ["log", "--follow", "--after", "\(head - 1)", "--limit", "3", "--catalog", catalog.path])
    // It has read the log to its end, and follows from there.
    try await following.untilItPrints(lines: 1)
    #expect(try await catalog.program("tag", "add", item, "--mood", "Spooky").status == 0)
    let outcome = try await following.finish()
    #expect(outcome.lines.count == 3)
    #expect(outcome.output.contains("item.tags.set"))
  }

  @Test func momentsTablesAndKeysThatAreNotThereAreSaid() async throws {
    let (catalog, _, _) = try await catalog()
    for (arguments, status, message) in [
      (["query", "--at", "99999", "SELECT 1"], 1, "there is no event 99999"),
      (["query", "--at", "0", "SELECT 1"], 1, "there is no event 0"),
      (
        ["query", "--at", "2001-01-01T00:00:00Z", "SELECT 1"], 1,
        "no batch of the log is as early as"
      ),
      (["query", "--at", "last monday", "SELECT 1"], 64, "last monday"),
      (["diff", "1", "nowhere.sqlite"], 64, "is not a sequence"),
      (["diff", "1", "x-1"], 64, "is not a sequence"),
      (["diff", "1", SampleSeed.id(1)], 1, "has no operation"),
      (["blame", "library_items", item], 64, "did you mean \"library_item\"?"),
      (["blame", "library_item", "x"], 64, "no row of library_item is called \"x\""),
      (["history", "row", "item_mood", item], 64, "the key of item_mood is item_id, mood_id"),
      (["blame", "library_item", item, "--column", "titel"], 64, "did you mean \"title\"?"),
      (["blame", "mood", "77777"], 1, "no event of the log wrote"),
      (["materialize", "live", "x.sqlite"], 64, "name a sequence or a time"),
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(outcome.status == Int32(status), "\(arguments): \(outcome)")
      #expect(outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
    }
  }

  /// Two databases that `materialize` wrote are compared without a catalog, and without events.
  @Test func twoFilesNeedNoCatalog() async throws {
    let (catalog, before, head) = try await catalog()
    let (one, two) = (catalog.folder.file("one.sqlite"), catalog.folder.file("two.sqlite"))
    for (moment, file) in [(before, one), (head, two)] {
      let made = await catalog.run("materialize", "\(moment)", file)
      try #require(made.status == 0, "\(made)")
    }
    let nowhere = ["--catalog", catalog.folder.file("nowhere")]
    let alone = await InProcess.run(["diff", one, two] + nowhere)
    let beside = await catalog.run("diff", one, two)
    #expect(alone.status == 2 && alone.output.contains("item_mood: "), "\(alone)")
    #expect(beside.output.contains("    event ") || beside.output.contains("  event "), "\(beside)")
    #expect(!alone.output.contains("event "), "\(alone)")
    #expect(
      alone.lines == beside.lines.filter { !$0.hasPrefix("  event ") }, "\(alone) \(beside)")
    let same = await InProcess.run(["diff", one, one] + nowhere)
    #expect(same.status == 0 && same.lines == ["the same"], "\(same)")
    let json = try await InProcess.run(["diff", one, two, "--format", "json"] + nowhere).objects()
    #expect(!json.isEmpty)
    // The events of another log are not those of these files.
    let other = try await TestCatalog.imported()
    #expect(await other.run("diff", one, two).output == alone.output)

    let text = try catalog.folder.write("a text", to: "text")
    let refused = await InProcess.run(["diff", one, text] + nowhere)
    #expect(refused.status == 1 && refused.errors.contains("not an SQLite database"), "\(refused)")
    let stranger = catalog.folder.file("stranger.sqlite")
    _ = try await Program.run("sqlite3", [stranger, "CREATE TABLE a (b)"])
    // Databases of other programs are compared by their own schemas.
    let unknown = await InProcess.run(["diff", stranger, stranger] + nowhere)
    #expect(unknown.status == 0 && unknown.lines == ["the same"], "\(unknown)")
  }

  /// A row that got another name has the new one in each list of changes.
  @Test func aRenamedRowHasItsNewName() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try await catalog.head().sequence
    let mood = try await catalog.query("SELECT name FROM mood ORDER BY name LIMIT 1")
      .trimmingCharacters(in: ["'"])
    let renamed = await catalog.run("tag", "rename", "moods", mood, "Brand new")
    try #require(renamed.status == 0, "\(renamed)")
    let after = try await catalog.head().sequence
    func names(_ objects: [[String: Any]], _ rows: String) -> Set<String> {
      Set(
        objects.flatMap { $0[rows] as? [[String: Any]] ?? [$0] }
          .compactMap { $0["name"] as? String }.filter { $0.contains("rand new") || $0 == mood })
    }
    let diff = try await catalog.run("diff", "\(before)", "\(after)", "--format", "json").objects()
    #expect(names(diff, "differences") == ["Brand new"], "\(diff)")
    let text = await catalog.run("diff", "\(before)", "\(after)")
    #expect(text.output.contains("(Brand new) name: '\(mood)'"), "\(text)")
  }

  /// A fault of a file that a person named is not one of the catalog's own database.
  @Test func aFileThatIsNoCatalogIsNotAdvisedToBeRebuilt() async throws {
    let (catalog, _, _) = try await catalog()
    let folder = catalog.folder
    let bytes = try Data(contentsOf: URL(filePath: catalog.database))
    try bytes.prefix(3_000).write(to: URL(filePath: folder.file("cut.sqlite")))
    let other = try await Program.run(
      "sqlite3", [folder.file("other.sqlite"), "CREATE TABLE a (b); INSERT INTO a VALUES (1)"])
    #expect(other.status == 0, "\(other)")
    for (file, words) in [
      ("/dev/null", "is a device, not a database file"), (folder.path, "is a folder"),
      (try folder.write("", to: "empty"), "lacks library_item"),
      (try folder.write("a text", to: "text"), "is not an SQLite database"),
      (folder.file("other.sqlite"), "lacks library_item"),
      (folder.file("cut.sqlite"), "is damaged"),
      (folder.file("missing"), "is not a sequence"),
    ] {
      // Two databases of other programs are compared, and need no catalog.
      let isForeign = file.hasSuffix("other.sqlite")
      for sides in [["2", file], [file, "live"]] + (isForeign ? [] : [[file, file]]) {
        let outcome = await InProcess.run(["diff", "--catalog", catalog.path] + sides)
        #expect(outcome.status == (words == "is not a sequence" ? 64 : 1), "\(sides): \(outcome)")
        let isCut = sides == [file, file] && file.hasSuffix("cut.sqlite")
        #expect(
          outcome.errors.contains(isCut ? "the database is cut" : words), "\(sides): \(outcome)")
        #expect(!outcome.errors.contains("rebuild"), "\(sides): \(outcome)")
      }
    }
    // The live database is the catalog's own.
    try await catalog.sqlite("DROP TABLE item_mood")
    let live = await catalog.run("diff", "2", "live")
    #expect(live.status == 1 && live.errors.contains("`catalogctl rebuild` rebuilds it"), "\(live)")
  }

  /// Against Python, which reads what `zstd -dc` prints.
  @Test func statsCountWhatTheLogHolds() async throws {
    let (catalog, _, _) = try await catalog()
    let script = """
      import collections, json, sys
      types, sources, days = (collections.Counter() for _ in range(3))
      sizes = collections.Counter()
      for line in sys.stdin.buffer:
          event = json.loads(line)
          for name, key in ((types, event["type"]), (sources, event["by"]), (days, event["at"][:10])):
              name[key] += 1
          sizes[event["type"]] += len(line)
      print(json.dumps([types, sources, days, sizes]))
      """
    let counted = try await Program.shell(
      "zstd -dc \(catalog.events)/*.zst | python3 -c '\(script)'")
    let expected = try #require(
      try JSONSerialization.jsonObject(with: Data(counted.output.utf8)) as? [[String: Int]])
    let outcome = await catalog.run("stats", "--format", "json")
    let stats = try outcome.object()
    func shares(_ key: String, _ value: String) throws -> [String: Int] {
      let shares = try #require(stats[key] as? [[String: Any]])
      return Dictionary(
        uniqueKeysWithValues: shares.compactMap { share in
          (share["name"] as? String).flatMap { name in
            (share[value] as? Int).map { (name, $0) }
          }
        })
    }
    #expect(try shares("types", "events") == expected[0])
    #expect(try shares("sources", "events") == expected[1])
    #expect(try shares("days", "events") == expected[2])
    #expect(try shares("types", "bytes") == expected[3])
    #expect(stats["events"] as? Int == expected[0].values.reduce(0, +))
    #expect(stats["bytes"] as? Int == expected[3].values.reduce(0, +))
    #expect(stats["batches"] as? Int == 4)
    let largest = try #require(stats["largestBatches"] as? [[String: Any]])
    #expect(largest.first?["firstSequence"] as? Int == 2)
    let sizes = largest.compactMap { $0["bytes"] as? Int }
    #expect(sizes == sizes.sorted(by: >) && sizes.reduce(0, +) == stats["bytes"] as? Int)
    // From a copied folder of events too, and as text.
    let copy = catalog.folder.file("copied")
    try FileManager.default.copyItem(atPath: catalog.events, toPath: copy)
    let text = await InProcess.run(["stats", "--events", copy, "--limit", "1"])
    #expect(text.status == 0)
    #expect(
      text.lines.first?.hasPrefix("\(stats["events"] as? Int ?? 0) events in 4 batches, ") == true)
    #expect(text.lines.last?.hasPrefix("  2–") == true)
  }

  @Test func aRebuildKeepsTheDriftedDatabaseForStudy() async throws {
    let (catalog, _, _) = try await catalog()
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops'")
    let kept = catalog.folder.file("drifted.sqlite")
    let outcome = await catalog.run("rebuild", "--keep-old", kept)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      try await catalog.query("SELECT count(*) FROM library_item WHERE title = 'Oops'") == "0")
    let titles = try await Program.run(
      "sqlite3", [kept, "SELECT DISTINCT title FROM library_item; PRAGMA integrity_check"])
    #expect(titles.output == "Oops\nok\n")
    #expect(await catalog.run("diff", kept, "live", "--summary").status == 2)
    // A file that is there is not written over, and nothing is rebuilt then.
    try await catalog.sqlite("UPDATE library_item SET title = 'Again'")
    let refused = await catalog.run("rebuild", "--keep-old", kept)
    #expect(refused.status == 1)
    #expect(refused.errors.contains(kept))
    #expect(
      try await catalog.query("SELECT count(*) FROM library_item WHERE title = 'Again'") != "0")
    #expect(
      await catalog.run("rebuild", "--keep-old", kept, "--out", kept + "2").status == 64)
  }

  @Test func whatIsNoDatabaseIsKeptForStudyToo() async throws {
    let (catalog, _, _) = try await catalog()
    let receipt = try await catalog.receipt()
    let kept = catalog.folder.file("kept")
    try FileManager.default.removeItem(atPath: catalog.database)
    let nothing = await catalog.run("rebuild", "--keep-old", kept)
    #expect(nothing.status == 1 && nothing.errors.contains("rebuild without keeping it"))
    #expect(!FileManager.default.fileExists(atPath: catalog.database))
    let noise = String(repeating: "no database at all\n", count: 1_000)
    try Data(noise.utf8).write(to: URL(filePath: catalog.database))
    let outcome = await catalog.run("rebuild", "--keep-old", kept)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == noise)
    #expect(try await catalog.receipt() == receipt)
  }
}
