import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// What proves rows reads the table; an index decides nothing.
@Suite(
  .promise(
    "A proof reads the table, whatever its indexes say; a row that an index hides is not "
      + "absent",
    by: "every query plan; tables emptied under their indexes; entries swapped, missing, "
      + "another tree"))
struct TableReadingTests {
  private static func filled(_ path: String) throws -> ProjectionDatabase {
    var changes = ShelfChanges(seed: 55)
    let store = MemoryRowStore(schema: ShelfTables.schema)
    for change in try changes.batches(120).joined() { try change.apply(to: store) }
    try BulkWriter(.shelf).write(
      store, checkpoint: Checkpoint.made(at: 9, chain: 0xAA), to: path)
    return try ProjectionDatabase(path: path, migrations: .shelf)
  }

  private static func tampered(_ path: String, _ sql: String) throws -> ProjectionDatabase {
    let outcome = try Program("sqlite3", path, sql)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try ProjectionDatabase(path: path, migrations: .shelf)
  }

  private static func quickCheck(_ path: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "PRAGMA quick_check") }
  }

  private static func plan(_ sql: String, _ database: Database) throws -> [String] {
    try Row.fetchAll(
      database, sql: "EXPLAIN QUERY PLAN " + sql,
      arguments: .init(repeatElement(0, count: sql.count { $0 == "?" }))
    ).map { $0["detail"] }
  }

  /// No plan of a proof scans or searches an index for more than the row ids of a range.
  @Test(arguments: ShelfTables.schema.tables.map(\.name))
  func aProofReadsTheTableItself(name: String) throws {
    let table = try #require(ShelfTables.schema.tables.first { $0.name == name })
    let queue = try DatabaseQueue()
    try ProjectionMigrations.shelf.migrator().migrate(queue)
    try queue.write { database in
      let reading = try TableReading(table, database)
      let way = table.storage == .withoutRowIDs ? "PRIMARY KEY" : "INTEGER PRIMARY KEY"
      let range = try Self.plan(reading.range, database)
      #expect(range.first?.hasPrefix("SEARCH \(name) USING \(way) (") == true, "\(range)")
      // Statistics that would have a planner take anything but the table.
      try database.execute(sql: "ANALYZE")
      try database.execute(
        sql: """
          INSERT INTO sqlite_stat1 SELECT tbl_name, name, '1 1 sz=1' FROM sqlite_schema
          WHERE type = 'index' AND tbl_name = '\(name)';
          ANALYZE sqlite_schema
          """)
      #expect(try Self.plan(reading.all, database) == ["SCAN \(name)"])
      let other = try Self.plan(reading.range, database)
      #expect(other.first?.contains("INDEX") == false, "\(other)")
    }
  }

  /// The rows of a table are gone, and an index of it still has them all.
  @Test func rowsThatOnlyAnIndexHasAreNoRows() throws {
    let folder = try ScratchFolder()
    let sound = folder.file("sound.sqlite")
    let database = try Self.filled(sound)
    let tables = ShelfTables.schema.tables.filter { $0.storage == .withoutRowIDs }
    let counts = try database.pool.read { database in
      try tables.map { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0.name)") ?? 0 }
    }
    try database.close()
    var tried = 0
    for (table, count) in zip(tables, counts) where count > 0 {
      tried += 1
      let path = folder.file("\(table.name).sqlite")
      try FileManager.default.copyItem(atPath: sound, toPath: path)
      let emptied = try Self.tampered(
        path,
        LyingIndex.sql(
          of: table.name,
          making: table.sql.replacing("CREATE TABLE \(table.name)", with: "CREATE TABLE lie"),
          other: "lie"))
      let inspection = try emptied.pool.read { try ProjectionInspection($0, .shelf) }
      #expect(inspection.drifted.map(\.table) == [table.name])
      #expect(throws: StoreError.self) { try emptied.readProved(loading: [table]) { _ in } }
      try emptied.close()
    }
    #expect(tried == tables.count)
  }

  /// An index with two entries swapped, without one, or in the place of another index. The `quick_check` of a table
  /// says ok. That of the whole file finds the pages alone from which the lie took a tree away.
  @Test(arguments: [
    LyingIndex.swapping("Action", "Cozy", in: "name", of: "genre"),
    LyingIndex.missing("Action", in: "name", of: "genre"),
    LyingIndex.exchanging("sqlite_autoindex_genre_1", "sqlite_autoindex_language_1"),
  ])
  func aNameThatAnIndexLeadsToIsComparedWithTheTable(lie: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let store = MemoryRowStore(schema: ShelfTables.schema)
    for (number, (table, name)) in [
      (ShelfTables.genre, "Action"), (ShelfTables.genre, "Cozy"), (ShelfTables.language, "Forest"),
    ].enumerated() {
      try store.put(ShelfTables.value(Int64(number + 1), name), in: table)
    }
    try BulkWriter(.shelf).write(
      store, checkpoint: Checkpoint.made(at: 9, chain: 0xAA), to: path)
    #expect(try Self.quickCheck(path) == ["ok"])
    let database = try Self.tampered(path, lie)
    #expect(
      try Self.quickCheck(path).joined().split(separator: "\n").dropFirst()
        .allSatisfy { $0.hasSuffix("is never used") })
    for table in [ShelfTables.genre, ShelfTables.language] {
      let check = try database.pool.read {
        try String.fetchOne($0, sql: "PRAGMA quick_check(\(table.name))")
      }
      #expect(check == "ok", "\(table.name)")
    }
    #expect(try database.pool.read { try ProjectionInspection($0, .shelf) }.isSound)
    for name in ["Action", "Forest"] {
      let error = #expect(throws: StoreError.self, "\(name)") {
        try database.readProved { rows in
          let found = try rows.rows(by: ShelfTables.genreByName, equal: [.text(name)])
          // The table has no such name, and the index may say so.
          if name == "Forest", found.isEmpty { throw StoreError.drifted(tables: ["genre"]) }
        }
      }
      #expect(error?.code == .drifted && error?.message.contains("genre") == true, "\(error)")
    }
    try database.close()
  }

  /// The key of a table with row ids is an index as well.
  @Test func aKeyThatItsIndexHidesIsNotAbsent() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let store = MemoryRowStore(schema: ShelfTables.schema)
    try store.put(
      [.text("sample"), .integer(2), .text("00"), .time(Timestamp(milliseconds: 0))],
      in: ShelfTables.catalogue)
    try BulkWriter(.shelf).write(
      store, checkpoint: Checkpoint.made(at: 9, chain: 0xAA), to: path)
    let database = try Self.tampered(
      path, LyingIndex.missing("sample", in: "name", of: "catalogue"))
    try database.readProved { rows in
      let error = #expect(throws: StoreError.self) {
        try rows.row(in: ShelfTables.catalogue, key: [.text("sample")])
      }
      #expect(error?.message.contains("catalogue") == true)
    }
    try database.close()
  }
}
