import CatalogStore
import CatalogTestSupport
import GRDB
import GRDBSQLite
import Projections
import Promises
import StoreTestSupport
import Testing

/// Names of tables, columns and indexes that are words of SQL.
@Suite(
  .promise(
    "What a description of a table says is what SQLite says of it, and each word of SQL is "
      + "a name of a table and of a column"))
struct SQLNameTests {
  /// All words that the SQLite of this program knows, in small letters.
  private static let keywords: [String] = (0..<sqlite3_keyword_count()).compactMap { place in
    var start: UnsafePointer<CChar>?
    var length: Int32 = 0
    guard sqlite3_keyword_name(place, &start, &length) == SQLITE_OK, let start else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// A table for each word, with the word as the name of the table, of two columns, of a key and of constraints.
  private static let schema: Schema = {
    var schema = Schema()
    for word in keywords {
      let other = word == "index" ? "order" : "index"
      let table = schema.add(
        word,
        columns: [
          Column("number", .integer), Column(word, .text, unique: true),
          Column(other, .integer, nullable: true, references: .to(word, "number")),
        ], key: ["number"], constraints: [.unique([other, word])],
        indexes: [.index("\(word)_both", on: [.descending(word), .ascending(other)])])
      schema.add(
        "\(word)_list", columns: [Column(word, .text), Column(other, .text)], key: [other, word],
        constraints: [.foreignKey([word], .to(word, word))])
      schema.addFullTextIndex("\(word)_search", over: table, columns: [.unindexed(word)])
    }
    return schema
  }()

  @Test func eachWordOfSQLIsAName() throws {
    #expect(Self.keywords.count > 140)
    let schema = Self.schema
    let migrations = ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "words", layout: 1, version: 1, schema: schema))
    let checkpoint = Checkpoint.made(by: migrations.fingerprint)
    let folder = try ScratchFolder()
    let memory = MemoryRowStore(schema: schema)
    let carried = try ProjectionDatabase(
      path: folder.file("carried.sqlite"), migrations: migrations)
    defer { try? carried.close() }
    try carried.createTables()
    try carried.update(events: 1) { _, store in
      for table in schema.tables {
        let row = table.columns.map { column in
          column.type == .integer ? Value.integer(1) : .text("one")
        }
        try memory.put(row, in: table)
        try store.put(row, in: table)
        #expect(try store.row(in: table, key: table.key(of: row)) == row, "\(table.name)")
        var other = row
        if table.key == [0] { other[2] = .null }
        try memory.put(other, in: table)
        try store.put(other, in: table)
        for (ordinal, index) in table.indexes.enumerated() {
          let found = try store.rows(
            by: IndexReference(table: table, ordinal: ordinal),
            equal: index.columns.map { other[$0] })
          #expect(found == [other], "\(table.name)")
        }
      }
      return ProjectionAdvance(checkpoint)
    }
    let pages = folder.file("pages.sqlite")
    try BulkWriter(migrations).write(memory, checkpoint: checkpoint, to: pages)
    let receipt = try carried.receipt()
    // An index whose one column is not indexed has no words.
    #expect(receipt.tables.allSatisfy { $0.rows > 0 || $0.table.hasSuffix("_terms") })
    let queue = try DatabaseQueue(path: pages)
    try queue.read { database in
      #expect(try Receipt(of: schema, in: database) == receipt)
      for table in schema.tables {
        // In quotes, a word that names no column would be a text.
        let names = try Row.fetchAll(
          database, sql: "SELECT \(table.columnList) FROM \(table.sqlName)"
        ).map { $0.map(\.1) }
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(table.name)\"")
          .map { $0.map(\.1) }
        #expect(names == rows && rows.count == 1, "\(table.name)")
      }
      #expect(try DanglingReference.all(of: schema, in: database, limit: 1).isEmpty)
    }
    try queue.close()
  }

  @Test func namesOfOtherThingsEndTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = TableDescription(
        "t", columns: [Column("id", .text), Column("rowid", .text)], key: ["id"])
    }
    await #expect(processExitsWith: .failure) {
      _ = TableDescription(
        "t", columns: [Column("id", .text), Column("Name", .text), Column("name", .text)],
        key: ["id"])
    }
    await #expect(processExitsWith: .failure) {
      _ = TableDescription("sqlite_things", columns: [Column("id", .text)], key: ["id"])
    }
  }
}
