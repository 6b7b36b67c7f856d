import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise("Tables, columns, constraints and indexes are the brief's"),
  .promise(
    "A page of tracks, playlists, songs, albums and artists is found by an index, and is "
      + "that of a plain model"))
struct TrackSchemaTests {
  /// The statements of the briefs, but for the key of `collection_tracks`.
  private static let brief = """
    CREATE TABLE tracks (id TEXT PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL,
      album_artist TEXT, duration REAL NOT NULL, file_url TEXT NOT NULL, artwork_url TEXT, artwork_data BLOB,
      genre TEXT, year INTEGER, track_number INTEGER);
    CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE collection_tracks (collection_id TEXT NOT NULL, track_id TEXT NOT NULL, position INTEGER NOT NULL,
      PRIMARY KEY (collection_id, position),
      FOREIGN KEY (collection_id) REFERENCES collections(id) ON DELETE CASCADE,
      FOREIGN KEY (track_id) REFERENCES tracks(id) ON DELETE CASCADE);
    CREATE INDEX idx_tracks_artist ON tracks(artist);
    CREATE INDEX idx_tracks_album ON tracks(album);
    CREATE INDEX idx_tracks_album_artist ON tracks(album_artist);
    CREATE INDEX idx_collection_tracks_collection ON collection_tracks(collection_id);
    CREATE TABLE track_source (track_id TEXT PRIMARY KEY NOT NULL REFERENCES tracks(id) ON DELETE CASCADE,
      source TEXT NOT NULL, uri TEXT NOT NULL UNIQUE, song_id TEXT REFERENCES song(id), date_added TEXT NOT NULL);
    CREATE INDEX idx_track_source_song ON track_source(song_id);
    CREATE TABLE collection_info (collection_id TEXT PRIMARY KEY NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
      description TEXT, artwork_url TEXT, date_created TEXT NOT NULL, date_modified TEXT NOT NULL);
    CREATE TABLE song (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, artist TEXT NOT NULL, artwork_url TEXT,
      date_added TEXT NOT NULL, sync_status INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE song_alias (alias TEXT PRIMARY KEY NOT NULL, song_id TEXT NOT NULL REFERENCES song(id) ON DELETE CASCADE);
    CREATE TABLE tag (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, hex_color TEXT NOT NULL,
      is_system_tag INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE song_tag (song_id TEXT NOT NULL REFERENCES song(id) ON DELETE CASCADE,
      tag_id TEXT NOT NULL REFERENCES tag(id) ON DELETE CASCADE, PRIMARY KEY (song_id, tag_id));
    CREATE INDEX idx_song_tag_tag ON song_tag(tag_id);
    CREATE TABLE track_play (track_id TEXT PRIMARY KEY NOT NULL, last_played_at TEXT NOT NULL,
      first_played_at TEXT NOT NULL, play_count INTEGER NOT NULL);
    CREATE VIRTUAL TABLE track_search USING fts5(track_id UNINDEXED, title, artist, album,
      tokenize = "unicode61 remove_diacritics 2");
    """

  /// What SQLite tells of tables, columns, keys and indexes; the projection's own are left out.
  private static let description = [
    """
    SELECT s.name, t.name, t.type, t."notnull", t.dflt_value, t.pk FROM sqlite_schema s, pragma_table_info(s.name) t
    WHERE s.type = 'table' AND s.name NOT LIKE 'projection%' AND s.name NOT LIKE 'track_search%'
      AND s.name NOT LIKE 'sqlite%' AND s.name NOT LIKE 'grdb%' ORDER BY 1, t.cid
    """,
    """
    SELECT s.name, f."from", f."table", f."to", f.on_delete FROM sqlite_schema s, pragma_foreign_key_list(s.name) f
    WHERE s.name NOT LIKE 'projection%' ORDER BY 1, 2
    """,
    """
    SELECT s.name, iif(l.origin = 'c', l.name, l.origin), l."unique", group_concat(i.name)
    FROM sqlite_schema s, pragma_index_list(s.name) l, pragma_index_info(l.name) i
    WHERE s.type = 'table' AND s.name NOT LIKE 'projection%' AND l.name NOT LIKE 'projection%'
      AND s.name NOT LIKE 'track_search%' AND s.name NOT LIKE 'grdb%' GROUP BY s.name, l.name ORDER BY 1, 2, 4
    """,
    "SELECT name FROM pragma_table_info('track_search')",
  ]

  @Test func theTablesAreThoseOfTheBriefs() async throws {
    let test = try await TestLibrary()
    let expected = test.folder.file("brief.sqlite")
    let made = try Program("sqlite3", expected, Self.brief)
    try #require(made.status == 0, "\(made)")
    for query in Self.description {
      let wanted = try Program("sqlite3", expected, query).output
      #expect(!wanted.isEmpty)
      #expect(try test.sql(query).joined(separator: "\n") + "\n" == wanted)
    }
    #expect(
      try test.sql("SELECT sql FROM sqlite_schema WHERE name = 'track_search'")[0]
        .hasSuffix(#"tokenize="unicode61 remove_diacritics 2")"#))
  }

  /// The player looks at it before it reads the tables. A database whose version was changed by hand is not one that
  /// the projector made.
  @Test func theDatabaseHasThePlayersVersion() async throws {
    let test = try await TestLibrary()
    #expect(try test.sql("PRAGMA user_version") == ["1"])
    try await test.catalog.rebuild()
    #expect(try test.sql("PRAGMA user_version") == ["1"])
    _ = try test.sql("PRAGMA user_version = 2")
    // Another process, which finds the files changed.
    let other = try await EventCatalog.openExisting(test.catalog.directory, TrackLibraryKind())
    defer { other.close() }
    let error = await #expect(throws: StoreError.self) { try await other.verifyIfTouched() }
    #expect(error?.message.contains("user_version") == true, "\(String(describing: error))")
    try await other.rebuild()
    #expect(try test.sql("PRAGMA user_version") == ["1"])
    try await other.verifyIfTouched()
  }

  /// A search by an index, not a scan: what is found for each track of an import.
  @Test(arguments: [
    "SELECT * FROM track_source WHERE uri = 'x'",
    "SELECT * FROM collection_tracks WHERE track_id = 'x'",
    "SELECT * FROM song_alias WHERE song_id = 'x'",
    "SELECT * FROM tracks WHERE artist = 'x' ORDER BY artist",
  ])
  func tracksAreFoundByIndexes(_ query: String) async throws {
    let test = try await TestLibrary()
    #expect(try test.sql("EXPLAIN QUERY PLAN \(query)").joined().contains("USING"))
  }
}
