import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// Looking back: generated histories, held against plain models at random positions.
@Suite(
  .promise(
    "The catalog as it was, the event behind each cell, and the changes between two "
      + "moments are what plain models find",
    by: "generated histories at random positions, on a real kind"),
  .promise(
    "A time means the last batch of the log that is not later; a moment that is rounded or "
      + "ambiguous is reported as such",
    by: "generated histories, on a real kind"),
  .promise(
    "`query` prints rows without end in constant memory; what is too large or too long is "
      + "an error and not a signal",
    by: "on a real kind"))
struct HistoryTests {
  @Test(arguments: Sample.of([501, 502, 503, 504] as [UInt64], atMost: 1, "seeds from 501"))
  func theCatalogAsItWasIsTheModels(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 80)
    var random = SplitMix(seed: seed)
    for _ in 0..<8 {
      let count = 2 + random.below(history.batches.count - 2)
      var model = LibraryModel()
      for record in history.batches.prefix(count).joined() { model.apply(record) }
      // Any event of the last batch stands for all of it.
      let asked = random.pick(history.batches[count - 1]).sequence
      let past = try history.past(asked)
      #expect(past.sequence == history.batches[count - 1].last?.sequence)
      try past.read { database in
        let titles = try String.fetchAll(database, sql: "SELECT id || title FROM library_item")
        #expect(
          Set(titles) == Set(model.items.values.map { "\($0.id)\($0.title)" }), "seed \(seed)")
        for dimension in TagDimension.all {
          let tags = try String.fetchAll(
            database,
            sql: "SELECT item_id || ' ' || \(dimension.joinColumn) FROM \(dimension.joinTable)")
          let expected = model.items.keys.flatMap { item in
            model.shown(item).filter { $0.dimension == dimension }.map { "\(item) \($0.id)" }
          }
          #expect(Set(tags) == Set(expected), "seed \(seed), event \(asked)")
        }
      }
    }
  }

  /// Thousands of events, replayed to random positions by another program in another language: written as
  /// pages, and with the later events applied row by row.
  @Test(arguments: Sample.of([506, 507] as [UInt64], atMost: 1, "seeds from 506"))
  func theCatalogAsItWasIsWhatAnIndependentReplayMakes(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 600)
    #expect(history.records.count > 2_000)
    var random = SplitMix(seed: seed)
    for index in 0..<3 {
      let sequence = history.records.count / 3 + random.below(history.records.count * 2 / 3)
      let last = try history.log.batch(containing: UInt64(sequence)).lastSequence
      var lines: [UInt8] = []
      for record in history.records.prefix(Int(last)) {
        lines += EventEncoder().encode(record) + [0x0A]
      }
      let events = try history.folder.write(lines, to: "events-\(index).jsonl")
      let plain = history.folder.file("plain-\(index).sqlite")
      let carried = history.folder.file("carried-\(index).sqlite")
      try ProjectionRebuild(history.log, through: last).write(to: plain)
      try IncrementalReplay(
        history.log, through: last, carrying: last - UInt64(history.records.count / 3)
      ).write(to: carried)
      for database in [plain, carried] {
        let reduced = try Program(
          "python3", "Tools/reducer.py", events, database, in: ScratchFolder.repository)
        #expect(
          reduced.status == 0, "seed \(seed), event \(last): \(reduced.output)\(reduced.errors)")
      }
    }
  }

  @Test func aTimeIsTheEndOfTheLastBatchThatIsNotLater() throws {
    let history = try GeneratedHistory(seed: 511, batches: 40)
    for batch in history.batches {
      let time = batch[0].at
      let expected = history.batches.last { $0.allSatisfy { $0.at <= time } }?.last?.sequence
      #expect(try Moment.time(time).found(in: history.log).sequence == expected)
    }
    let earliest = try #require(history.records.map(\.at).min())
    for moment in [
      Moment.time(Timestamp(milliseconds: earliest.milliseconds - 1)), .sequence(0),
      .sequence(history.records[history.records.count - 1].sequence + 1),
    ] {
      let error = #expect(throws: CatalogError.self) { try moment.found(in: history.log) }
      #expect(error?.code == .noMoment)
    }
  }

  /// Reads every watched row after every event, instead of listening to what a projector writes.
  @Test(arguments: Sample.of([521, 522, 523] as [UInt64], atMost: 1, "seeds from 521"))
  func blameOfEveryCellIsWhatASearchFinds(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 60)
    var random = SplitMix(seed: seed)
    let all = MemoryRowStore(schema: SoundLibrarySchema.schema)
    for record in history.records {
      try SoundLibraryProjector().applyWithoutConflict(record, to: all)
    }
    let ids = Set(
      history.records.compactMap { record -> EntityID? in
        if case .itemUpserted(let event) = record.event { return event.id }
        return nil
      }
    ).sorted()
    let values = history.records.compactMap { record -> (TagDimension, Int64)? in
      guard case .dimensionValueAdded(let event) = record.event else { return nil }
      return (event.dimension, event.id)
    }
    for _ in 0..<6 {
      let key: [Value] = [.id(random.pick(ids))]
      let table = SoundLibrarySchema.libraryItem
      let blame = try Blame(table, key: key, in: history.log)
      let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
      var row: [Value]?
      var events: [UInt64] = []
      // When each tag came or went last, and whether it is there.
      var tags: [String: (event: UInt64, isThere: Bool)] = [:]
      // Those that were there at the end of a batch.
      var kept: Set<String> = []
      let ends = Set(history.batches.compactMap(\.last?.sequence))
      for record in history.records {
        try SoundLibraryProjector().applyWithoutConflict(record, to: store)
        let now = try store.row(in: table, key: key)
        if let now {
          if events.isEmpty { events = now.map { _ in record.sequence } }
          for index in now.indices where row.map({ $0[index] != now[index] }) ?? false {
            events[index] = record.sequence
          }
        }
        row = now
        for (dimension, value) in values {
          let join = SoundLibrarySchema.join(of: dimension)
          let isThere = try store.row(in: join, key: [key[0], .integer(value)]) != nil
          let tag = "\(dimension.key) \(value)"
          if isThere != (tags[tag]?.isThere ?? false) { tags[tag] = (record.sequence, isThere) }
          if isThere, ends.contains(record.sequence) { kept.insert(tag) }
        }
      }
      let blamed = blame.related.compactMap { tag -> String? in
        guard case .integer(let value) = tag.row.key[1],
          let event = tag.row.columns.last?.event ?? tag.row.removed
        else { return nil }
        return "\(tag.relation.name) \(value) \(event.sequence) \(tag.row.removed == nil)"
      }
      #expect(
        Set(blamed)
          == Set(
            tags.filter { kept.contains($0.key) }
              .map { "\($0.key) \($0.value.event) \($0.value.isThere)" }),
        "seed \(seed)")
      #expect(blame.row.columns.map(\.value) == row, "seed \(seed)")
      #expect(blame.row.columns.map(\.event.sequence) == events, "seed \(seed)")
    }
  }

  @Test(arguments: Sample.of([531, 532, 533, 534] as [UInt64], atMost: 1, "seeds from 531"))
  func aDifferenceAppliedToTheOlderStateGivesTheNewer(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 70)
    var random = SplitMix(seed: seed)
    for _ in 0..<5 {
      let one = random.pick(history.records).sequence
      let other = random.pick(history.records).sequence
      let old = try history.past(one)
      let new = try history.past(other)
      let diff = try HistoryDiff(
        from: old, to: new, of: SoundLibraryKind(), rowLimit: .max,
        events: PastStates(history.log))
      for table in SoundLibrarySchema.schema.tables {
        var rows = try Self.rows(table, old)
        for difference in diff.tables.first(where: { $0.name == table.name })?.differences ?? [] {
          for part in difference.parts {
            switch part.kind {
            case .missing: rows[part.key] = nil
            case .unexpected: rows[part.key] = part.row
            case .changed(let column, let value, _):
              rows[part.key]?[table.index(of: column)!] = value
            }
            let row = rows[part.key]
            #expect(part.changedColumn != nil || row == difference.after)
          }
          #expect(difference.parts.first.map { rows[$0.key] } == difference.after)
          // Some event of the history did it.
          #expect(difference.event != nil, "seed \(seed)")
        }
        #expect(try rows == Self.rows(table, new), "seed \(seed): \(one) to \(other)")
      }
    }
  }

  /// Every threshold of a number that only grows turns once: halving finds what walking finds, and what
  /// counting events by hand finds.
  @Test(arguments: Sample.of([541, 542, 543] as [UInt64], atMost: 1, "seeds from 541"))
  func halvingFindsTheOneTurnThatAWalkFinds(seed: UInt64) throws {
    let history = try GeneratedHistory(seed: seed, batches: 60)
    var counts: [(last: UInt64, items: Int)] = []
    var ids: Set<EntityID> = []
    for batch in history.batches {
      for case .itemUpserted(let event) in batch.map(\.event) { ids.insert(event.id) }
      counts.append((batch.last?.sequence ?? 0, ids.count))
    }
    let end = try #require(counts.last)
    for threshold in Set([1, end.items / 3, end.items / 2, end.items]).filter({ $0 > 0 }) {
      let sql = "SELECT count(*) >= \(threshold) FROM library_item"
      let bisection = Bisection(sql, in: PastStates(history.log))
      let expected = counts.first { $0.items >= threshold }?.last
      let found = try bisection.run(good: 1, bad: end.last)
      let turn = found.change
      #expect(turn.batch.lastSequence == expected, "seed \(seed), \(threshold) items")
      #expect(turn.before == .integer(0) && turn.after == .integer(1))
      #expect(found.queried <= 9 && found.states == history.batches.count)
      // What the batch changed is what differs between the states around it.
      let before = try history.past(turn.batch.firstSequence - 1)
      let after = try history.past(turn.batch.lastSequence)
      let diff = try HistoryDiff(
        from: before, to: after, of: SoundLibraryKind(), rowLimit: .max, events: nil)
      let differing = diff.tables.flatMap { table in
        table.differences.flatMap(\.parts).compactMap { part in
          SoundLibrarySchema.schema.tables.first { $0.name == table.name }
            .flatMap { $0.key(from: part.key) }.map { "\(table.name) \($0)" }
        }
      }
      #expect(
        Set(found.rows.map { "\($0.table.name) \($0.key)" }) == Set(differing), "seed \(seed)")
      let walked = try bisection.scan(from: 1, through: end.last)
      #expect(walked.map(\.batch.lastSequence) == [expected], "seed \(seed)")
    }
    // Another answer at every new item.
    let walked = try Bisection(
      "SELECT count(*) FROM library_item", in: PastStates(history.log)
    )
    .scan(from: 1, through: end.last)
    let grown = zip(counts, counts.dropFirst()).filter { $0.items != $1.items }.map(\.1.last)
    #expect(walked.map(\.batch.lastSequence) == grown)
    let never = Bisection("SELECT 0", in: PastStates(history.log))
    #expect(throws: CatalogError.self) { try never.run(good: 1, bad: end.last) }
    #expect(try never.scan(from: 1, through: end.last).isEmpty)
  }

  /// Two texts that Swift takes for equal: SQLite, `diff`, `blame` and `event` do not.
  @Test func textsAreComparedByBytesEverywhere() throws {
    var made = try GeneratedHistory(seed: 561, batches: 1).batches
    let first = made[0][0]
    let item = EntityID(bytes: Array(1...16))
    for title in ["Caf\u{e9}", "Cafe\u{301}"] {
      var record = first
      record.sequence = UInt64(made.joined().count + 1)
      record.event = .itemUpserted(
        ItemUpserted(
          id: item, kind: .music, title: title, subtitle: nil, duration: nil, artworkURL: nil))
      made.append([record])
    }
    let history = try GeneratedHistory(made)
    let table = try #require(
      SoundLibrarySchema.schema.tables.first { $0.name == "library_item" })
    let last = UInt64(history.records.count)
    let blame = try Blame(table, key: [.id(item)], in: history.log)
    let title = try #require(blame.row.columns.first { $0.name == "title" })
    #expect(title.event.sequence == last)
    #expect(title.before == .text("Caf\u{e9}"))
    let changes = try RowChanges(of: last, in: history.log).changes
    #expect(changes.contains { $0.table.name == "library_item" }, "\(changes.map(\.table.name))")
    let found = try Bisection("SELECT max(title) FROM library_item", in: PastStates(history.log))
      .run(good: last - 1, bad: last)
    #expect(found.change.after == .text("Cafe\u{301}"))
  }

  /// Whatever reads the past stops when the time is over: the replay of a state, a search, and the look for a time.
  @Test func theTimeBoundsReplays() throws {
    let history = try GeneratedHistory(seed: 551, batches: 10)
    let last = try #require(history.records.last)
    var log = history.log
    log.limit = TimeLimit(.zero)
    let states = PastStates(log)
    for body in [
      { _ = try PastDatabase(.sequence(last.sequence), of: states, live: nil) },
      { _ = try Bisection("SELECT 1", in: states).run(good: 1, bad: last.sequence) },
      { _ = try Bisection("SELECT 1", in: states).scan(from: 1, through: last.sequence) },
      { _ = try Moment.time(last.at).found(in: log) },
    ] as [() throws -> Void] {
      let error = #expect(throws: CatalogError.self) { try body() }
      #expect(error?.code == .sqlRefused)
    }
  }

  @Test func theMemoryOfAStatementIsLimited() throws {
    let history = try GeneratedHistory(seed: 552, batches: 5)
    let past = try history.past(1)
    // SQLite has one limit for the process: a narrower one would be that of all tests that run at the same time.
    let heap = MemoryLimit.standard.heap
    func rows(_ sql: String, ofAtMost row: Int = 1_000) throws -> Int {
      var count = 0
      try past.forEachRow(of: sql, until: nil, memory: MemoryLimit(row: row, heap: heap)) { _ in
      } _: { _ in
        count += 1
      }
      return count
    }
    #expect(try rows("SELECT zeroblob(1000)") == 1)
    // More rows than the memory has room for.
    let many = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 1300) "
    #expect(try rows(many + "SELECT zeroblob(900000) FROM r", ofAtMost: 1 << 20) == 1_300)
    for sql in ["SELECT zeroblob(1001)", "SELECT zeroblob(600), zeroblob(600)"] {
      let error = #expect(throws: CatalogError.self) { try rows(sql) }
      #expect(error?.code == .sqlRefused && error?.message.contains("1000 bytes") == true)
    }
    // The limit is that of the statement alone.
    let length = try past.read { try Int.fetchOne($0, sql: "SELECT length(zeroblob(2000))") }
    #expect(length == 2_000)
  }

  private static func rows(
    _ table: TableDescription, _ past: PastDatabase
  ) throws -> [[StoredValue]: [StoredValue]] {
    try past.read { database in
      var rows: [[StoredValue]: [StoredValue]] = [:]
      let statement = try database.makeStatement(
        sql: "SELECT \(table.columnList) FROM \(table.name)")
      let cursor = try Row.fetchCursor(statement)
      while try cursor.next() != nil {
        let values = (0..<statement.columnCount).map { StoredValue(statement, at: $0) }
        rows[table.key.map { values[$0] }] = values
      }
      return rows
    }
  }

  /// The live database is not copied: it is read in one transaction, beside those who change it.
  @Test func theLiveDatabaseIsReadAsItWasWhenItWasOpened() async throws {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
    let states = PastStates(catalog.log)
    func open() throws -> PastDatabase {
      try PastDatabase(.live, of: states, live: catalog.directory.database)
    }
    let titles = "SELECT count(*), min(title) FROM library_item"
    let live = try open()
    let before = try await live.query(titles, timeout: .seconds(600)).rows
    var seed = TestSeed.sample(revision: 2)
    seed.music[0].title = "A"
    try await catalog.importer.applyUpdates(seed.source)
    #expect(try await live.query(titles, timeout: .seconds(600)).rows == before)
    #expect(try await open().query(titles, timeout: .seconds(600)).rows != before)
    // And a rebuild replaces the rows under it.
    try await SoundLibrary.rebuild(catalog.directory, options: .init())
    #expect(try await live.query(titles, timeout: .seconds(600)).rows == before)
    #expect(try live.read { try Int.fetchOne($0, sql: titles) } != nil)
  }
}
