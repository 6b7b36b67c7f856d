import CatalogStore
import CatalogTestSupport
import GRDB
import Projections
import Promises
import Testing

/// What a description says as data is what SQLite says of the tables that were made from it.
@Suite(
  .promise(
    "What a description of a table says is what SQLite says of it, and each word of SQL is "
      + "a name of a table and of a column"))
struct SchemaDescriptionTests {
  @Test(arguments: [
    .shelf, TableForms().migrations, TrackTables().migrations,
  ])
  func descriptionsAreWhatSQLiteSays(migrations: ProjectionMigrations) throws {
    let queue = try DatabaseQueue()
    try migrations.migrator().migrate(queue)
    try queue.read { database in
      for table in migrations.schema.tables { try expect(table, database) }
    }
  }

  private func expect(_ table: TableDescription, _ database: Database) throws {
    let columns = try Row.fetchAll(database, sql: "PRAGMA table_xinfo(\(table.sqlName))")
    #expect(columns.allSatisfy { $0["hidden"] == 0 })
    #expect(columns.map { $0["name"] as String } == table.columns.map(\.name))
    for (column, row) in zip(table.columns, columns) {
      let place: Int = row["pk"]
      let isNotNull = row["notnull"] as Bool || place > 0
      #expect(column.isNullable == !isNotNull, "\(table.name).\(column.name)")
      let type =
        switch column.type {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text, .id, .time: "TEXT"
        case .blob, .any: "BLOB"
        }
      #expect(row["type"] as String == type, "\(table.name).\(column.name)")
    }
    let key = try String.fetchAll(
      database, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
      arguments: [table.name])
    #expect(key == table.key.map { table.columns[$0].name })
    let withoutRowIDs = try Bool.fetchOne(
      database, sql: "SELECT wr FROM pragma_table_list WHERE name = ?", arguments: [table.name])
    #expect(withoutRowIDs == (table.storage == .withoutRowIDs), "\(table.name)")
    let unique = try Row.fetchAll(database, sql: "PRAGMA index_list(\(table.sqlName))")
      .filter { $0["unique"] as Bool && $0["origin"] as String != "pk" }
      .map { Set(try Self.columns(of: $0["name"], database)) }
      .filter { !Set(table.key.map { table.columns[$0].name }).isSubset(of: $0) }
    let expected = table.uniques.map { unique in Set(unique.map { table.columns[$0].name }) }
    #expect(Set(unique) == Set(expected), "\(table.name)")
    for index in table.indexes {
      let names = index.columns.map { table.columns[$0].name }
      if let name = index.name {
        #expect(try Self.columns(of: name, database) == names, "\(name)")
      } else {
        let isPrefix = table.key.starts(with: index.columns)
        #expect(isPrefix || unique.contains(Set(names)), "\(table.name): \(names)")
      }
    }
  }

  /// What is indexed, in order.
  private static func columns(of index: String, _ database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT name FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
      arguments: [index])
  }

  @Test(arguments: [
    ("pictures_added", [true]), ("pictures_thumb", [false, false]),
    ("collections_rank", [true, false]), ("positions_last", [false, true]),
    ("ranks_at", [true, false]),
  ])
  func directionsAreWhatSQLiteSays(index: String, areDescending: [Bool]) throws {
    let queue = try DatabaseQueue()
    try TableForms().migrations.migrator().migrate(queue)
    let found = try queue.read { database in
      try Bool.fetchAll(
        database, sql: "SELECT \"desc\" FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
        arguments: [index])
    }
    #expect(found == areDescending)
  }

  /// A table as another program prescribes it is described as data, to its keys, indexes and constraints.
  @Test func sqlIsMadeFromTheDescription() {
    let schema = TrackTables().schema
    #expect(
      schema.tables.map(\.sql) == [
        """
        CREATE TABLE tracks (
          id TEXT PRIMARY KEY,
          title TEXT NOT NULL,
          duration REAL NOT NULL,
          artwork_data BLOB NULL,
          year INTEGER NULL,
          country TEXT NOT NULL DEFAULT 'USA',
          created_at INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE collection_tracks (
          collection_id TEXT NOT NULL,
          track_id TEXT NOT NULL REFERENCES tracks(id) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          PRIMARY KEY(collection_id, position),
          FOREIGN KEY (track_id) REFERENCES tracks(id) ON DELETE CASCADE,
          UNIQUE (position, track_id),
          CHECK(position >= 0)
        )
        """,
        """
        CREATE TABLE data_version (
          id INTEGER PRIMARY KEY DEFAULT 1 CHECK(id = 1),
          name TEXT NOT NULL UNIQUE
        )
        """,
        """
        CREATE TABLE recent (
          track_id TEXT PRIMARY KEY NOT NULL,
          last_played INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
      ])
    #expect(
      schema.tables.flatMap(\.indexes).compactMap(\.sql) == [
        "CREATE UNIQUE INDEX tracks_title ON tracks(title, year DESC)",
        "CREATE INDEX recent_last ON recent(last_played DESC)",
      ])
    #expect(schema.tables.map(\.uniques) == [[[1, 4]], [[2, 1]], [[1]], []])
    #expect(
      schema.fullTextIndexes.flatMap(\.creation) == [
        "CREATE VIRTUAL TABLE words USING fts5(name UNINDEXED, tokenize=\"unicode61 remove_diacritics 2 tokenchars '-.'\", prefix='1 2')",
        "CREATE VIRTUAL TABLE words_terms USING fts5vocab(words, instance)",
      ])
  }

  /// `INT PRIMARY KEY` is no row id to SQLite, and pages would be written as if it were.
  @Test func aDeclarationThatSaysOtherwiseThanItsDescriptionIsRefused() throws {
    var schema = Schema()
    schema.add(
      "t", columns: [Column("id", .integer, sql: "INT PRIMARY KEY NOT NULL")], key: ["id"])
    let folder = try ScratchFolder()
    let migrations = ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "t", layout: 1, version: 1, schema: schema))
    let error = #expect(throws: StoreError.self) {
      try BulkWriter(migrations).write(
        MemoryRowStore(schema: schema), checkpoint: TableForms().checkpoint,
        to: folder.file("t.sqlite"))
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message == "the description of t and its SQL differ in the row id")
  }

  @Test func timesOfAnyTypeAreNoContent() {
    let forms = TableForms()
    #expect(forms.pictures.timelessColumns == [0, 1, 2, 4])
    #expect(forms.sources.timelessColumns == [0, 1, 3, 4])
    #expect(forms.ranks.timelessColumns == [0, 1])
  }
}

/// Tables much as the second and the third kind have them.
private struct TrackTables {
  let schema: Schema

  init() {
    var schema = Schema()
    schema.add(
      "tracks",
      columns: [
        Column("id", .text, sql: "TEXT PRIMARY KEY"), Column("title", .text),
        Column("duration", .real), Column("artwork_data", .blob, nullable: true),
        Column("year", .integer, nullable: true),
        Column("country", .text, default: .text("USA")),
        Column("created_at", .integer, isTime: true),
      ], key: ["id"],
      indexes: [.index("tracks_title", on: ["title", .descending("year")], unique: true)])
    schema.add(
      "collection_tracks",
      columns: [
        Column("collection_id", .text),
        Column("track_id", .text, references: .to("tracks", "id", onDelete: .cascade)),
        Column("position", .integer),
      ], key: ["collection_id", "position"], storage: .rowIDs,
      constraints: [
        .foreignKey(["track_id"], .to("tracks", "id", onDelete: .cascade)),
        .unique(["position", "track_id"]), .check("position >= 0"),
      ])
    let version = schema.add(
      "data_version",
      columns: [
        Column("id", .integer, default: .integer(1), check: "id = 1"),
        Column("name", .text, unique: true),
      ], key: ["id"], indexes: [.lookup(["name"])])
    schema.add(
      "recent", columns: [Column("track_id", .text), Column("last_played", .integer)],
      key: ["track_id"], storage: .withoutRowIDs,
      indexes: [.index("recent_last", on: [.descending("last_played")])])
    schema.addFullTextIndex(
      "words", over: version, columns: [.unindexed("name")],
      tokenizer: .unicode61(diacritics: 2, tokenCharacters: "-."), content: .own, prefixes: [1, 2])
    self.schema = schema
  }

  var migrations: ProjectionMigrations {
    ProjectionMigrations(
      schema: schema,
      fingerprint: ProjectorFingerprint(kind: "tracks", layout: 1, version: 1, schema: schema))
  }
}
