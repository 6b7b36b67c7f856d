import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Projections
import Testing

@testable import Catalog
@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibraryKind

/// The history of a catalog, held against states that a replay makes.
@Suite struct CatalogHistoryTests {
  /// Each table at random moments, and the sums that are kept of it, are those of a database of that moment.
  @Test(arguments: [601, 602, 603, 604] as [UInt64])
  func everyStateIsTheReplayedOne(seed: UInt64) throws {
    let log =
      seed.isMultiple(of: 2)
      ? try GeneratedHistory(contradictory: seed, events: 1_500)
      : try GeneratedHistory(seed: seed, batches: 200)
    let history = try #require(log.catalogHistory)
    try history.make()
    var random = SplitMix(seed: seed)
    for _ in 0..<12 {
      let last = try #require(random.pick(log.batches).last).sequence
      try log.expectState(at: last, "seed \(seed), event \(last)")
    }
  }

  /// A history that is brought up to date, in as many steps as may be, is the one that is made of the whole log.
  @Test(arguments: [611, 612, 613, 614] as [UInt64])
  func broughtUpToDateItIsTheSame(seed: UInt64) throws {
    let isContradictory = seed.isMultiple(of: 2)
    func log(_ part: Double) throws -> GeneratedHistory {
      isContradictory
        ? try GeneratedHistory(contradictory: seed, events: Int(1_400 * part) / 7 * 7)
        : try GeneratedHistory(seed: seed, batches: Int(180 * part))
    }
    let whole = try log(1)
    let made = try #require(whole.catalogHistory)
    try made.make()
    let expected = try whole.versions()
    var path: String?
    for part in [0.2, 0.3, 0.35, 0.9, 1] {
      let step = try log(part)
      let history = try #require(step.catalogHistory)
      if let path {
        try FileManager.default.copyItem(atPath: path, toPath: history.path)
        _ = try history.catchUp()
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
    for (table, rows) in expected {
      #expect(found[table] == rows, "seed \(seed), \(table)")
    }
    try whole.expectState(
      at: try #require(whole.batches.last?.last).sequence, "seed \(seed), the end")
  }
}

extension GeneratedHistory {
  fileprivate var catalogHistory: CatalogHistory? {
    CatalogHistory(CatalogDirectory(folder.path), log)
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
    let versions = try #require(HistorySchema(schema, log.kind.fingerprint))
    let history = try #require(
      try HistoryDatabase(folder.file("history.sqlite"), versions, through: sequence))
    try history.read { database in
      let names = schema.tables.map(\.name).joined(separator: " ")
      try HistoryViews(versions).make(for: names, at: sequence, database)
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

  /// All rows of the history's tables, as SQLite writes them, but for the numbers of versions.
  fileprivate func versions() throws -> [String: [[StoredValue]]] {
    let versions = try #require(HistorySchema(log.kind.schema, log.kind.fingerprint))
    return try ReadOnlyDatabase.read(own: folder.file("history.sqlite")) { database in
      var tables: [String: [[StoredValue]]] = [:]
      for table in versions.tables {
        let statement = try PreparedStatement(
          database, "SELECT \(table.columnList) FROM \(table.name) ORDER BY \(table.keyList)")
        var rows: [[StoredValue]] = []
        while try statement.step() {
          rows.append(table.columns.indices.map { StoredValue(statement.cell($0)) })
        }
        tables[table.name] = rows
      }
      return tables
    }
  }
}
