import CatalogModel
import CatalogStore
import CatalogTestSupport
import GRDB
import Projections
import Promises
import Testing

/// Values arrive in SQLite as they are, and digests tell apart what SQLite tells apart.
@Suite(
  .promise("Any text survives byte for byte after NFC", by: "both ways to write into SQLite"),
  .promise(
    "Two values are equal if SQLite stores the same bytes",
    by: "digests and comparisons"))
struct StoredTextsTests {
  private static let texts = [
    "", " ", "'", "''", "\"", "\\", "%_", "NULL", "0", "1.0", "é", "e\u{301}", "👩‍👩‍👧‍👦",
    "\u{1}\u{1F}\u{7F}",
    "\u{FFFD}\u{FFFF}\u{10FFFF}", "a\nb\r\n\tc", "'); DROP TABLE genre;--",
    String(repeating: "Ü’", count: 32_768),
  ]

  @Test func survivesBothWaysOfWriting() throws {
    let folder = try ScratchFolder()
    let table = ShelfTables.source
    let memory = MemoryRowStore(schema: ShelfTables.schema)
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .shelf)
    try database.createTables()
    let checkpoint = Checkpoint.made()
    let rows = Self.texts.enumerated().map { number, text in
      [Value.integer(Int64(number)), .text(text)]
    }
    for row in rows { try memory.put(row, in: table) }
    try database.update { _, store in
      for row in rows { try store.put(row, in: table) }
      for (row, text) in zip(rows, Self.texts) {
        #expect(try store.row(in: table, key: [row[0]])?[1] == .text(text))
        let index = IndexReference(table: table, ordinal: 0)
        #expect(try store.rows(by: index, equal: [.text(text)]).map { $0[0] } == [row[0]])
      }
      return ProjectionAdvance(checkpoint)
    }
    let path = folder.file("b.sqlite")
    try BulkWriter(.shelf).write(memory, checkpoint: checkpoint, to: path)
    let bulk = try ProjectionDatabase(path: path, migrations: .shelf)
    #expect(try bulk.receipt() == database.receipt())
    for database in [bulk, database] {
      let found = try database.pool.read {
        try String.fetchAll($0, sql: "SELECT name FROM source ORDER BY id")
      }
      #expect(found.map { Array($0.utf8) } == Self.texts.map { Array($0.utf8) })
      try database.close()
    }
  }

  @Test func digestsTellStorageClassesAndNormalFormsApart() throws {
    var schema = Schema()
    let table = schema.add(
      "t",
      columns: [Column("id", .integer), Column("a", .text, sql: ""), Column("b", .text, sql: "")],
      key: ["id"])
    let database = try DatabaseQueue()
    let digests = try database.write { database in
      try database.execute(sql: table.sql)
      return try [
        "1, 2", "1.0, 2", "'1', 2", "x'31', 2", "NULL, ''", "'', NULL", "'', ''", "'é', ''",
        "'e\u{301}', ''", "'ab', 'c'", "'a', 'bc'", "'abc', ''", "0, 0", "NULL, NULL",
      ].map { values in
        try database.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (1, \(values))")
        return try TableDigest(of: table, in: database).exact
      }
    }
    #expect(Set(digests).count == digests.count)
  }

  /// The comparison's walk of two tables, held against sets of their rows.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func comparisonFindsWhatSetsFind(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let table = ShelfTables.hold
    let folder = try ScratchFolder()
    let queues = try ["a", "b"].map { try DatabaseQueue(path: folder.file($0)) }
    var sets: [Set<String>] = [[], []]
    for (side, queue) in queues.enumerated() {
      try queue.write { database in
        try database.execute(sql: table.sql)
        for _ in 0..<200 {
          let row =
            "\(random.below(15)), '\(random.below(4))', \(random.below(9))"
          if sets[side].insert(row).inserted {
            try database.execute(sql: "INSERT INTO \(table.name) VALUES (\(row))")
          }
        }
      }
    }
    var missing: Set<String> = []
    var unexpected: Set<String> = []
    try queues[0].read { live in
      try queues[1].read { expected in
        try RowComparison.compare(table, live: live, expected: expected) { difference in
          let row = difference.key.map(\.description).joined(separator: ", ")
          if difference.kind == .missing { missing.insert(row) } else { unexpected.insert(row) }
        }
      }
    }
    #expect(missing == sets[1].subtracting(sets[0]), "seed \(seed)")
    #expect(unexpected == sets[0].subtracting(sets[1]), "seed \(seed)")
  }
}
