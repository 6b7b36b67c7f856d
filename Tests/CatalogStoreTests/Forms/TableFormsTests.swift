import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// Rows of every form of table, changed at random: rows in memory written as pages, rows carried into SQLite, and
/// SQLite alone come to the same.
@Suite(
  .promise("The same log makes the same bytes; two processes agree", by: "rows in any order"),
  .promise(
    "Any form of table is written as pages, row by row and by SQLite alone to the same rows",
    by: "every form, changed at random"))
struct TableFormsTests {
  private let forms = TableForms()

  @Test(arguments: [1, 2, 3, 4] as [UInt64], [1, 10_000] as [UInt64])
  func threeWaysMakeTheSameRows(seed: UInt64, events: UInt64) throws {
    let folder = try ScratchFolder()
    var random = RandomForms(seed: seed)
    let memory = MemoryRowStore(schema: forms.schema)
    let plain = try PlainSQLRowStore(forms, at: folder.file("plain.sqlite"))
    let carried = try ProjectionDatabase(
      path: folder.file("carried.sqlite"), migrations: forms.migrations)
    defer { try? carried.close() }
    try carried.createTables()
    var refused = 0
    for _ in 0..<4 {
      try carried.update(events: events) { _, store in
        for _ in 0..<250 {
          refused += try step(&random, memory, store, plain, "seed \(seed)") ? 0 : 1
        }
        return ProjectionAdvance(forms.checkpoint)
      }
    }
    #expect(refused > 0, "no two rows met in what is unique")
    try BulkWriter(forms.migrations).write(
      memory, checkpoint: forms.checkpoint, to: folder.file("pages.sqlite"))
    let expected = try plain.receipt()
    // The one row of `state` may have been removed last.
    let empty = expected.tables.filter { $0.rows == 0 && $0.table != forms.state.name }
    #expect(empty.map(\.table) == [])
    #expect(try carried.receipt() == expected, "seed \(seed)")
    try carried.close()
    for file in ["pages.sqlite", "carried.sqlite"] {
      try expectSound(folder.file(file), expected, "\(file), seed \(seed)")
    }
  }

  /// One change, and what the stores answer to questions about it.
  ///
  /// - Returns: whether the change was taken.
  private func step(
    _ random: inout RandomForms, _ memory: MemoryRowStore, _ store: SQLiteRowStore,
    _ plain: PlainSQLRowStore, _ comment: Comment
  ) throws -> Bool {
    let table = random.random.pick(forms.schema.tables)
    let row = random.row(of: table)
    let key = table.key(of: row)
    #expect(try store.row(in: table, key: key) == memory.row(in: table, key: key), comment)
    if !table.indexes.isEmpty {
      let index = IndexReference(table: table, ordinal: random.random.below(table.indexes.count))
      let values = index.description.columns.map { row[$0] }
      let found = try memory.rows(by: index, equal: values)
      #expect(try store.rows(by: index, equal: values) == found, comment)
    }
    #expect(try store.greatestKey(in: table) == memory.greatestKey(in: table), comment)
    if random.random.below(4) == 0 {
      try memory.remove(key: key, from: table)
      try store.remove(key: key, from: table)
      try plain.remove(key: key, from: table)
      return true
    }
    let isTaken = try plain.put(row, in: table)
    let errors = [
      Self.refusal { try memory.put(row, in: table) },
      Self.refusal { try store.put(row, in: table) },
    ]
    #expect(errors.map { $0 == nil } == [isTaken, isTaken], comment)
    #expect(errors[0]?.message == errors[1]?.message, comment)
    if !isTaken { #expect(errors[0]?.code == .duplicate, comment) }
    return isTaken
  }

  private static func refusal(_ body: () throws -> Void) -> ProjectionError? {
    do {
      try body()
      return nil
    } catch let error as ProjectionError {
      return error
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  private func expectSound(_ path: String, _ expected: Receipt, _ comment: Comment) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      for index in forms.schema.fullTextIndexes {
        try database.execute(
          sql: "INSERT INTO \(index.sqlName)(\(index.sqlName), rank) VALUES ('integrity-check', 1)")
      }
    }
    try queue.read { database in
      #expect(try Receipt(of: forms.schema, in: database) == expected, comment)
      // Without what SQLite 3.40 says of `places`, whatever is in it.
      #expect(try IntegrityCheck.problems(in: database, atMost: 20) == [], comment)
      let inspection = try ProjectionInspection(database, forms.migrations)
      #expect(inspection.schema == [], comment)
      #expect(inspection.drifted.map(\.message) == [], comment)
      #expect(
        try FullTextCheck.problems(of: forms.schema, in: database, isWhole: true) == [], comment)
    }
    try queue.close()
  }

  /// A second fold of the same rows, which come in another order, writes the same bytes.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func theSameRowsMakeTheSameBytes(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var random = RandomForms(seed: seed)
    let first = MemoryRowStore(schema: forms.schema)
    for _ in 0..<600 {
      let table = random.random.pick(forms.schema.tables)
      _ = Self.refusal { try first.put(random.row(of: table), in: table) }
    }
    let second = MemoryRowStore(schema: forms.schema)
    for table in forms.schema.tables {
      for row in first.rows(in: table).shuffled(using: &random.random) {
        try second.put(row, in: table)
      }
    }
    for (store, name) in [(first, "one"), (second, "two")] {
      try BulkWriter(forms.migrations).write(
        store, checkpoint: forms.checkpoint, to: folder.file(name))
    }
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file("one")))
        == Data(contentsOf: URL(fileURLWithPath: folder.file("two"))))
  }

  /// The page writer, or SQLite after it, filled each index: a search goes through it and finds all rows.
  @Test func indexesAreUsed() throws {
    let folder = try ScratchFolder()
    var random = RandomForms(seed: 5)
    let store = MemoryRowStore(schema: forms.schema)
    for _ in 0..<2_000 {
      let table = random.random.pick(forms.schema.tables)
      _ = Self.refusal { try store.put(random.row(of: table), in: table) }
    }
    let path = folder.file("pages.sqlite")
    try BulkWriter(forms.migrations).write(store, checkpoint: forms.checkpoint, to: path)
    let queries = [
      ("pictures ORDER BY added_at DESC", "pictures_added"),
      ("pictures WHERE thumb = x'00'", "pictures_thumb"),
      ("pictures WHERE data > x'00' ORDER BY data, added_at", "pictures_data"),
      ("collections WHERE rank > 0 ORDER BY rank DESC, owner", "collections_rank"),
      ("collections WHERE name = 'a'", "sqlite_autoindex_collections_2"),
      ("positions WHERE collection = 'a' AND position = 3", "positions_last"),
      ("positions WHERE track = 't1'", "positions_track"),
      ("sources WHERE kind = 'a' ORDER BY seen_at DESC", "sources_kind"),
      ("ranks ORDER BY at DESC, score", "ranks_at"),
      ("ranks WHERE score = 0.5", "sqlite_autoindex_ranks_1"),
    ]
    let queue = try DatabaseQueue(path: path)
    try queue.read { database in
      for (query, index) in queries {
        let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN SELECT * FROM \(query)")
          .map { $0["detail"] as String }.joined(separator: "; ")
        #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(query): \(plan)")
        let table = query.prefix { $0 != " " }
        let slow = query.replacing(table, with: "\(table) NOT INDEXED", maxReplacements: 1)
        #expect(
          try Row.fetchAll(database, sql: "SELECT * FROM \(query)").count
            == Row.fetchAll(database, sql: "SELECT * FROM \(slow)").count, "\(query)")
      }
      let searches = [
        ("search", "\"5-8-77\"", "body LIKE '%5-8-77%'"),
        ("plain_search", "zoe", "body LIKE '%zoe%' OR body LIKE '%Zoë%'"),
        ("words", "half", "body LIKE '%half%'"),
      ]
      for (index, words, condition) in searches {
        let found = try Int.fetchAll(
          database, sql: "SELECT rowid FROM \(index) WHERE \(index) MATCH ? ORDER BY rowid",
          arguments: [words])
        let expected = try Int.fetchAll(
          database, sql: "SELECT number FROM texts WHERE \(condition) ORDER BY number")
        #expect(found == expected && !found.isEmpty, "\(index)")
      }
      // The whole of a short date is one word to this one.
      #expect(try Int.fetchAll(database, sql: "SELECT rowid FROM search('77')") == [])
      let others = try Row.fetchAll(
        database,
        sql: """
          SELECT 1 FROM search JOIN texts ON number = search.rowid
          WHERE search.show IS NOT texts.show
          """)
      #expect(others.isEmpty)
    }
    try queue.close()
  }

  /// Who looks for a tampered database finds texts of an index that are not the table's.
  @Test(arguments: [
    "UPDATE search_content SET c0 = 'x' WHERE id = (SELECT min(id) FROM search_content)",
    "UPDATE search_content SET c2 = '1977' WHERE id = (SELECT min(id) FROM search_content)",
    "UPDATE search_content SET c1 = 'half' WHERE id = (SELECT min(id) FROM search_content)",
  ])
  func textsOfAnIndexAreProved(sql: String) throws {
    let folder = try ScratchFolder()
    let store = MemoryRowStore(schema: forms.schema)
    try store.put(forms.text(1, "a", "5-8-77"), in: forms.texts)
    let path = folder.file("pages.sqlite")
    try BulkWriter(forms.migrations).write(store, checkpoint: forms.checkpoint, to: path)
    let queue = try DatabaseQueue(path: path)
    let before = try queue.read { try Receipt(of: forms.schema, in: $0) }
    try queue.write { try $0.execute(sql: sql) }
    try queue.read { database in
      let found = try ProjectionInspection(database, forms.migrations)
      #expect(found.drifted.map(\.table) == ["search"])
      let after = try Receipt(of: forms.schema, in: database)
      #expect(after != before)
    }
    try queue.close()
  }
}
