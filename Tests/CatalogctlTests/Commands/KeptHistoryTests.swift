import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `history.sqlite` beside a catalog: made by the first question about the past, and again if it is of no use.
@Suite(
  .promise(
    "A history that is damaged, changed or of another log is named and made again; any SQL "
      + "is answered as by a replay"),
  .promise(
    "A process that is killed while it makes, updates or removes the history leaves "
      + "nothing, and the next question is answered as by a replay"))
struct KeptHistoryTests {
  private static let sql = "SELECT id, title FROM library_item ORDER BY id"

  /// A catalog with some revisions, and the end of the batch before the last.
  private func catalog() async throws -> (TestCatalog, before: Int, head: Int) {
    let catalog = try await TestCatalog.imported()
    let before = Int(try await catalog.head().sequence)
    _ = await catalog.run("tag", "add", SampleSeed.id(101), "--mood", "Windy")
    return (catalog, before, Int(try await catalog.head().sequence))
  }

  private func file(_ catalog: TestCatalog) -> String { catalog.path + "/history.sqlite" }

  private func isThere(_ catalog: TestCatalog) -> Bool {
    FileManager.default.fileExists(atPath: file(catalog))
  }

  @Test func theFirstQuestionMakesItAndOthersMakeNone() async throws {
    let (catalog, before, _) = try await catalog()
    for command in [
      ["head"], ["query", Self.sql], ["query", "--no-history", "--at", "5", Self.sql],
      ["diff", "live", "live"],
      ["history", "status"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(!isThere(catalog), "\(command): \(outcome)")
    }
    let first = await catalog.run("query", "--at", "\(before)", Self.sql)
    #expect(isThere(catalog) && first.errors.contains("history.sqlite was made: "), "\(first)")
    let second = await catalog.run("query", "--at", "\(before)", Self.sql)
    #expect(second.output == first.output && !second.errors.contains("was made"), "\(second)")
    let replayed = await catalog.run("query", "--no-history", "--at", "\(before)", Self.sql)
    #expect(replayed.output == first.output)
    #expect(await catalog.run("history", "remove").status == 0)
    #expect(!isThere(catalog))
  }

  /// A history that is damaged, of another log, or of another version is named and made again, with the answers of a replay.
  @Test(arguments: [
    "changed by hand", "cut", "text", "other log", "other format", "older log", "bytes",
    "times restored", "index", "sum",
  ])
  func whatIsOfNoUseIsMadeAgain(fault: String) async throws {
    let (catalog, before, _) = try await catalog()
    #expect(await catalog.run("history", "make").status == 0)
    let path = file(catalog)
    switch fault {
    case "changed by hand":
      let changed = try await Program.run(
        "sqlite3", [path, "UPDATE g0_library_item SET title = 'x'"])
      #expect(changed.status == 0)
    case "bytes", "times restored":
      let times = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      let bytes = try Data(contentsOf: URL(filePath: path))
      let place = try #require(bytes.range(of: Data("Place".utf8)))
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.seek(toOffset: UInt64(place.lowerBound))
      try handle.write(contentsOf: Data("Plaza".utf8))
      try handle.close()
      if fault == "times restored" {
        try FileManager.default.setAttributes(
          [.modificationDate: try #require(times)], ofItemAtPath: path)
      }
    case "index":
      let changed = try await Program.run(
        "sqlite3",
        [path, LyingIndex.exchanging("g0_library_item_began", "g0_library_item_ended")])
      #expect(changed.status == 0)
    case "sum":
      let changed = try await Program.run(
        "sqlite3", [path, "UPDATE history_checkpoint SET digest = zeroblob(16)"])
      #expect(changed.status == 0)
    case "cut":
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
    case "text": try Data("no database".utf8).write(to: URL(filePath: path))
    case "other log":
      let (other, _, _) = try await self.catalog()
      #expect(await other.run("history", "make").status == 0)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: file(other), toPath: path)
    case "other format":
      let changed = try await Program.run(
        "sqlite3", [path, "UPDATE history_checkpoint SET format = 99"])
      #expect(changed.status == 0)
    default:
      let changed = try await Program.run(
        "sqlite3", [path, "UPDATE history_checkpoint SET sequence = 9, chain = hex(zeroblob(32))"])
      #expect(changed.status == 0)
    }
    let asked = await catalog.run("query", "--at", "\(before)", Self.sql)
    let replayed = await catalog.run("query", "--no-history", "--at", "\(before)", Self.sql)
    #expect(asked.status == 0 && asked.output == replayed.output, "\(fault): \(asked)")
    #expect(asked.errors.contains("was made again, because"), "\(fault): \(asked)")
    #expect(!(await catalog.run("query", "--at", "\(before)", Self.sql)).errors.contains("made"))
  }

  /// A process that is killed within a commit leaves a write-ahead log, of which the next question reads what was committed.
  @Test(.enabled(if: Strace.works, "strace cannot trace here"), arguments: [1, 2, 3, 4])
  func aKilledProcessLeavesAHistoryThatCanBeUsed(sync: Int) async throws {
    let (catalog, _, _) = try await catalog()
    #expect(await catalog.run("history", "make").status == 0)
    for number in 101...103 {
      _ = await catalog.run("tag", "add", SampleSeed.id(number), "--mood", "Windy")
    }
    _ = try await Program.run(
      "strace",
      [
        "-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e",
        "inject=fdatasync,fsync:signal=KILL:when=\(sync)", Program.catalogctl, "history", "make",
        "--catalog", catalog.path,
      ])
    let head = Int(try await catalog.head().sequence)
    let sql = "SELECT count(*) FROM item_mood"
    let asked = await catalog.run("query", "--at", "\(head)", sql)
    let replayed = await catalog.run("query", "--no-history", "--at", "\(head)", sql)
    #expect(asked.status == 0 && asked.output == replayed.output, "\(asked)")
    #expect(!asked.errors.contains("history"), "\(asked)")
    let status = try await catalog.run("history", "status", "--format", "json").object()
    #expect(status["sequence"] as? Int == head && status["problem"] == nil, "\(status)")
    let check = try await Program.run("sqlite3", [file(catalog), "PRAGMA integrity_check"])
    #expect(check.output == "ok\n")
  }

  /// A process that is killed while it removes a history may leave the write-ahead log of another one, which was killed within a
  /// commit.
  @Test(.enabled(if: Strace.works, "strace cannot trace here"))
  func aLogWithoutItsDatabaseIsNotTakenForThatOfTheNext()
    async throws
  {
    let (first, _, _) = try await catalog()
    #expect(await first.run("history", "make").status == 0)
    for number in 101...103 {
      _ = await first.run("tag", "add", SampleSeed.id(number), "--mood", "Windy")
    }
    var wasHot = false
    for sync in 1...4 {
      let catalog = try first.copy()
      _ = try await Program.run(
        "strace",
        [
          "-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e",
          "inject=fdatasync,fsync:signal=KILL:when=\(sync)", Program.catalogctl, "history", "make",
          "--catalog", catalog.path,
        ])
      let changes = try? FileManager.default.attributesOfItem(atPath: file(catalog) + "-wal")
      guard let size = changes?[.size] as? Int, size > 0 else { continue }
      wasHot = true
      try FileManager.default.removeItem(atPath: file(catalog))
      let head = Int(try await catalog.head().sequence)
      let sql = "SELECT item_id, mood_id FROM item_mood ORDER BY 1, 2"
      let replayed = await catalog.run("query", "--no-history", "--at", "\(head)", sql)
      for _ in 0..<2 {
        let asked = await catalog.run("query", "--at", "\(head)", sql)
        #expect(asked.status == 0 && asked.output == replayed.output, "\(asked)")
        let status = try await catalog.run("history", "status", "--format", "json").object()
        #expect(status["sequence"] as? Int == head && status["problem"] == nil, "\(status)")
      }
      let check = try await Program.run("sqlite3", [file(catalog), "PRAGMA integrity_check"])
      #expect(check.output == "ok\n", "\(check)")
    }
    #expect(wasHot)
  }

  /// Whatever has its name, a question is answered.
  @Test func aFolderInItsPlaceKeepsNoQuestionFromItsAnswer() async throws {
    let (catalog, before, _) = try await catalog()
    try FileManager.default.createDirectory(
      atPath: file(catalog), withIntermediateDirectories: false)
    let asked = await catalog.run("query", "--at", "\(before)", Self.sql)
    let replayed = await catalog.run("query", "--no-history", "--at", "\(before)", Self.sql)
    #expect(asked.status == 0 && asked.output == replayed.output, "\(asked)")
    #expect(asked.errors.contains("the history is not used"), "\(asked)")
  }

  /// Several programs ask the first question at once: one makes it, and the others wait.
  @Test func oneOfSeveralProgramsMakesIt() async throws {
    let (catalog, before, _) = try await catalog()
    let answers = try await withThrowingTaskGroup(of: Outcome.self) { group in
      for _ in 0..<5 {
        group.addTask { try await catalog.program("query", "--at", "\(before)", Self.sql) }
      }
      return try await group.reduce(into: [Outcome]()) { $0.append($1) }
    }
    #expect(answers.allSatisfy { $0.status == 0 && $0.output == answers[0].output })
    #expect(answers.count { $0.errors.contains("was made") } == 1, "\(answers)")
    let left = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
    #expect(!left.contains { $0.hasPrefix(".history") }, "\(left)")
  }

  @Test func itIsBroughtUpToDate() async throws {
    let (catalog, before, _) = try await catalog()
    #expect(await catalog.run("history", "make").status == 0)
    _ = await catalog.run("tag", "add", SampleSeed.id(102), "--mood", "Windy")
    let status = try await catalog.run("history", "status", "--format", "json").object()
    #expect(status["behind"] as? Int ?? 0 > 0)
    let head = Int(try await catalog.head().sequence)
    for moment in [before, head] {
      let sql = "SELECT count(*) FROM item_mood"
      let asked = await catalog.run("query", "--at", "\(moment)", sql)
      #expect(!asked.errors.contains("made"), "\(asked)")
      #expect(
        asked.output
          == (await catalog.run("query", "--no-history", "--at", "\(moment)", sql)).output)
    }
    let after = try await catalog.run("history", "status", "--format", "json").object()
    #expect(after["behind"] as? Int == 0 && after["sequence"] as? Int == head)
  }

  /// The receipt of a moment is that of a database of the moment.
  @Test func receiptsAreThoseOfReplays() async throws {
    let (catalog, before, head) = try await catalog()
    for moment in [1, before, head] {
      let asked = await catalog.run("receipt", "--at", "\(moment)")
      let replayed = await catalog.run("receipt", "--no-history", "--at", "\(moment)")
      #expect(asked.status == 0 && asked.output == replayed.output, "\(moment): \(asked)")
    }
    let live = await catalog.run("receipt", "--at", "live")
    #expect(live.output == (await catalog.run("receipt", "--at", "\(head)")).output)
  }

  /// SQL that asks for more than rows is answered all the same, and the versions of a table are a table.
  @Test func anySQLIsAnswered() async throws {
    let (catalog, before, head) = try await catalog()
    for sql in [
      "SELECT rowid FROM mood ORDER BY 1", "SELECT count(*) FROM main.mood",
      "SELECT name FROM sqlite_schema WHERE name = 'mood'",
      "SELECT count(*) FROM pragma_table_info('mood')",
      "SELECT count(*) FROM projection_item_search WHERE projection_item_search MATCH 'song'",
      "SELECT sequence, chain FROM projection_checkpoint",
      "WITH m AS (SELECT id FROM mood) SELECT count(*), max(id) OVER () FROM m",
      "SELECT title FROM library_item INDEXED BY sqlite_autoindex_library_item_1 WHERE id = 'x'",
    ] {
      let asked = await catalog.run("query", "--at", "\(before)", sql)
      let replayed = await catalog.run("query", "--no-history", "--at", "\(before)", sql)
      #expect(
        asked.status == replayed.status && asked.output == replayed.output, "\(sql): \(asked)")
    }
    let versions = await catalog.run(
      "query", "--at", "\(head)",
      "SELECT count(*), sum(_to IS NULL), max(_from) FROM item_mood_history")
    let rows = await catalog.run("query", "SELECT count(*) FROM item_mood")
    #expect(versions.lines.last?.hasSuffix("\(head)") == true, "\(versions)")
    #expect(versions.lines.last?.contains(rows.lines.last ?? "?") == true, "\(versions)")
    let both = await catalog.run(
      "query", "--at", "\(head)", "SELECT h.id, m.rowid FROM mood_history AS h JOIN mood AS m")
    #expect(both.status == 1 && both.errors.contains("mood_history has no row ids"), "\(both)")
    // It ends at the moment.
    let earlier = await catalog.run(
      "query", "--at", "\(before)", "SELECT max(_from) <= \(before) FROM item_mood_history")
    #expect(earlier.lines.last == "1", "\(earlier)")
    let wrong = await catalog.run("query", "--at", "\(before)", "SELECT absent FROM mood")
    #expect(wrong.status == 1 && wrong.errors.contains("no such column: absent"), "\(wrong)")
  }

  @Test func aRowTellsItsChanges() async throws {
    let (catalog, before, head) = try await catalog()
    _ = await catalog.run("tag", "remove", SampleSeed.id(101), "--mood", "Windy")
    let mood = try await catalog.query("SELECT id FROM mood WHERE name = 'Windy'")
    let row = await catalog.run("history", "row", "item_mood", SampleSeed.id(101), mood)
    #expect(
      row.lines.filter { $0.hasPrefix("  ") }.map { $0.prefix(3) } == ["  +", "  -"], "\(row)")
    // It came and went: no difference, two changes.
    let last = Int(try await catalog.head().sequence)
    let changes = try await catalog.run(
      "changes", "\(before)", "\(last)", "--table", "item_mood", "--format", "json"
    ).objects()
    #expect(changes.map { $0["change"] as? String } == ["added", "removed"])
    // What is listed and what is not are all that text has to show.
    let all = await catalog.run("changes", "\(before)", "\(last)", "--all", "--rows", "1000")
    let some = await catalog.run("changes", "\(before)", "\(last)", "--all", "--rows", "2")
    let more = all.lines.prefix { $0 != "in all:" }.count { $0.hasPrefix("  ") } - 2
    #expect(some.errors.contains("\(more) more changes"), "\(some)")
    let diff = try await catalog.run("diff", "\(before)", "\(last)", "--format", "json").objects()
    #expect(!diff.contains { $0["table"] as? String == "item_mood" })
    #expect(head < last)
    let missing = await catalog.run("history", "row", "item_mood", SampleSeed.id(101), "9999")
    #expect(
      missing.status == 1 && missing.errors.contains("no event of the log wrote"), "\(missing)")
  }

  /// A table's rows come each with the event that a replay finds for the row alone.
  @Test func aTableTellsWhoWroteItsRows() async throws {
    let (catalog, before, head) = try await catalog()
    for moment in [before, head] {
      let answer = await catalog.run(
        "blame", "item_mood", "--at", "\(moment)", "--rows", "1000", "--format", "json")
      let rows = try #require(try answer.object()["rows"] as? [[String: Any]])
      let count = await catalog.run(
        "query", "--at", "\(moment)", "SELECT count(*) FROM item_mood"
      ).lines.last
      #expect("\(rows.count)" == count, "\(answer)")
      for row in rows.prefix(4) + rows.suffix(2) {
        let key = try #require(row["key"] as? [String: String])
        let item = try #require(key["item_id"]).trimmingCharacters(in: ["'"])
        let one = try await catalog.run(
          "blame", "item_mood", item, #require(key["mood_id"]), "--no-history", "--at", "\(moment)",
          "--format", "json"
        ).object()
        let columns = try #require(one["columns"] as? [[String: Any]])
        let events = columns.compactMap { ($0["event"] as? [String: Any])?["seq"] as? Int }
        #expect((row["event"] as? [String: Any])?["seq"] as? Int == events.max(), "\(key)")
      }
    }
    let some = await catalog.run("blame", "library_item", "--rows", "1")
    #expect(some.lines.count == 2 && some.errors.contains("more row"), "\(some)")
    let replayed = await catalog.run("blame", "library_item", "--no-history")
    #expect(replayed.output == (await catalog.run("blame", "library_item")).output, "\(replayed)")
    // The folder of that history is gone: its path would be of no use.
    #expect(
      replayed.errors.contains("a history was made for this command alone: ")
        && !replayed.errors.contains("history.sqlite"), "\(replayed)")
    let column = await catalog.run("blame", "library_item", "--column", "title")
    #expect(column.status == 64 && column.errors.contains("name all values"), "\(column)")
  }

  /// Rows are named by their titles and names, and rows that join others by the names of these; tables can be chosen.
  @Test(arguments: [[], ["--no-history"]])
  func rowsHaveNamesBesideTheirIds(options: [String]) async throws {
    let (catalog, before, head) = try await catalog()
    let item = SampleSeed.id(101)
    let mood = try await catalog.query("SELECT id FROM mood WHERE name = 'Windy'")
    let title = try await catalog.query("SELECT title FROM library_item WHERE id = '\(item)'")
    let line = "item_id='\(item)' (\(title)) mood_id=\(mood) (Windy)"
    func run(_ words: String...) async -> Outcome {
      await InProcess.run(words + ["--catalog", catalog.path] + options)
    }
    let diff = await run("diff", "\(before)", "\(head)")
    #expect(diff.output.contains("+ \(line)"), "\(diff)")
    #expect(diff.output.contains("+ id=\(mood) name='Windy'"), "\(diff)")
    let json = try await run("diff", "\(before)", "\(head)", "--format", "json").objects()
    let names = json.reduce(into: [String: [String?]]()) { names, table in
      let rows = table["differences"] as? [[String: Any]] ?? []
      names[table["table"] as? String ?? ""] = rows.map { $0["name"] as? String }
    }
    #expect(names["item_mood"] == ["\(title) · Windy"], "\(json)")
    #expect(names["mood"] == ["Windy"], "\(json)")
    let named = try await run("blame", "item_mood", item, mood, "--format", "json").object()
    #expect(named["name"] as? String == "\(title) · Windy", "\(named)")
    // The row is gone, and its name is that which it had.
    let back = await run("diff", "\(head)", "\(before)")
    #expect(back.output.contains("- \(line)"), "\(back)")

    let chosen = await run(
      "diff", "\(before)", "\(head)", "--table", "mood", "--table", "item_mood")
    #expect(
      chosen.lines.filter { !$0.hasPrefix(" ") }.count == 2 && chosen.status == 2, "\(chosen)")
    let own = await run("diff", "\(before)", "\(head)", "--table", "projection_tagging")
    #expect(own.output.hasPrefix("projection_tagging: 1 added"), "\(own)")
    let none = await run("diff", "\(before)", "\(head)", "--table", "pack")
    #expect(none.status == 0 && none.output == "the same\n", "\(none)")
    #expect(await run("diff", "\(before)", "\(head)", "--table", "nothing").status == 64)

    guard options.isEmpty else { return }
    let changes = await run("changes", "\(before)", "\(head)", "--table", "item_mood")
    #expect(changes.output.contains("+ item_mood \(line)"), "\(changes)")
    let two = await run(
      "changes", "\(before)", "\(head)", "--table", "item_mood", "--table", "mood")
    let listed = two.lines.prefix { $0 != "in all:" }
    #expect(listed.count { $0.hasPrefix("  ") } == 2, "\(two)")
    let row = try await run("history", "row", "item_mood", item, mood, "--format", "json").objects()
    #expect(row.map { $0["name"] as? String } == ["\(title) · Windy"], "\(row)")
    let rows = await run(
      "bisect", "--rows", "SELECT count(*) FROM item_mood WHERE mood_id = \(mood)")
    #expect(rows.output.contains("+ item_mood \(line)"), "\(rows)")
    let blame = await run("blame", "item_mood", item, mood)
    #expect(blame.lines.contains("item_id = '\(item)' (\(title))"), "\(blame)")
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let renamed = await catalog.run("history", "row", "library_item", item)
    #expect(
      renamed.output.contains("~ library_item id='\(item)' (\(title) again) title: '\(title)' → "),
      "\(renamed)")
  }
}
