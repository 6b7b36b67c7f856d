import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "The rows are what the documents say, in a second implementation in Python",
    by: "`Tools/concert-reducer.py`"),
  .promise("Tables, columns, constraints and indexes are the brief's"))
struct ConcertSchemaTests {
  /// The brief's section 1: columns with type, NOT NULL, DEFAULT and key as SQLite tells them.
  static let columns: [(table: String, columns: String)] = [
    (
      "shows",
      """
      show_id TEXT 1 - 1, date TEXT 1 - 0, year INTEGER 1 - 0, month INTEGER 1 - 0, year_month TEXT 1 - 0, \
      band TEXT 1 - 0, url TEXT 0 - 0, venue_name TEXT 1 - 0, city TEXT 0 - 0, state TEXT 0 - 0, \
      country TEXT 1 'USA' 0, location_raw TEXT 0 - 0, setlist_status TEXT 0 - 0, setlist_raw TEXT 0 - 0, \
      song_list TEXT 0 - 0, lineup_status TEXT 0 - 0, lineup_raw TEXT 0 - 0, member_list TEXT 0 - 0, \
      show_sequence INTEGER 1 1 0, recordings_raw TEXT 0 - 0, recording_count INTEGER 1 0 0, \
      best_recording_id TEXT 0 - 0, average_rating REAL 0 - 0, total_reviews INTEGER 1 0 0, \
      is_in_library INTEGER 1 0 0, library_added_at INTEGER 0 - 0, created_at INTEGER 1 - 0, \
      updated_at INTEGER 1 - 0
      """
    ),
    (
      "recordings",
      """
      identifier TEXT 1 - 1, show_id TEXT 1 - 0, source_type TEXT 0 - 0, rating REAL 1 0.0 0, \
      raw_rating REAL 1 0.0 0, review_count INTEGER 1 0 0, confidence REAL 1 0.0 0, high_ratings INTEGER 1 0 0, \
      low_ratings INTEGER 1 0 0, taper TEXT 0 - 0, source TEXT 0 - 0, lineage TEXT 0 - 0, \
      source_type_string TEXT 0 - 0, collection_timestamp INTEGER 1 - 0
      """
    ),
    (
      "library_shows",
      """
      show_id TEXT 1 - 1, added_to_library_at INTEGER 1 - 0, is_pinned INTEGER 1 0 0, library_notes TEXT 0 - 0, \
      custom_rating REAL 0 - 0, last_accessed_at INTEGER 0 - 0, tags TEXT 0 - 0
      """
    ),
    (
      "recent_shows",
      """
      show_id TEXT 1 - 1, last_played_timestamp INTEGER 1 - 0, first_played_timestamp INTEGER 1 - 0, \
      total_play_count INTEGER 1 - 0
      """
    ),
    (
      "collections",
      """
      id TEXT 1 - 1, name TEXT 1 - 0, description TEXT 1 - 0, tags_json TEXT 1 - 0, show_ids_json TEXT 1 - 0, \
      total_shows INTEGER 1 - 0, primary_tag TEXT 0 - 0, created_at INTEGER 1 - 0, updated_at INTEGER 1 - 0
      """
    ),
    (
      "data_version",
      """
      id INTEGER 1 1 1, data_version TEXT 1 - 0, package_name TEXT 1 - 0, version_type TEXT 1 - 0, \
      description TEXT 0 - 0, imported_at INTEGER 1 - 0, git_commit TEXT 0 - 0, git_tag TEXT 0 - 0, \
      build_timestamp TEXT 0 - 0, total_shows INTEGER 1 0 0, total_venues INTEGER 1 0 0, \
      total_files INTEGER 1 0 0, total_size_bytes INTEGER 1 0 0
      """
    ),
  ]

  @Test func theTablesAreThoseOfTheBrief() async throws {
    let test = try await TestArchive()
    for (table, columns) in Self.columns {
      let found = try test.sql(
        "SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || ifnull(dflt_value, '-') || ' ' || pk "
          + "FROM pragma_table_info('\(table)')")
      #expect(found.joined(separator: ", ") == columns, "\(table)")
    }
    #expect(
      try test.sql("SELECT sql FROM sqlite_schema WHERE name = 'show_search'") == [
        "CREATE VIRTUAL TABLE show_search USING fts5(show_id UNINDEXED, search_text, "
          + "tokenize=\"unicode61 tokenchars '-.'\")"
      ])
  }

  @Test func theIndexesAndKeysAreThoseOfTheBrief() async throws {
    let test = try await TestArchive()
    let indexes = try test.sql(
      """
      SELECT l.name || ' ' || l."unique" || ' ' || group_concat(i.name || iif(i.desc, ' DESC', ''), ',')
      FROM sqlite_schema s, pragma_index_list(s.name) l, pragma_index_xinfo(l.name) i
      WHERE s.type = 'table' AND s.name NOT LIKE 'projection%' AND l.origin = 'c' AND i.key
      GROUP BY l.name ORDER BY l.name
      """)
    #expect(
      indexes == [
        "idx_collections_primary_tag 0 primary_tag", "idx_collections_total_shows 0 total_shows",
        "idx_library_shows_added_at 0 added_to_library_at",
        "idx_library_shows_is_pinned 0 is_pinned",
        "idx_library_shows_show_id 1 show_id",
        "idx_recent_shows_last_played 0 last_played_timestamp DESC",
        "idx_recordings_rating 0 rating", "idx_recordings_show_id 0 show_id",
        "idx_recordings_show_id_rating 0 show_id,rating",
        "idx_recordings_source_type 0 source_type",
        "idx_shows_city 0 city", "idx_shows_date 0 date", "idx_shows_state 0 state",
        "idx_shows_venue_name 0 venue_name", "idx_shows_year 0 year",
        "idx_shows_yearMonth 0 year_month",
      ])
    for table in ["recordings", "library_shows"] {
      #expect(
        try test.sql(
          "SELECT \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list('\(table)')")
          == ["shows|show_id|show_id|CASCADE"])
    }
    #expect(try test.sql("SELECT count(*) FROM pragma_foreign_key_list('recent_shows')") == ["0"])
  }

  /// The example of the brief's section 1.6.
  @Test func theSearchTextIsInTheBriefsOrder() async throws {
    let test = try await TestArchive.imported()
    #expect(
      try test.sql("SELECT search_text FROM show_search WHERE show_id = '\(ID.civicArena)'") == [
        "1977-05-09 5-9-77 5/9/77 5.9.77 1977 77 197 Civic Arena Millbrook NY New York USA "
          + "Ida Marsh Tom Pell Ruth Okafor Sam Lund Tin-a-Roe Half-Step Lullaby"
      ])
  }

  /// A second implementation, in Python, makes the same rows of the same events.
  @Test func anotherImplementationMakesTheSameRows() async throws {
    let test = try await TestArchive.imported()
    let archive = test.archive
    for show in [ID.lanternHall, ID.barn, ID.harborStage, ID.zephyrRoom] {
      try await archive.library.add(show)
      try await archive.recent.play(show, seconds: 31, of: nil)
    }
    try await archive.library.pin(ID.lanternHall)
    try await archive.library.note(ID.barn, "e\u{301}tude")
    try await archive.library.rate(ID.barn, 3.25)
    try await archive.library.rate(ID.lanternHall, 5)
    try await archive.library.rate(ID.lanternHall, nil)
    try await archive.library.tag(ID.barn, ["e\u{301}tude", "\"x\""])
    try await archive.recent.play(ID.lanternHall, seconds: 15, of: 30)
    try await archive.recent.clear(show: ID.barn)
    try await archive.packages.apply(TestArchive.second, removesShows: true)
    try await archive.library.remove(ID.zephyrRoom)
    let reducer = try Program(
      "python3", ScratchFolder.repository + "/Tools/concert-reducer.py",
      test.folder.file("archive/events"), test.database)
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
    #expect(reducer.output.hasSuffix(" events, equal\n"))
    // It sees what is different.
    _ = try test.sql("UPDATE recordings SET rating = rating + 0.1")
    let other = try Program(
      "python3", ScratchFolder.repository + "/Tools/concert-reducer.py",
      test.folder.file("archive/events"), test.database)
    #expect(other.status == 2)
  }
}
