import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// The catalog without an operation, compared with what the projector makes of all other events, one record after another.
@Suite(
  .promise(
    "Without an operation the catalog is what the projector makes of all other events; the "
      + "folder stays as it is",
    by: "records applied one after another, on a real kind"))
struct WhatIfTests {
  @Test(arguments: [711, 712] as [UInt64])
  func withoutEachOperationItIsWhatTheOthersMake(seed: UInt64) throws {
    let log = try GeneratedHistory(seed: seed, batches: 22)
    let states = try log.statesOfHistory()
    var contradictions = 0
    for batch in log.batches.dropFirst() {
      let id = batch[0].operation
      let found = try WhatIfReplay(.id(id), in: states)
      contradictions += found.contradictions.count
      try log.expect(found, "seed \(seed), operation \(id)")
    }
    #expect(contradictions > 0, "no operation is needed by a later one")
  }

  /// Events that contradict each other as often as not, and ranges of several batches.
  @Test(arguments: [721, 722] as [UInt64])
  func ofContradictoryEventsItIsToo(seed: UInt64) throws {
    let log = try GeneratedHistory(contradictory: seed, events: 300)
    let states = try log.statesOfHistory()
    var random = SplitMix(seed: seed)
    for _ in 0..<10 {
      let first = 1 + random.below(log.batches.count - 1)
      let last = min(log.batches.count - 1, first + random.below(6))
      let range =
        log.batches[first][0].sequence...(try #require(log.batches[last].last).sequence)
      try log.expect(
        WhatIfReplay(.events(range), in: states), "seed \(seed), events \(range)")
    }
  }

  /// A history is not asked, and makes no difference.
  @Test(arguments: [731] as [UInt64])
  func aReplayGivesTheSameAsTheHistory(seed: UInt64) throws {
    let log = try GeneratedHistory(seed: seed, batches: 12)
    let states = try log.statesOfHistory()
    for batch in log.batches.dropFirst() {
      let name = OperationName.id(batch[0].operation)
      let found = try WhatIfReplay(name, in: states)
      let replayed = try WhatIfReplay(name, in: PastStates(log.log))
      #expect(try found.actual.history() == nil && replayed.actual.history() == nil)
      #expect(found.contradictions == replayed.contradictions)
      func lines(_ found: WhatIfReplay) throws -> [String] {
        try HistoryDiff(
          from: found.actual, to: found.without, of: SoundLibraryKind(), rowLimit: .max,
          events: PastStates(log.log)
        ).tables.flatMap(\.differences).map { "\($0.parts) \($0.event?.sequence ?? 0)" }
      }
      let (one, other) = (try lines(found), try lines(replayed))
      #expect(one.count == other.count && zip(one, other).allSatisfy { $0 == $1 })
    }
  }

  /// An app gets the rows that differ as values, and no file of the catalog changes; no history is made.
  @Test func anAppHasTheRowsThatDiffer() async throws {
    let log = try GeneratedHistory(seed: 741, batches: 16)
    let directory = CatalogDirectory(log.folder.path)
    let catalog = try await EventCatalog.open(directory, SoundLibraryKind())
    try await catalog.verifyIfTouched()
    let before = try Self.files(in: log.folder.path)
    let all = log.model()
    for batch in log.batches.dropFirst() {
      let (first, last) = (batch[0].sequence, try #require(batch.last).sequence)
      let found = try await catalog.whatIf(without: .events(first...last))
      #expect(found.events == first...last && found.operations == [batch[0].operation])
      let model = log.model { !(first...last ~= $0.sequence) }
      for table in SoundLibraryKind().schema.tables where !table.isOwn {
        var rows = Self.byKey(all.rows.rows(in: table), table)
        for row in found.rows where row.table === table {
          #expect(rows[row.key] == row.actual && row.actual != row.without)
          rows[row.key] = row.without
        }
        #expect(rows == Self.byKey(model.rows.rows(in: table), table), "\(table.name)")
      }
      let later = model.conflicts.filter { conflict in
        conflict.sequence > last && !all.conflicts.contains { $0.sequence == conflict.sequence }
      }
      #expect(found.contradictions == later)
    }
    #expect(try Self.files(in: log.folder.path) == before)
    #expect(!FileManager.default.fileExists(atPath: directory.history))
    await #expect(throws: CatalogError.self) {
      try await catalog.whatIf(without: .events(1...1))
    }
    catalog.close()
  }

  /// The bytes of all files but the history.
  private static func files(in folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where !name.hasPrefix("history.sqlite") && !name.hasSuffix("-shm")
      // An open catalog keeps the line of a proved database, a moment after a change.
      && !name.hasPrefix("catalog.sqlite")
    {
      files[name] = FileManager.default.contents(atPath: folder + "/" + name)
    }
    return files
  }

  fileprivate static func byKey(
    _ rows: [[Value]], _ table: TableDescription
  ) -> [[Value]: [Value]] {
    Dictionary(rows.map { (table.key(of: $0), $0) }, uniquingKeysWith: { $1 })
  }
}

extension GeneratedHistory {
  /// Applies records one after another.
  fileprivate func model(
    of isWanted: (SoundEventRecord) -> Bool = { _ in true }
  ) -> (rows: MemoryRowStore, conflicts: [ProjectionConflict]) {
    let kind = SoundLibraryKind()
    let store = MemoryRowStore(schema: kind.schema)
    var conflicts: [ProjectionConflict] = []
    for record in records where isWanted(record) {
      do {
        if let conflict = try SoundLibraryProjector().apply(record, to: store) {
          conflicts.append(conflict)
        }
      } catch {
        Issue.record("event \(record.sequence): \(error)")
      }
    }
    return (store, conflicts)
  }

  fileprivate func expect(_ found: WhatIfReplay, _ comment: Comment) throws {
    let all = model()
    let others = model { !found.range.contains($0.sequence) }
    for (state, model) in [(found.actual, all), (found.without, others)] {
      try state.readTables { database in
        for table in model.rows.schema.tables {
          let statement = try PreparedStatement(
            database, "SELECT \(table.columnList) FROM \(table.name) ORDER BY \(table.keyList)")
          var rows: [[Value]] = []
          while try statement.step() {
            rows.append(try table.columns.indices.map { try statement.value($0, in: table) })
          }
          #expect(rows == model.rows.rows(in: table), comment)
        }
      }
    }
    let known = Set(all.conflicts.map(\.sequence))
    let arisen = others.conflicts.filter {
      $0.sequence > found.range.last && !known.contains($0.sequence)
    }
    #expect(found.contradictions == arisen, comment)
  }
}
