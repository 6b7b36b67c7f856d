import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import NotesKind
import PastViewsTestSupport
import Projections
import Promises
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// SQL at a moment: the history answers it as the database of that moment does.
@Suite(
  .promise(
    "Generated statements have at a moment the answers of the database of that moment",
    by: "480 statements with joins, aggregates, windows, CTEs and subqueries; on a real kind"))
struct HistoryQueryTests {
  /// A log, its history, and what replays say.
  private struct Trial {
    let log: GeneratedHistory
    let states: PastStates

    init(seed: UInt64, batches: Int) throws {
      log = try GeneratedHistory(seed: seed, batches: batches)
      let history = CatalogHistory(
        CatalogDirectory(log.folder.path), log.log, rule: GenerationRule(leastEnded: 12))
      try history.make()
      states = PastStates(log.log, history: history)
    }

    var last: UInt64 { log.batches.last?.last?.sequence ?? 0 }

    /// The end of a batch before most of the events.
    var middle: UInt64 {
      get throws { try log.log.batch(containing: max(1, last * 2 / 5)).lastSequence }
    }

    /// The state after a batch, in a file as `materialize` writes it.
    func file(at sequence: UInt64) throws -> PastDatabase {
      let path = log.folder.file("state-\(sequence).sqlite")
      if !log.folder.exists("state-\(sequence).sqlite") {
        try PastStates(log.log).write(through: sequence, to: path)
      }
      return try PastDatabase(file: path)
    }

    func past(at sequence: UInt64) throws -> PastDatabase {
      try PastDatabase(.sequence(sequence), of: states, live: nil)
    }

    /// Asks both, and compares their answers.
    func expectTheSame(_ sql: String, at sequence: UInt64) throws {
      let expected = try file(at: sequence).sortedAnswer(to: sql)
      let found = try past(at: sequence).sortedAnswer(to: sql)
      #expect(found == expected, "event \(sequence): \(sql)")
    }

    /// Whether the history answers by itself.
    func isAnsweredByHistory(_ sql: String, at sequence: UInt64) throws -> Bool {
      let (history, _) = try #require(try past(at: sequence).history())
      return try history.run(sql, at: sequence) { _, _ in } != nil
    }

    /// The columns, then the rows in an order of their own.
    static func rows(of statement: Statement) throws -> [String] {
      var rows: [String] = []
      let cursor = try Row.fetchCursor(statement)
      while try cursor.next() != nil {
        rows.append("\(statement.columnNames.indices.map { StoredValue(statement, at: $0) })")
      }
      return ["\(statement.columnNames)"] + rows.sorted()
    }

  }

  // MARK: Generated statements

  /// The history gives its own columns other names.
  @Test func aTableMayHaveTheColumnsOfAHistory() async throws {
    let folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("ledger"))
    let catalog = try await EventCatalog.open(directory, Ledger())
    defer { catalog.close() }
    try await catalog.create(by: "test")
    for balance in [5, 9] {
      try await catalog.change(by: "test") { _ in [Ledger.Entry(account: 1, balance: balance)] }
    }
    let log = CatalogLog(EventLogReader(directory: directory.events), Ledger())
    let history = CatalogHistory(directory, log)
    let past = try PastDatabase(
      .sequence(3), of: PastStates(log, history: history), live: nil)
    #expect(try past.history() != nil)
    #expect(
      try past.sortedAnswer(to: "SELECT * FROM account") == ["[\"number\", \"_to\"]", "[1, 9]"])
    #expect(
      try past.sortedAnswer(to: "SELECT _to, __from, __to, __at IS NULL FROM account_history") == [
        "[\"_to\", \"__from\", \"__to\", \"__at IS NULL\"]", "[5, 2, 3, 0]", "[9, 3, NULL, 0]",
      ])
  }

  /// Every statement is answered by the history itself. `ViewsTrial` asks those of the other kinds.
  @Test(arguments: [701, 702, 703] as [UInt64])
  func generatedStatementsHaveTheAnswersOfTheDatabase(seed: UInt64) throws {
    let trial = try Trial(seed: seed, batches: 160)
    var random = SplitMix(seed: seed)
    var (rows, answers) = (0, 0)
    for _ in 0..<4 {
      let last = try #require(random.pick(trial.log.batches).last).sequence
      let expected = try trial.file(at: last)
      let (history, _) = try #require(try trial.past(at: last).history())
      var generator = try expected.read {
        try QueryGenerator(SoundLibrarySchema.schema, valuesOf: $0, seed: random.next())
      }
      for _ in 0..<40 {
        let sql = generator.next()
        let wanted = try expected.sortedAnswer(to: sql)
        let found = try history.run(sql, at: last) { statement, _ in try Trial.rows(of: statement) }
        #expect(found == wanted, "seed \(seed), event \(last): \(sql)")
        rows += wanted.count - 1
        answers += wanted.count > 1 ? 1 : 0
      }
    }
    // Else the statements ask for nothing.
    #expect(rows > 500 && answers > 100, "seed \(seed): \(rows) rows, \(answers) answers")
  }

  // MARK: What a view is not

  /// A qualified name, row ids, the schema, statistics and hints of indexes are those of tables: a replay answers.
  @Test(arguments: [
    "SELECT count(*) FROM main.library_item", "SELECT name FROM \"main\".mood",
    "SELECT name FROM main . mood", "SELECT m.name FROM mood AS m JOIN main.mood AS n USING (id)",
    "SELECT max(rowid), min(_rowid_), count(oid) FROM library_item",
    "SELECT i.rowid FROM library_item AS i ORDER BY i.ROWID LIMIT 3",
    "SELECT id FROM library_item WHERE rowid = 1",
    "SELECT id FROM library_item ORDER BY (SELECT rowid FROM mood LIMIT 1)",
    "SELECT name FROM sqlite_schema WHERE type = 'table'", "SELECT count(*) FROM sqlite_master",
    "SELECT * FROM sqlite_stat1", "SELECT count(*) FROM temp.mood", "SELECT * FROM TEMP.mood",
    "SELECT count(*) FROM temp.sqlite_schema", "SELECT count(*) FROM g0_mood",
    "SELECT * FROM history_step", "PRAGMA table_info(mood)", "SELECT * FROM pragma_table_list",
    "EXPLAIN QUERY PLAN SELECT * FROM mood",
    "SELECT count(*) FROM library_item INDEXED BY \(index) WHERE \(indexed) > ''",
    "SELECT count(*) FROM library_item INDEXED BY no_such_index",
    "SELECT count(*) FROM library_item NOT INDEXED", "SELECT _from FROM mood",
    "SELECT count(*) FROM nothing", "SELECT nothing FROM mood", "SELECT", "DELETE FROM mood",
    "SELECT count(*) FROM mood; DELETE FROM mood",
  ])
  func whatAViewDoesNotHaveIsAskedOfTables(sql: String) throws {
    let trial = try Self.trap.get()
    for moment in try [trial.middle, trial.last] { try trial.expectTheSame(sql, at: moment) }
  }

  private static let (index, indexed) = {
    let table = SoundLibrarySchema.libraryItem
    let index = table.indexes.first { $0.name != nil }
    return (index?.name ?? "", index.map { table.columns[$0.columns[0]].name } ?? "")
  }()

  /// Cases that run at once share its states, so these are made before.
  private static let trap = Result {
    let trial = try Trial(seed: 711, batches: 50)
    for moment in try [trial.middle, trial.last] { _ = try trial.file(at: moment) }
    return trial
  }

  /// A name of a table in another role asks for rows alone.
  @Test(arguments: [
    "WITH mood AS (SELECT 'own' AS name) SELECT name FROM mood",
    "WITH library_item(id) AS (VALUES (1), (2)) SELECT count(*) FROM library_item",
    "SELECT mood.name FROM (SELECT 'x' AS name) AS mood", "SELECT 'mood', \"mood\".name FROM mood",
    "SELECT [mood].[name] FROM [MOOD] -- main.mood", "SELECT count(*) AS mood FROM item_mood",
    "SELECT sequence FROM projection_checkpoint", "SELECT count(*) FROM projection_conflict",
  ])
  func namesOfTablesInOtherRolesAreAnsweredByTheHistory(sql: String) throws {
    let trial = try Self.trap.get()
    try trial.expectTheSame(sql, at: trial.last)
    #expect(try trial.isAnsweredByHistory(sql, at: trial.last) || sql.contains("main."))
  }

  /// A full-text index that is made for a statement takes of the time that the statement has.
  @Test func aFullTextIndexIsMadeWithinTheTimeLimit() throws {
    let trial = try Self.trap.get()
    let (history, _) = try #require(try trial.past(at: trial.last).history())
    let sql = "SELECT count(*) FROM projection_item_search WHERE projection_item_search MATCH 'a*'"
    let limit = StatementLimit(TimeLimit(.zero), .current, interrupting: history.interrupt)
    #expect(throws: CatalogError.self) {
      try history.run(sql, at: trial.last, until: limit) { _, _ in Issue.record("it was prepared") }
    }
    // The next question makes it anew.
    try trial.expectTheSame(sql, at: trial.last)
    #expect(try trial.isAnsweredByHistory(sql, at: trial.last))
  }

  /// The time may end before the statement's first step, when SQLite forgets an interruption.
  @Test(.timeLimit(.minutes(2))) func aStatementWithoutAnEndIsStoppedWheneverItsTimeEnds() throws {
    let database = try DatabaseQueue()
    let sql =
      "WITH RECURSIVE number(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM number) SELECT count(*) FROM number"
    for time in 0..<60 {
      let limit = StatementLimit(
        TimeLimit(.microseconds(50 * time)), .current, interrupting: database.interrupt)
      #expect(throws: CatalogError.self) {
        try database.read { database in
          try limit.run(in: database) { _ = try Int.fetchOne(database, sql: sql) }
        }
      }
    }
    // Nothing that comes afterwards is interrupted.
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }

  /// A connection that was asked at one moment has no view of it left for the next statement.
  @Test func oneConnectionAnswersAtManyMoments() throws {
    let trial = try Trial(seed: 712, batches: 40)
    let (history, _) = try #require(try trial.past(at: trial.last).history())
    var random = SplitMix(seed: 712)
    for _ in 0..<30 {
      let last = try #require(random.pick(trial.log.batches).last).sequence
      let sql = random.pick([
        "SELECT count(*) FROM library_item", "SELECT count(*), max(name) FROM mood",
        "SELECT count(*) FROM item_mood JOIN mood ON id = mood_id",
      ])
      let found = try history.run(sql, at: last) { statement, _ in try Trial.rows(of: statement) }
      #expect(try found == trial.file(at: last).sortedAnswer(to: sql), "event \(last): \(sql)")
    }
  }

  // MARK: Moments

  /// Event 1 creates the catalog: its tables are empty. Before that there is no moment, with and without a history.
  @Test func momentsBeforeTheFirstRows() throws {
    let trial = try Trial(seed: 713, batches: 20)
    let first = try trial.log.log.batch(containing: 1).lastSequence
    for sql in ["SELECT count(*) FROM library_item", "SELECT * FROM projection_checkpoint"] {
      try trial.expectTheSame(sql, at: first)
    }
    for states in [trial.states, PastStates(trial.log.log)] {
      for sequence in [0, trial.last + 1] {
        let error = #expect(throws: CatalogError.self) {
          try PastDatabase(.sequence(sequence), of: states, live: nil)
        }
        #expect(error?.code == .noMoment)
      }
      let nothing = try PastDatabase(behind: 0, of: states)
      #expect(
        try nothing.sortedAnswer(to: "SELECT count(*) FROM library_item") == [
          "[\"count(*)\"]", "[0]",
        ])
    }
    // A version that begins later is in no list of an earlier moment.
    let history = try trial.past(at: first)
    #expect(
      try history.sortedAnswer(to: "SELECT id FROM library_item_history") == ["[\"id\"]"])
  }

  /// An event that writes the row which is there already makes no version, nor does a batch that changes it back.
  @Test func aRowThatIsWrittenAgainHasOneVersion() throws {
    func order(_ place: Int64) -> SoundEvent {
      .dimensionValueOrdered(
        DimensionValueOrdered(dimension: .moods, id: 1, name: "Calm", sortOrder: place))
    }
    let added = SoundEvent.dimensionValueAdded(
      DimensionValueAdded(dimension: .moods, id: 1, name: "Calm", sortOrder: 1, isSystem: true))
    var sequence: UInt64 = 0
    let batches = [[added], [added], [order(1)], [order(2)], [order(3), order(2)], [order(2)]]
      .map { events in
        events.map { event in
          sequence += 1
          return SoundEventRecord(
            sequence: sequence, at: Timestamp(milliseconds: Int64(sequence) * 1_000),
            operation: EntityID(high: 0, low: sequence), by: "test", event: event)
        }
      }
    let log = try GeneratedHistory(batches)
    let history = CatalogHistory(
      CatalogDirectory(log.folder.path), log.log, rule: GenerationRule(leastEnded: 12))
    for isMade in [true, false] {
      if isMade {
        try history.make()
      } else {
        // Brought up to date from its first batch on.
        try history.remove()
        let short = try GeneratedHistory(Array(batches.prefix(1)))
        let first = CatalogHistory(CatalogDirectory(short.folder.path), short.log)
        try first.make()
        try FileManager.default.copyItem(atPath: first.path, toPath: history.path)
        try history.catchUp()
      }
      let past = try PastDatabase(
        .sequence(sequence), of: PastStates(log.log, history: history), live: nil)
      #expect(
        try past.sortedAnswer(to: "SELECT _from, _to, sort_order FROM mood_history") == [
          "[\"_from\", \"_to\", \"sort_order\"]", "[2, 4, 1]", "[4, NULL, 2]",
        ])
    }
  }
}
