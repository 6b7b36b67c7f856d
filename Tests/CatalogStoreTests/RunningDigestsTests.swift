import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// The digests that are kept with the rows: the same however rows are written, and another one for any change.
@Suite(
  .promise(
    "Running digests are those of the rows, however these were written, and any change of "
      + "any cell changes them",
    by: "bulk and statements, batch by batch; the hash compared with numbers worked out in "
      + "Python"))
struct RunningDigestsTests {
  private static func checkpoint(_ sequence: UInt64) -> Checkpoint {
    Checkpoint.made(at: sequence, chain: 0xAA)
  }

  private static func bulk(
    _ batches: [[ShelfChanges.Change]], _ path: String
  ) throws -> ProjectionDatabase {
    let store = MemoryRowStore(schema: ShelfTables.schema)
    for change in batches.joined() { try change.apply(to: store) }
    try BulkWriter(.shelf).write(store, checkpoint: checkpoint(9), to: path)
    return try ProjectionDatabase(path: path, migrations: .shelf)
  }

  private static func digests(_ database: ProjectionDatabase) throws -> [String] {
    try database.pool.read { database in
      try Row.fetchAll(
        database, sql: "SELECT table_name, stretch, rows, hex(digest) FROM projection_digest"
      ).map { row in row.databaseValues.map { "\($0)" }.joined(separator: " ") }
    }
  }

  private static func inspect(_ database: ProjectionDatabase) throws -> ProjectionInspection {
    try database.pool.read { try ProjectionInspection($0, .shelf) }
  }

  /// Existing databases have them: a change of the hash needs another `RunningDigests.version`. The numbers
  /// come from the rule in `RowDigest`, worked out in Python.
  @Test(arguments: [
    ("", 0, "f90109d2335f6b4f c9f1af18b98aa83e"), ("a", 0, "abbe7ed0133333b4 ef1d7e780757c676"),
    ("0123456789abcdef", 7, "4596ac06ae7adc04 0ab2f1a573c7dde2"),
    ("0123456789abcdefg", -1, "4783dd87d0e03737 5cf9fc1c06988fe9"),
  ])
  func theHashIsTheOneThatDatabasesHave(text: String, rowID: Int64, expected: String) {
    let digest = Array(text.utf8).withUnsafeBytes { RowDigest($0, rowID: rowID) }
    #expect(String(format: "%016lx %016lx", digest.low, digest.high) == expected)
  }

  @Test(arguments: (41...46).map { UInt64($0) })
  func bulkAndStatementsKeepTheSameDigests(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var changes = ShelfChanges(seed: seed)
    let batches = try changes.batches(70)
    let bulk = try Self.bulk(batches, folder.file("bulk.sqlite"))
    let incremental = try ProjectionDatabase(
      path: folder.file("incremental.sqlite"), migrations: .shelf)
    try incremental.createTables()
    for (number, batch) in batches.enumerated() {
      try incremental.update { _, store in
        for change in batch { try change.apply(to: store) }
        return ProjectionAdvance(
          Self.checkpoint(number == batches.count - 1 ? 9 : UInt64(100 + number)))
      }
      #expect(try Self.inspect(incremental).isSound, "seed \(seed), batch \(number)")
    }
    #expect(try Self.digests(bulk) == Self.digests(incremental), "seed \(seed)")
    try bulk.close()
    try incremental.close()
  }

  /// Each column of each table that has rows, another value in one row.
  @Test func anyChangeOfAnyCellIsSeen() throws {
    let folder = try ScratchFolder()
    var generator = ShelfChanges(seed: 51)
    let database = try Self.bulk(generator.batches(120), folder.file("a.sqlite"))
    var changed: Set<String> = []
    for table in ShelfTables.schema.tables {
      for column in table.columns {
        for value in ["'x'", "x'00'", "1.5", "-7", "CAST(\(column.name) AS BLOB)"] {
          try database.pool.writeWithoutTransaction { connection in
            try connection.execute(sql: "SAVEPOINT here; PRAGMA ignore_check_constraints = 1")
            // A constraint may forbid the value, and the cell may hold it already.
            try? connection.execute(
              sql: """
                UPDATE OR IGNORE \(table.name) SET \(column.name) = \(value)
                WHERE (\(table.keyList)) = (SELECT \(table.keyList) FROM \(table.name) LIMIT 1)
                  AND (\(column.name) IS NOT \(value) OR typeof(\(column.name)) <> typeof(\(value)))
                """)
            if connection.changesCount > 0 {
              changed.insert("\(table.name).\(column.name) = \(value)")
              let drifted = try ProjectionInspection(connection, .shelf).drifted
              #expect(drifted.map(\.table) == [table.name], "\(column.name) = \(value)")
            }
            try connection.execute(sql: "ROLLBACK TO here; RELEASE here")
          }
        }
      }
    }
    #expect(changed.count > 200, "\(changed.count)")
    for table in ShelfTables.schema.tables {
      for column in table.columns {
        let place = "\(table.name).\(column.name) = "
        #expect(changed.count { $0.hasPrefix(place) } > 0, "\(place)")
      }
    }
    #expect(try Self.inspect(database).isSound)
    try database.close()
  }

  @Test(arguments: [
    "DELETE FROM book WHERE id = (SELECT max(id) FROM book)",
    "DELETE FROM genre", "DELETE FROM projection_digest WHERE table_name = 'publisher'",
    """
    UPDATE book SET title = (SELECT title FROM book AS other
      WHERE other.id <> book.id AND other.title <> book.title LIMIT 1)
    WHERE id = (SELECT max(id) FROM book)
    """,
    "INSERT INTO book_genre VALUES ('00000000-0000-4000-8000-000000000000', 1)",
    "INSERT INTO book_genre VALUES ('no id at all', 1)",
    "UPDATE projection_digest SET rows = rows + 1 WHERE table_name = 'publisher'",
    "UPDATE projection_checkpoint SET sequence = 8",
    """
    UPDATE projection_checkpoint SET sequence = 8;
    UPDATE projection_digest SET rows = 8 WHERE table_name = ''
    """,
    "DELETE FROM projection_digest WHERE table_name = ''", "DELETE FROM projection_digest",
    "DELETE FROM genre; DELETE FROM projection_digest WHERE table_name = 'genre'",
  ])
  func rowsThatComeAndGoAreSeen(sql: String) throws {
    let folder = try ScratchFolder()
    var generator = ShelfChanges(seed: 52)
    let database = try Self.bulk(generator.batches(80), folder.file("a.sqlite"))
    try database.pool.write { try $0.execute(sql: sql) }
    let inspection = try Self.inspect(database)
    #expect(!inspection.isSound)
    #expect(throws: StoreError.self) {
      try database.readProved(loading: ShelfTables.schema.tables) { _ in }
    }
    try database.close()
  }

  /// No digests of this version: nothing says what the rows should be.
  @Test(arguments: [
    "DROP TABLE projection_digest",
    "UPDATE projection_digest SET stretch = 1 WHERE table_name = ''",
    "INSERT INTO projection_digest VALUES ('', 3, 80, x'00')",
  ])
  func rowsWithoutDigestsOfThisVersionAreStale(sql: String) throws {
    let folder = try ScratchFolder()
    var generator = ShelfChanges(seed: 54)
    let database = try Self.bulk(generator.batches(20), folder.file("a.sqlite"))
    #expect(try !database.witnesses().lacksDigests)
    try database.pool.write { try $0.execute(sql: sql) }
    #expect(try database.witnesses().lacksDigests)
    #expect(HeadEvidence.peek(folder.file("a.sqlite"))?.lacksDigests == true)
    for body in [
      { _ = try Self.inspect(database) }, { try database.verifyIfTouched() },
      { try database.readProved { _ in } },
      { try database.readProved(loading: ShelfTables.schema.tables) { _ in } },
    ] {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(error?.code == .stale)
    }
    try database.close()
  }

  @Test(arguments: [
    "DROP INDEX copy_source", "DROP TABLE publisher", "DROP TRIGGER book_search_update",
    "CREATE TABLE mine (a)", "ALTER TABLE genre ADD COLUMN extra TEXT",
    "CREATE VIEW seen AS SELECT 1",
    "CREATE TRIGGER mine AFTER INSERT ON genre BEGIN DELETE FROM publisher; END",
    "ALTER TABLE genre RENAME TO manner", "DROP TABLE book_search",
    // By the names of what is left out of the comparison.
    "CREATE TRIGGER projection_digest AFTER INSERT ON genre BEGIN DELETE FROM publisher; END",
    "CREATE TRIGGER projection_conflict AFTER INSERT ON genre BEGIN DELETE FROM publisher; END",
    "DROP TABLE projection_conflict; CREATE VIEW projection_conflict AS SELECT 1 AS sequence, '' AS type, '' AS message",
    "ALTER TABLE projection_digest ADD COLUMN extra TEXT",
    """
    CREATE TRIGGER mine AFTER INSERT ON genre BEGIN DELETE FROM publisher; END; PRAGMA writable_schema = 1;
    UPDATE sqlite_schema SET name = 'sqlite_mine', sql = replace(sql, 'mine', 'sqlite_mine') WHERE name = 'mine'
    """,
  ])
  func aChangedSchemaIsNamedAndNothingIsPlannedOnIt(sql: String) throws {
    let folder = try ScratchFolder()
    var generator = ShelfChanges(seed: 53)
    let database = try Self.bulk(generator.batches(20), folder.file("a.sqlite"))
    try database.pool.write { try $0.execute(sql: sql) }
    let inspection = try Self.inspect(database)
    #expect(!inspection.schema.isEmpty)
    let error = #expect(throws: StoreError.self) { try database.readProved { _ in } }
    #expect(error?.code == .drifted)
    try database.close()
  }

  /// A plan proves what it reads, and what it looks for and does not find.
  @Test func aPlanReadsOnlyWhatIsProved() throws {
    let folder = try ScratchFolder()
    let store = MemoryRowStore(schema: ShelfTables.schema)
    try store.put(ShelfTables.value(1, "Action"), in: ShelfTables.genre)
    for number in [0x01, 0x02] as [UInt64] {
      try store.put(
        [
          .id(Self.id(number)), .text("essay"), .text("Title"), .null, .null, .flag(true),
          .time(Timestamp(milliseconds: 0)), .time(Timestamp(milliseconds: 0)),
        ], in: ShelfTables.book)
    }
    try store.put(
      [
        .id(Self.id(0x03)), .text("Press"), .null, .integer(1900),
        .time(Timestamp(milliseconds: 0)),
      ], in: ShelfTables.publisher)
    let path = folder.file("a.sqlite")
    try BulkWriter(.shelf).write(store, checkpoint: Self.checkpoint(4), to: path)
    let database = try ProjectionDatabase(path: path, migrations: .shelf)
    let genres = ShelfTables.genreByName
    let books = ShelfTables.book

    try database.pool.write { database in
      try database.execute(
        sql: "UPDATE book SET title = 'Oops' WHERE id LIKE '02%'; DELETE FROM publisher")
    }
    try database.readProved { rows in
      let book = try rows.row(in: books, key: [.id(Self.id(0x01))])
      let named = try rows.rows(by: genres, equal: [.text("Action")])
      #expect(book != nil && named.count == 1)
      #expect(throws: StoreError.self) { try rows.row(in: books, key: [.id(Self.id(0x02))]) }
    }
    // The name is found no more, and so it may be that it never was.
    try database.pool.write {
      try $0.execute(
        sql: "UPDATE genre SET name = 'Adventure'; DELETE FROM book WHERE id LIKE '02%'")
    }
    try database.readProved { rows in
      #expect(throws: StoreError.self) { try rows.rows(by: genres, equal: [.text("Action")]) }
      #expect(throws: StoreError.self) { try rows.rows(by: genres, equal: [.text("Adventure")]) }
      #expect(throws: StoreError.self) { try rows.row(in: books, key: [.id(Self.id(0x02))]) }
      #expect(throws: StoreError.self) { try rows.greatestKey(in: genres.table) }
    }
    try database.close()
  }

  /// The rows add up, and an index does not lead to one of them.
  @Test func anIndexThatHidesARowIsNoticed() throws {
    let folder = try ScratchFolder()
    var generator = ShelfChanges(seed: 54)
    let path = folder.file("a.sqlite")
    let database = try Self.bulk(generator.batches(60), path)
    let genres = ShelfTables.genreByName
    let name = try #require(
      try database.pool.read { try String.fetchOne($0, sql: "SELECT name FROM genre") })
    try database.close()
    // The index of another table, which has no rows, in the place of that of names.
    let swapped = try Program(
      "sqlite3", path,
      """
      PRAGMA writable_schema = 1;
      CREATE TABLE empty (a UNIQUE);
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
        WHERE name = 'sqlite_autoindex_empty_1') WHERE name = 'sqlite_autoindex_genre_1';
      DELETE FROM sqlite_schema WHERE name LIKE '%empty%';
      """)
    #expect(swapped.status == 0, "\(swapped.errors)")
    let opened = try ProjectionDatabase(path: path, migrations: .shelf)
    #expect(try Self.inspect(opened).isSound)
    try opened.readProved { rows in
      let error = #expect(throws: StoreError.self) {
        try rows.rows(by: genres, equal: [.text(name)])
      }
      #expect(error?.code == .drifted)
    }
    try opened.close()
  }

  private static func id(_ first: UInt64) -> EntityID { EntityID(high: first << 56, low: 1) }
}
