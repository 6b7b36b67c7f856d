import CatalogStore
import CatalogTestSupport
import GRDB
import Projections
import Promises
import Testing

@testable import SoundLibrary

/// Every table, column and index of the brief is there, by the brief's names.
@Suite(
  .promise("Tables, columns, constraints and indexes are the brief's"))
struct BriefSchemaTests {
  /// Column, type, NOT NULL, default, place in the primary key: written down from the brief.
  private static let tables: [String: [String]] = [
    "library_item": [
      "id TEXT pk1", "kind TEXT notnull", "title TEXT notnull", "subtitle TEXT", "duration REAL",
      "artwork_url TEXT", "is_visible INTEGER notnull =1", "created_at TEXT notnull",
      "updated_at TEXT notnull",
    ],
    "music_playlist_ref": [
      "item_id TEXT pk1", "apple_music_playlist_id TEXT notnull", "last_sync_at TEXT",
      "use_snapshot INTEGER notnull =0",
    ],
    "music_track_cache": [
      "track_id TEXT pk1", "title TEXT notnull", "artist TEXT notnull", "album TEXT",
      "duration REAL", "artwork_url TEXT", "last_seen_at TEXT notnull",
    ],
    // Variant A; the key has `position` too, since a playlist may hold a track twice.
    "playlist_track": [
      "playlist_id TEXT notnull pk1", "track_id TEXT notnull pk2", "position INTEGER notnull pk3",
      "snapshot_at TEXT notnull pk4",
    ],
    "pack": [
      "id TEXT pk1", "kind TEXT notnull", "title TEXT notnull", "description TEXT",
      "artwork_url TEXT", "version INTEGER notnull", "manifest_url TEXT notnull",
      "created_at TEXT notnull",
    ],
    "pack_state": [
      "pack_id TEXT pk1", "state TEXT notnull", "bytes_total INTEGER", "bytes_downloaded INTEGER",
      "installed_version INTEGER", "last_error TEXT", "updated_at TEXT notnull",
    ],
    "pack_item": [
      "pack_id TEXT notnull pk1", "item_id TEXT notnull pk2", "sort_order INTEGER notnull",
    ],
    "local_asset": [
      "id TEXT pk1", "pack_id TEXT notnull", "remote_url TEXT notnull", "local_path TEXT",
      "etag TEXT", "sha256 TEXT", "bytes_total INTEGER", "created_at TEXT notnull",
    ],
    "item_local_audio": [
      "item_id TEXT pk1", "asset_id TEXT notnull", "codec TEXT", "sample_rate INTEGER",
      "channels INTEGER", "loopable INTEGER notnull =0",
    ],
    "item_location": ["item_id TEXT notnull pk1", "location_id INTEGER notnull pk2"],
    "item_mood": ["item_id TEXT notnull pk1", "mood_id INTEGER notnull pk2"],
    "item_music_theme": ["item_id TEXT notnull pk1", "music_theme_id INTEGER notnull pk2"],
    "item_atmosphere_theme": [
      "item_id TEXT notnull pk1", "atmosphere_theme_id INTEGER notnull pk2",
    ],
    "item_sfx_theme": ["item_id TEXT notnull pk1", "sfx_theme_id INTEGER notnull pk2"],
    "item_creature_type": ["item_id TEXT notnull pk1", "creature_type_id INTEGER notnull pk2"],
  ]

  private static let vocabularies = [
    "location", "mood", "music_theme", "atmosphere_theme", "sfx_theme", "creature_type",
  ]

  private static let indexes: [String: String] = [
    "idx_library_item_kind": "library_item(kind)",
    "idx_item_location_location": "item_location(location_id)",
    "idx_item_mood_mood": "item_mood(mood_id)",
    "idx_item_music_theme_theme": "item_music_theme(music_theme_id)",
    "idx_item_atmo_theme_theme": "item_atmosphere_theme(atmosphere_theme_id)",
    "idx_item_sfx_theme_theme": "item_sfx_theme(sfx_theme_id)",
    "idx_item_creature_type_type": "item_creature_type(creature_type_id)",
    "idx_pack_item_pack": "pack_item(pack_id)",
    "idx_pack_state_state": "pack_state(state)",
  ]

  private let folder: ScratchFolder
  private let database: ProjectionDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ProjectionDatabase(
      path: folder.file("catalog.sqlite"), migrations: .soundLibrary)
    try database.createTables()
  }

  @Test func hasEveryTableAndColumn() throws {
    var expected = Self.tables
    for name in Self.vocabularies {
      expected[name] = [
        "id INTEGER pk1", "name TEXT notnull", "sort_order INTEGER",
        "is_system INTEGER notnull =1", "created_at TEXT notnull =CURRENT_TIMESTAMP",
      ]
    }
    try database.pool.read { database in
      for (table, columns) in expected {
        let found = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table))").map { row in
          let name: String = row["name"]
          let type: String = row["type"]
          let isNotNull: Bool = row["notnull"]
          let standard: String? = row["dflt_value"]
          let key: Int = row["pk"]
          return "\(name) \(type)" + (isNotNull ? " notnull" : "")
            + (standard.map { " =\($0)" } ?? "") + (key > 0 ? " pk\(key)" : "")
        }
        #expect(found == columns, "\(table)")
      }
      let others = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'projection\\_%'
          ESCAPE '\\' AND name NOT LIKE 'sqlite%'
          """)
      #expect(Set(others) == Set(expected.keys).union(["grdb_migrations"]))
    }
  }

  @Test func hasEveryIndexAndOwnOnesByTheirPrefix() throws {
    try database.pool.read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
      var found: [String: String] = [:]
      for row in rows { found[row[0]] = row[1] }
      for (name, target) in Self.indexes {
        #expect(found[name] == "CREATE INDEX \(name) ON \(target)")
      }
      for name in found.keys where Self.indexes[name] == nil {
        #expect(name.hasPrefix("projection_idx_"))
      }
    }
  }

  /// Declarations are written by hand beside the descriptions that stores go by.
  @Test func descriptionsAreWhatSQLiteSays() throws {
    try database.pool.read { database in
      for table in SoundLibrarySchema.schema.tables {
        let columns = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table.name))")
        #expect(columns.map { $0["name"] as String } == table.columns.map(\.name))
        for (column, row) in zip(table.columns, columns) {
          let isNotNull = (row["notnull"] as Bool) || (row["pk"] as Int) > 0
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
        let key = columns.filter { ($0["pk"] as Int) > 0 }.sorted {
          ($0["pk"] as Int) < ($1["pk"] as Int)
        }
        #expect(key.map { $0["name"] as String } == table.key.map { table.columns[$0].name })
        let unique = try Row.fetchAll(database, sql: "PRAGMA index_list(\(table.name))")
          .filter { ($0["unique"] as Bool) && ($0["origin"] as String) != "pk" }
          .map { index in
            try String.fetchAll(
              database, sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
              arguments: [index["name"] as String])
          }
        let expected = table.uniques.map { $0.map { table.columns[$0].name } }
        #expect(Set(unique) == Set(expected), "\(table.name)")
      }
    }
  }

  /// A row that has one value of no vocabulary, and is a row of the table but for that.
  @Test(arguments: [
    ("library_item", "('i','$','t',NULL,NULL,NULL,1,'','')", "podcast", "atmosphere"),
    ("pack", "('p','$','t',NULL,NULL,1,'u','')", "music", "sfx"),
    ("pack_state", "('p','$',NULL,NULL,NULL,NULL,'')", "paused", "downloading"),
  ])
  func refusesWhatTheBriefsChecksRefuse(
    table: String, row: String, wrong: String, right: String
  ) throws {
    func insert(_ value: String) throws {
      try database.pool.writeWithoutTransaction { database in
        try database.inTransaction {
          try database.execute(
            sql: "INSERT INTO \(table) VALUES \(row.replacing("$", with: value))")
          return .rollback
        }
      }
    }
    let error = #expect(throws: DatabaseError.self) { try insert(wrong) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
    #expect(error?.message?.hasPrefix("CHECK constraint failed: ") == true)
    try insert(right)
  }

  @Test(arguments: Self.vocabularies)
  func namesOfAVocabularyAreUnique(table: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try database.pool.write {
        try $0.execute(sql: "INSERT INTO \(table)(name) VALUES ('Forest'), ('Forest')")
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
  }
}
