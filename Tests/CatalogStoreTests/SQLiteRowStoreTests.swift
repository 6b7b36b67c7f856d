import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// Rows in SQLite answer as rows in memory do, whatever is changed and asked in between.
@Suite(
  .promise(
    "The two row stores make the same rows, and answer the same in any order of calls",
    by: "random calls"))
struct SQLiteRowStoreTests {
  private typealias Tables = ShelfTables
  private static let checkpoint = Checkpoint.made()

  /// Of every shape: one key or several, nothing beside the key, unique columns, indexes by a part of the key,
  /// full-text indexes.
  private static let tables = Tables.various

  /// - Parameter events: from 10,000 on the cache is large.
  @Test(arguments: (1...8).map { UInt64($0) }, [1, 10_000] as [UInt64])
  func anySequenceOfCallsAnswersAsInMemory(seed: UInt64, events: UInt64) throws {
    let folder = try ScratchFolder()
    let database = try ProjectionDatabase(
      path: folder.file("rows.sqlite"), migrations: .shelf)
    defer { try? database.close() }
    try database.createTables()
    let model = MemoryRowStore(schema: Tables.schema)
    var random = RandomRows(seed: seed)
    for _ in 0..<6 {
      try database.update(events: events) { _, store in
        for _ in 0..<400 { try random.step(Self.tables, store, model) }
        return ProjectionAdvance(Self.checkpoint)
      }
      try expectSame(database, model, "seed \(seed), \(events) events")
    }
  }

  private func expectSame(
    _ database: ProjectionDatabase, _ model: MemoryRowStore, _ comment: Comment
  ) throws {
    try database.pool.read { connection in
      for table in Self.tables {
        let stored = try Row.fetchAll(
          connection,
          sql: "SELECT \(table.columnList) FROM \(table.name) ORDER BY \(table.keyList)")
        let expected = model.rows(in: table)
        #expect(
          stored.map { $0.databaseValues.map(Self.text) }
            == expected.map { $0.map(Self.text) }, "\(table.name), \(comment)")
      }
      #expect(try String.fetchAll(connection, sql: "PRAGMA integrity_check") == ["ok"], comment)
      let inspection = try ProjectionInspection(connection, database.migrations)
      #expect(inspection.drifted.map(\.message) == [], comment)
      #expect(try SchemaCheck(database.migrations).differences(connection) == [], comment)
      #expect(
        try FullTextCheck.problems(of: Tables.schema, in: connection, isWhole: true) == [], comment)
    }
    try database.pool.writeWithoutTransaction { connection in
      for index in Tables.schema.fullTextIndexes {
        // Compares all words with the rows of the table.
        try connection.execute(
          sql: "INSERT INTO \(index.name)(\(index.name), rank) VALUES ('integrity-check', 1)")
        #expect(
          try String.fetchAll(connection, sql: "SELECT k FROM \(index.name)_config") == ["version"],
          comment)
      }
    }
  }

  private static func text(_ value: DatabaseValue) -> String { value.description }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: DatabaseValue.null.description
    case .integer(let integer): integer.databaseValue.description
    case .real(let real): real.databaseValue.description
    case .text(let text): text.databaseValue.description
    case .id(let id): id.description.databaseValue.description
    case .time(let time): time.description.databaseValue.description
    case .blob(let bytes): Data(bytes).databaseValue.description
    }
  }

  /// Names may change places within one transaction.
  @Test func uniqueNamesChangePlaces() throws {
    let folder = try ScratchFolder()
    let database = try ProjectionDatabase(
      path: folder.file("rows.sqlite"), migrations: .shelf)
    defer { try? database.close() }
    try database.createTables()
    let table = Tables.genre
    func row(_ id: Int64, _ name: String) -> [Value] { Tables.value(id, name) }
    try database.update { _, store in
      try store.put(row(1, "A"), in: table)
      try store.put(row(2, "B"), in: table)
      return ProjectionAdvance(Self.checkpoint)
    }
    try database.update { _, store in
      try store.put(row(2, "C"), in: table)
      try store.put(row(1, "B"), in: table)
      try store.put(row(2, "A"), in: table)
      return ProjectionAdvance(Self.checkpoint)
    }
    #expect(
      try database.pool.read {
        try String.fetchAll($0, sql: "SELECT name FROM genre ORDER BY id")
      }
        == ["B", "A"])
  }

  /// A rehearsal writes what it would write, and takes it back.
  @Test func aRehearsalFindsWhatSQLiteRefuses() throws {
    let folder = try ScratchFolder()
    let database = try ProjectionDatabase(
      path: folder.file("rows.sqlite"), migrations: .shelf)
    defer { try? database.close() }
    try database.createTables()
    #expect(throws: StoreError.self) {
      try database.update { _, store in
        // The table's CHECK knows three kinds.
        try store.put(
          [
            .id(EntityID(high: 1, low: 1)), .text("film"), .text("A"), .null, .null, .flag(true),
            .time(Timestamp(milliseconds: 0)), .time(Timestamp(milliseconds: 0)),
          ], in: Tables.book)
        return nil
      }
    }
    #expect(try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM book") } == 0)
  }
}
