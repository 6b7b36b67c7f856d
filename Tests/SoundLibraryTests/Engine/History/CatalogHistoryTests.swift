import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Synchronization
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// The history of a catalog, held against states that a replay makes.
@Suite(
  .promise(
    "A state that the history has is the one that a replay makes, and so are differences, "
      + "bisections, series, times and blames",
    by: "brought up to date it is the history of the whole log, on a real kind"))
struct CatalogHistoryTests {
  /// Each table at random moments, and the sums that are kept of it, are those of a database of that moment.
  @Test(
    arguments: Sample.of(
      [601, 602, 603, 604] as [UInt64], atMost: 1, "seeds from 601", isDear: true))
  func everyStateIsTheReplayedOne(seed: UInt64) throws {
    let log =
      seed.isMultiple(of: 2)
      ? try GeneratedHistory(contradictory: seed, events: 1_500)
      : try GeneratedHistory(seed: seed, batches: 200)
    let history = log.catalogHistory
    try history.make()
    var random = SplitMix(seed: seed)
    for _ in 0..<12 {
      let last = try #require(random.pick(log.batches).last).sequence
      try log.expectState(at: last, "seed \(seed), event \(last)")
    }
  }

  /// A history that is brought up to date, in as many steps as may be, is the one that is made of the whole log.
  @Test(
    arguments: Sample.of(
      [611, 612, 613, 614] as [UInt64], atMost: 1, "seeds from 611", isDear: true))
  func broughtUpToDateItIsTheSame(seed: UInt64) throws {
    let isContradictory = seed.isMultiple(of: 2)
    func log(_ part: Double) throws -> GeneratedHistory {
      isContradictory
        ? try GeneratedHistory(contradictory: seed, events: Int(1_400 * part) / 7 * 7)
        : try GeneratedHistory(seed: seed, batches: Int(180 * part))
    }
    let whole = try log(1)
    let made = whole.catalogHistory
    try made.make()
    try whole.expectSum("seed \(seed), made")
    let expected = try whole.versions()
    var path: String?
    for part in [0.2, 0.3, 0.35, 0.9, 1] {
      let step = try log(part)
      let history = step.catalogHistory
      if let path {
        try FileManager.default.copyItem(atPath: path, toPath: history.path)
        try history.catchUp()
        try step.expectSum("seed \(seed), \(part)")
      } else {
        try history.make()
      }
      // Else the file goes with the folder.
      let kept = whole.folder.file("step.sqlite")
      try? FileManager.default.removeItem(atPath: kept)
      try FileManager.default.copyItem(atPath: history.path, toPath: kept)
      path = kept
    }
    let carried = try #require(path)
    try FileManager.default.removeItem(atPath: made.path)
    try FileManager.default.moveItem(atPath: carried, toPath: made.path)
    let found = try whole.versions()
    #expect(found.keys.sorted() == expected.keys.sorted())
    #expect(found.keys.contains { $0.hasPrefix("g2_") }, "no table has several generations")
    for (table, rows) in expected {
      #expect(found[table] == rows, "seed \(seed), \(table)")
    }
    try whole.expectState(
      at: try #require(whole.batches.last?.last).sequence, "seed \(seed), the end")
    let live = whole.folder.file("catalog.sqlite")
    try ProjectionRebuild(whole.log).write(to: live)
    let report = try HistoryVerification(made, of: whole.log, rowLimit: 10).run(
      live: PastDatabase(.live, of: PastStates(whole.log), live: live))
    #expect(report.findings.map(\.message).isEmpty && report.missing == 0, "seed \(seed)")
  }

  /// Differences of two moments in both directions, with the events that made them, are those that replays find.
  @Test(
    arguments: Sample.of([621, 622, 623] as [UInt64], atMost: 1, "seeds from 621", isDear: true))
  func differencesAreThoseOfReplays(seed: UInt64) throws {
    let log = try GeneratedHistory(seed: seed, batches: 90)
    var random = SplitMix(seed: seed)
    for _ in 0..<6 {
      let (one, other) = (random.pick(log.records).sequence, random.pick(log.records).sequence)
      func difference(_ states: PastStates) throws -> [String] {
        func state(_ sequence: UInt64) throws -> PastDatabase {
          try PastDatabase(.sequence(sequence), of: states, live: nil)
        }
        let diff = try HistoryDiff(
          from: state(one), to: state(other), of: SoundLibraryKind(), rowLimit: 50, events: states)
        return diff.tables.flatMap { table in
          ["\(table.name) \(table.added) \(table.removed) \(table.changed)"]
            + table.differences.map {
              "\($0.parts) \($0.event?.sequence ?? 0) \($0.event?.type ?? "")"
            }
        }
      }
      let expected = try difference(PastStates(log.log))
      let found = try difference(log.statesOfHistory())
      #expect(found.count == expected.count, "seed \(seed), \(one) \(other)")
      for (line, wanted) in zip(found, expected) {
        #expect(line == wanted, "seed \(seed), \(one) to \(other)")
      }
    }
  }

  /// A time is the same state by a history, be it of the whole log or of its beginning, as by a walk over the log; the times of
  /// these logs go back.
  @Test(
    arguments: Sample.of([651, 652, 653] as [UInt64], atMost: 1, "seeds from 651", isDear: true))
  func timesAreTheMomentsOfAWalk(seed: UInt64) throws {
    var generator = HistoryGenerator(seed: seed)
    let batches = generator.batches(80)
    let whole = try GeneratedHistory(batches)
    var reversals = 0
    let times = batches.flatMap { [$0[0].at.milliseconds - 1, $0[0].at.milliseconds] }
    let walked = times.map { time in
      (time, try? Moment.time(Timestamp(milliseconds: time)).found(in: whole.log))
    }
    for count in [1, 30, 79, 80] {
      let part = try GeneratedHistory(Array(batches.prefix(count)))
      let history = part.catalogHistory
      try history.make()
      let kept = whole.folder.file("history.sqlite")
      try? FileManager.default.removeItem(atPath: kept)
      try FileManager.default.copyItem(atPath: history.path, toPath: kept)
      let states = PastStates(whole.log, history: whole.catalogHistory)
      for (time, expected) in walked {
        let found = try? states.found(.time(Timestamp(milliseconds: time)))
        #expect(found == expected, "seed \(seed), \(count), \(time)")
        if expected?.reversal != nil { reversals += 1 }
      }
    }
    #expect(reversals > 0)
  }

  /// A question is answered as by replays: halving, walking, and for SQL that only a database answers.
  @Test(arguments: Sample.of([631, 632] as [UInt64], "seeds from 631", isDear: true))
  func bisectionsAreThoseOfReplays(seed: UInt64) throws {
    let log = try GeneratedHistory(seed: seed, batches: 60)
    let last = try #require(log.records.last).sequence
    let questions = [
      "SELECT count(*) FROM item_mood", "SELECT max(title) FROM library_item",
      "SELECT count(*) % 3 FROM item_mood", "SELECT NOT count(*)>=-20+30 AND 1 FROM item_mood",
      "SELECT 100 / (count(*) - 5) FROM mood", "SELECT 0 - - count(*) >> 1 <> 3 FROM mood",
      "SELECT count(*) > 20 FROM library_item WHERE is_visible",
      "SELECT max(rowid) FROM library_item", "SELECT count(*) FROM main.mood",
      "SELECT sequence FROM projection_checkpoint", "SELECT count(*) FROM projection_conflict",
      "SELECT count(*) FROM library_item AS i WHERE i.kind <> 'sfx' OR length(title) > 20 -- items",
      "SELECT count(*) FROM item_mood WHERE mood_id IN (SELECT id FROM mood WHERE name > 'm')",
      "SELECT count(*) FROM library_item WHERE 1 AND id IN mood;",
      "SELECT count(*) FROM item_mood JOIN library_item ON id = item_id WHERE is_visible",
      "SELECT name FROM mood ORDER BY sort_order DESC, name LIMIT 1", "SELECT 7",
      "SELECT count(*) FROM mood WHERE id IN mood AND name > 'm'",
      "SELECT max(title), 1 FROM library_item AS i WHERE i.kind <> 'sfx' GROUP BY kind ORDER BY 1 LIMIT 1",
      "SELECT group_concat(name) FROM mood WHERE length(name) > 5 -- long",
      "SELECT title IS DISTINCT FROM 'a' FROM library_item WHERE title > 'm' ORDER BY id;",
    ]
    let rows = try log.past(last).read { database in
      try String.fetchAll(database, sql: "SELECT id FROM library_item ORDER BY title LIMIT 3")
    }.map { "SELECT title || is_visible FROM library_item WHERE id = '\($0)' LIMIT 1" }
    let replays = try log.batches.map { try log.past($0[0].sequence) }
    // A history that is there, and one that is made for the question.
    let asked = [try log.statesOfHistory(), PastStates(log.log)]
    for sql in rows + Sample.of(questions, atMost: 9, "questions of seed \(seed)") {
      guard let answers = try? replays.map({ try Self.answer(to: sql, $0) }) else { continue }
      var points: [String] = []
      var changes: [String] = []
      for (place, (batch, answer)) in zip(log.batches, answers).enumerated()
      where place == 0 || answers[place - 1] != answer {
        let range = BatchRange(
          firstSequence: batch[0].sequence, lastSequence: batch[batch.count - 1].sequence)
        points.append("\(range) \(batch.map(\.at).max()!) \(answer)")
        if place > 0 { changes.append("\(range) \(answers[place - 1]) \(answer)") }
      }
      for states in asked {
        let bisection = Bisection(sql, in: states)
        let series = try bisection.series(from: 1, through: last)
        #expect(series.map { "\($0.batch) \($0.at) \($0.value)" } == points, "\(sql)")
        let scan = try bisection.scan(from: 1, through: last)
        #expect(scan.map { "\($0.batch) \($0.before) \($0.after)" } == changes, "\(sql)")
        guard answers[0] != answers[answers.count - 1] else {
          #expect(throws: CatalogError.self) { try bisection.run(good: 1, bad: last) }
          continue
        }
        let found = try bisection.run(good: 1, bad: last)
        let change = found.change
        #expect(changes.contains("\(change.batch) \(change.before) \(change.after)"), "\(sql)")
        #expect(change.before == answers[0] && change.after != answers[0], "\(sql)")
        #expect(found.last == answers[answers.count - 1] && found.states == answers.count)
        let place = try #require(
          log.batches.firstIndex { $0[0].sequence == change.batch.firstSequence })
        let difference = try HistoryDiff(
          from: replays[place - 1], to: replays[place], of: log.log.kind, rowLimit: .max,
          events: nil)
        let rows = difference.tables.flatMap { table in
          table.differences.map { "\(table.name) \($0.before ?? []) \($0.after ?? [])" }
        }
        func stored(_ row: [Value]?) -> [StoredValue] { (row ?? []).map(StoredValue.init) }
        let written = found.rows.map {
          "\($0.table.name) \(stored($0.before)) \(stored($0.after))"
        }
        #expect(Set(written) == Set(rows), "\(sql)")
      }
    }
  }

  /// The first value of the first row.
  private static func answer(to sql: String, _ state: PastDatabase) throws -> StoredValue {
    var value: StoredValue?
    try state.forEachRow(of: sql, until: nil) { _ in
    } _: { row in
      value = value ?? row[0]
    }
    return value ?? .null
  }

  /// The answer of a statement over rows of one table is asked for after the batches alone that changed one of these rows.
  @Test func onlyBatchesThatChangedTheRowsAreAsked() throws {
    let log = try GeneratedHistory(seed: 633, batches: 60)
    let last = try #require(log.records.last).sequence
    let history = try log.statesOfHistory().openHistory(through: last)
    let table = try #require(log.log.kind.schema.tables.first { $0.name == "library_item" })
    let all = try history.batches(from: 1, through: last)
    let ids = try log.past(last).read {
      try String.fetchAll($0, sql: "SELECT id FROM library_item LIMIT 5")
    }
    for id in ids {
      let key = Value.id(try #require(EntityID(id)))
      let versions = try history.versions(of: table, key: [key], through: last)
      let events = Set(versions.flatMap { [$0.from, $0.to].compactMap(\.self) })
      let expected = all.filter { batch in
        batch == all.first
          || events.contains { batch.firstSequence <= $0 && $0 <= batch.lastSequence }
      }
      for rest in ["", " ORDER BY title", " GROUP BY kind HAVING 1 LIMIT 4;"] {
        let found = try history.batches(
          from: 1, through: last,
          thatMayChange: "SELECT title FROM library_item WHERE id = '\(id)'" + rest)
        #expect(found == expected && found.count < all.count, "\(id)")
      }
    }
  }

  /// A statement that counts the rows of one table takes one pass over their versions, and no other one does.
  @Test func onlyACountOfOneTableIsCountedInOnePass() throws {
    let log = try GeneratedHistory(seed: 661, batches: 40)
    let last = try #require(log.records.last).sequence
    let history = try log.statesOfHistory().openHistory(through: last)
    for (sql, isOne) in [
      ("SELECT count(*) FROM mood", true), ("select COUNT ( * ) from Mood m;", true),
      ("SELECT count(*) FROM mood AS m WHERE m.name > 'm' -- (", true),
      ("SELECT count(*) FROM mood WHERE name = 'select' OR name = ';'", true),
      ("SELECT count(*) FROM mood WHERE id IN library_item", false),
      ("SELECT count(*) FROM mood WHERE id IN (SELECT 1)", false),
      ("SELECT count(*) FROM mood, location", false), ("SELECT count(*) + 1 FROM mood", true),
      ("SELECT 5 <= count(*) AND NOT (1) FROM mood WHERE name > 'm'", true),
      ("SELECT count(*) + count(*) FROM mood", false), ("SELECT 1 FROM mood", false),
      ("SELECT count(*), 1 FROM mood", false), ("SELECT count(*) > id FROM mood", false),
      ("SELECT count(*) FROM mood JOIN location", false), ("SELECT count(id) FROM mood", false),
      ("SELECT count(*) FROM mood WHERE name > 'm' GROUP BY id", false),
      ("SELECT count(*) FROM mood WHERE rowid > 1", false),
      ("SELECT count(*) FROM mood_history", false), ("SELECT count(*) FROM absent", false),
      ("SELECT count(*) FROM mood WHERE", false), ("SELECT count(*) FROM mood WHERE _to", false),
    ] {
      let counts = try? history.answers(ofCounting: sql, from: 1, through: last) {}
      #expect((counts != nil) == isOne, "\(sql)")
    }
  }

  /// It is compared with its log once, and again if another program wrote to it.
  @Test func aHistoryThatChangesBetweenTwoQuestionsIsLookedAtAgain() throws {
    let log = try GeneratedHistory(seed: 671, batches: 20)
    let last = try #require(log.records.last).sequence
    let history = log.catalogHistory
    try history.make()
    let notes = Mutex<[String]>([])
    let states = PastStates(log.log, history: history) { _ in
    } note: { note in
      notes.withLock { $0.append("\(note)") }
    }
    let counts = Bisection("SELECT count(*) FROM item_mood", in: states)
    let before = try counts.series(from: 1, through: last).map { "\($0.batch) \($0.value)" }
    #expect(notes.withLock { $0.isEmpty })
    let shell = try Program(
      "sqlite3", history.path, "UPDATE history_step SET added = added + 1; PRAGMA journal_mode")
    try #require(shell.status == 0, "\(shell)")
    let after = try counts.series(from: 1, through: last).map { "\($0.batch) \($0.value)" }
    #expect(after == before)
    let words = "another program or a fault of the disk changed it"
    #expect(notes.withLock { $0.count == 1 && $0[0].contains(words) })
  }

  /// A process that has to wait for another one, or to make the history, has all of its time afterwards.
  @Test(.timeLimit(.minutes(5))) func theTimeBeginsOnceTheHistoryIsThere() async throws {
    let log = try GeneratedHistory(seed: 661, batches: 5)
    let last = try #require(log.records.last).sequence
    let directory = CatalogDirectory(log.folder.path)
    let isWaiting = Mutex(false)
    let states = PastStates(
      log.log,
      history: CatalogHistory(directory, log.log) { progress in
        if progress.phase == .waiting { isWaiting.withLock { $0 = true } }
      })
    let lock = try HeldLock(folder: directory.path)
    async let ready = Blocking.run { try states.ready(through: last, within: .seconds(1_000)) }
    try await Wait.until("a wait") { isWaiting.withLock { $0 } }
    let released = ContinuousClock.now
    lock.release()
    let limit = try #require(try await ready.log.limit)
    #expect(ContinuousClock.now + limit.remaining >= released + .seconds(1_000))
  }

  /// Every row that ever was, at its end and at a moment before, has the events that a replay finds.
  @Test(
    arguments: Sample.of([641, 642, 643] as [UInt64], atMost: 1, "seeds from 641", isDear: true))
  func blamesAreThoseOfReplays(seed: UInt64) throws {
    let log =
      seed == 643
      ? try GeneratedHistory(contradictory: seed, events: 500)
      : try GeneratedHistory(seed: seed, batches: 60)
    var random = SplitMix(seed: seed)
    let states = try log.statesOfHistory()
    let keys = try log.versions()
    for _ in 0..<40 {
      let table = random.pick(log.log.kind.schema.tables)
      let rows = try #require(keys["g0_\(table.name)"])
      guard !rows.isEmpty else { continue }
      let row = random.pick(rows)
      let key = try #require(table.key(from: table.key.map { row[$0] }))
      let through = random.below(2) == 0 ? log.records.count : 1 + random.below(log.records.count)
      let last = try log.log.batch(containing: UInt64(through)).lastSequence
      func blame(_ states: PastStates?) -> String {
        do {
          let blame = try Blame(table, key: key, in: log.log, through: last, from: states)
          return ([blame.row] + blame.related.map(\.row)).map(Self.text).joined(separator: "\n")
            + blame.related.map { "\($0.relation.name) \($0.name)" }.joined(separator: "\n")
        } catch {
          return "\(error)"
        }
      }
      #expect(blame(states) == blame(nil), "seed \(seed), \(table.name) \(key) at \(last)")
    }
  }

  private static func text(_ row: Blame.Row) -> String {
    row.columns.map { "\($0.name) \($0.value) \($0.event) \($0.before.map { "\($0)" } ?? "new")" }
      .joined(separator: "\n") + "\(row.removed.map { "\($0)" } ?? "")"
  }
}

extension GeneratedHistory {
  /// States that the history answers for.
  func statesOfHistory() throws -> PastStates {
    let history = catalogHistory
    try history.make()
    return PastStates(log, history: history)
  }

  /// Makes many generations of few rows.
  private static let rule = GenerationRule(leastEnded: 12)

  var catalogHistory: CatalogHistory {
    CatalogHistory(CatalogDirectory(folder.path), log, rule: Self.rule)
  }

  /// Compares the sum that the history's file has with that of its rows.
  fileprivate func expectSum(_ comment: Comment) throws {
    let versions = HistorySchema(log.kind.schema, log.kind.fingerprint, Self.rule)
    try ReadOnlyDatabase.read(own: folder.file("history.sqlite")) { database in
      let proof = HistoryProof(versions, database)
      let (kept, sum) = (try HistoryMark.sum(database), try proof.sum())
      #expect(kept == sum, comment)
      let problems = try proof.structureProblems(atMost: 3)
      #expect(problems.isEmpty, comment)
      let isWhole = try proof.isWhole()
      #expect(isWhole, comment)
    }
  }

  /// Compares a state that the history has with the one that a replay makes.
  fileprivate func expectState(at sequence: UInt64, _ comment: Comment) throws {
    let schema = log.kind.schema
    let replayed = folder.file("replayed.sqlite")
    try? FileManager.default.removeItem(atPath: replayed)
    try ProjectionRebuild(log, through: sequence).write(to: replayed)
    let expected = try ReadOnlyDatabase.read(own: replayed) { database in
      try schema.tables.map { table in
        (
          try TableDigest(of: table, in: database),
          try RunningDigests.sums(of: table.name, database).values
            .reduce(into: RowSum()) { $0.add($1) }
        )
      }
    }
    let versions = HistorySchema(schema, log.kind.fingerprint, Self.rule)
    let history = try #require(
      try HistoryDatabase(folder.file("history.sqlite"), versions, through: sequence))
    try history.read { database in
      let names = schema.tables.map(\.name).joined(separator: " ")
      try HistoryViews(versions, history.generations).make(for: names, at: sequence, database)
      for (table, (digest, sum)) in zip(schema.tables, expected) {
        #expect(try TableDigest(of: table, in: database) == digest, comment)
        let kept = try PreparedStatement(
          database,
          "SELECT rows, digest FROM history_step WHERE tbl = ? AND last <= ? ORDER BY last DESC")
        try kept.bind(.integer(Int64(table.ordinal)), at: 1)
        try kept.bind(.integer(Int64(sequence)), at: 2)
        let found = try kept.step() ? RunningDigests.sum(kept, 0) : RowSum()
        #expect(found == sum, comment)
      }
    }
  }

  /// All rows of the history's tables, as SQLite writes them, but for the numbers of versions and for the versions that an
  /// index lacks, which depend on how the history was made.
  fileprivate func versions() throws -> [String: [[StoredValue]]] {
    try ReadOnlyDatabase.read(own: folder.file("history.sqlite")) { database in
      var tables: [String: [[StoredValue]]] = [:]
      let names = try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%checkpoint'")
      for table in names {
        let columns = try database.columns(in: table).map(\.name)
          .filter { $0 != "_vid" && $0 != "indexed_after" }
        let statement = try PreparedStatement(
          database, "SELECT \(columns.joined(separator: ", ")) FROM \(table)")
        var rows: [[StoredValue]] = []
        while try statement.step() {
          rows.append(columns.indices.map { StoredValue(statement.cell($0)) })
        }
        tables[table] = rows.sorted { "\($0)" < "\($1)" }
      }
      return tables
    }
  }
}
