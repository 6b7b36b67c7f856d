import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

/// Pages that are written directly are what SQLite would have written: it finds nothing wrong with
/// them, and they hold, byte for byte, the records of a file that was filled by statements.
@Suite(
  .promise(
    "Any form of table is written as pages, row by row and by SQLite alone to the same rows",
    by: "the bytes of a file that statements filled"))
struct BulkWriterTests {
  private static let checkpoint = Checkpoint.made()

  /// Every form of table and index, over every type of column.
  private struct Tables {
    let schema: Schema

    init() {
      var schema = Schema()
      _ = schema.add(
        "named",
        columns: [
          Column("name", .text), Column("number", .integer, nullable: true),
          Column("amount", .real, nullable: true), Column("owner", .id, nullable: true),
          Column("at", .time, nullable: true),
          Column("note", .text, nullable: true),
        ],
        key: ["name"],
        indexes: [
          .index("named_number", on: ["number"]),
          .index("named_note_owner", on: ["note", "owner"]),
          .index("named_at", on: ["at", "number"]), .index("named_amount", on: ["amount"]),
        ])
      _ = schema.add(
        "joined",
        columns: [
          Column("item", .id), Column("value", .integer),
          Column("note", .text, nullable: true),
        ],
        key: ["value", "item"],
        indexes: [.index("joined_item", on: ["item"]), .index("joined_note", on: ["note"])])
      let numbered = schema.add(
        "numbered",
        columns: [
          Column("id", .integer), Column("name", .text, sql: "TEXT NOT NULL UNIQUE"),
          Column("words", .text),
        ],
        key: ["id"], indexes: [.lookup(["name"])])
      _ = schema.addFullTextIndex("numbered_search", over: numbered, columns: ["words"])
      self.schema = schema
    }
  }

  private static func migrations(_ schema: Schema) -> ProjectionMigrations {
    ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "test", layout: 1, version: 1, schema: schema))
  }

  @Test(arguments: [0, 1, 2, 5, 40, 700, 9_000])
  func writesWhatStatementsWrite(rows: Int) throws {
    let folder = try ScratchFolder()
    let schema = Tables().schema
    try BulkWriter(Self.migrations(schema)).write(
      Self.store(schema, rows), checkpoint: Self.checkpoint, to: folder.file("pages.sqlite"))
    try PlainBulkWriter(schema: schema).write(
      Self.store(schema, rows), to: folder.file("plain.sqlite"))
    let check = try Program(
      "sqlite3", folder.file("pages.sqlite"),
      "PRAGMA integrity_check; INSERT INTO numbered_search(numbered_search) VALUES('integrity-check')"
    )
    #expect(check.output == "ok\n", "\(check.errors)")
    for table in schema.tables {
      let pages = try Self.contents(of: table, in: folder.file("pages.sqlite"))
      let plain = try Self.contents(of: table, in: folder.file("plain.sqlite"))
      #expect(pages == plain, "\(table.name)")
    }
    // The records themselves: how long they are in all, as SQLite counts them.
    let payload =
      "SELECT name, sum(payload) FROM dbstat WHERE name LIKE '%named%' "
      + "OR name LIKE '%joined%' OR name IN ('numbered', 'sqlite_autoindex_numbered_1') "
      + "GROUP BY name ORDER BY name"
    let pages = try Program("sqlite3", folder.file("pages.sqlite"), payload)
    let plain = try Program("sqlite3", folder.file("plain.sqlite"), payload)
    #expect(pages.status == 0)
    // Dividers of a table are no payload, those of an index are: both count the same.
    #expect(pages.output == plain.output)
  }

  @Test func wordsAreFound() throws {
    let folder = try ScratchFolder()
    let schema = Tables().schema
    try BulkWriter(Self.migrations(schema)).write(
      Self.store(schema, 3_000), checkpoint: Self.checkpoint, to: folder.file("pages.sqlite"))
    let queue = try DatabaseQueue(path: folder.file("pages.sqlite"))
    let found = try queue.read { database in
      try Int.fetchAll(
        database, sql: "SELECT rowid FROM numbered_search WHERE numbered_search MATCH 'w7'")
    }
    let expected = try queue.read { database in
      try Int.fetchAll(
        database,
        sql: "SELECT id FROM numbered WHERE ' ' || words || ' ' LIKE '% w7 %' ORDER BY id")
    }
    #expect(found == expected)
    #expect(!found.isEmpty)
  }

  @Test func aFileThatWasWrittenCanBeChanged() throws {
    let folder = try ScratchFolder()
    let schema = Tables().schema
    let path = folder.file("pages.sqlite")
    try BulkWriter(Self.migrations(schema)).write(
      Self.store(schema, 5_000), checkpoint: Self.checkpoint, to: path)
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.execute(
        sql: """
          DELETE FROM named WHERE number % 3 = 0; DELETE FROM joined WHERE value % 2 = 0;
          UPDATE numbered SET words = words || ' more' WHERE id % 2 = 0;
          DELETE FROM numbered WHERE id % 5 = 0;
          INSERT INTO numbered_search(numbered_search) VALUES('integrity-check');
          """)
      #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  @Test func twoRowsWithAUniqueNameAreRefused() throws {
    let folder = try ScratchFolder()
    let schema = Tables().schema
    let store = MemoryRowStore(schema: schema)
    for id in [1, 2] as [Int64] {
      try store.put([.integer(id), .text("same"), .text("")], in: schema.tables[2])
    }
    let error = #expect(throws: StoreError.self) {
      try BulkWriter(Self.migrations(schema)).write(
        store, checkpoint: Self.checkpoint, to: folder.file("pages.sqlite"))
    }
    #expect(error?.message == "UNIQUE constraint failed: numbered.name")
  }

  // MARK: Rows

  /// Texts up to some pages long, integers and real numbers of every length that SQLite tells apart.
  private static func store(_ schema: Schema, _ rows: Int) throws -> MemoryRowStore {
    var random = SplitMix(seed: 11)
    let store = MemoryRowStore(schema: schema)
    for table in schema.tables {
      for number in 0..<rows {
        try store.put(
          table.columns.enumerated().map { position, column in
            value(column, number, isKey: table.key.contains(position), &random)
          }, in: table)
      }
    }
    return store
  }

  private static func value(
    _ column: ColumnDescription, _ number: Int, isKey: Bool, _ random: inout SplitMix
  ) -> Value {
    if column.isNullable, random.below(5) == 0 { return .null }
    switch column.type {
    case .integer:
      return .integer(
        isKey ? Int64(number) : Int64(bitPattern: random.next()) >> Int64(random.below(64)))
    case .real:
      let reals = [
        0, -0.0, 1, 0.5, -3, 1e300, 127, 128, 140_737_488_355_327, 140_737_488_355_328,
        -140_737_488_355_328, -140_737_488_355_329, 9_007_199_254_740_992, 1e18, 1e19,
      ]
      return .real(random.pick(reals))
    case .text:
      if column.name == "words" {
        return .text("w\(random.below(40)) w\(random.below(9)) v\(number)")
      }
      if column.name == "name" { return .text("n\(number)" + long(&random)) }
      return .text(random.below(3) == 0 ? "same" : long(&random))
    case .id: return .id(EntityID(high: random.next(), low: random.next()))
    case .time: return .time(Timestamp(milliseconds: Int64(random.below(4)) * 1_000_000_007))
    case .blob: return .blob(Array(long(&random).utf8))
    case .any:
      return random.pick([
        .integer(Int64(number)), .real(3), .real(-0.0), .text(long(&random)),
        .blob(Array(long(&random).utf8)),
      ])
    }
  }

  private static func long(_ random: inout SplitMix) -> String {
    let length = [0, 3, 60, 500, 1_020, 4_000, 4_090, 9_000, 20_000][
      random.below(random.below(20) == 0 ? 9 : 3)]
    return String(repeating: random.pick(["x", "é", "林"]), count: length + random.below(20))
  }

  /// Every row by the table, and the rows again as each of its indexes leads to them.
  private static func contents(
    of table: TableDescription, in path: String
  ) throws -> [[DatabaseValue]] {
    let queue = try DatabaseQueue(path: path)
    return try queue.read { database in
      var rows = try Row.fetchAll(database, sql: "SELECT * FROM \(table.name)")
      for index in table.indexes {
        guard let name = index.name else { continue }
        let columns = index.columns.map { table.columns[$0].name }.joined(separator: ", ")
        rows += try Row.fetchAll(
          database, sql: "SELECT * FROM \(table.name) INDEXED BY \(name) ORDER BY \(columns)")
      }
      return rows.map { Array($0.databaseValues) }
    }
  }
}
