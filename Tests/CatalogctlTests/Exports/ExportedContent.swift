import CatalogTestSupport
import Foundation
import Testing

/// The content of a catalog that documents of its kind can have, asked by the program `sqlite3`: no code of an export is used.
enum ExportedContent {
  /// Statements whose answers are the same in a catalog and in one that imports its documents.
  static func statements(of kind: String) -> [String] {
    switch kind {
    case "sound-library": soundLibrary
    case "concert-archive": concertArchive
    default: trackLibrary
    }
  }

  private static let soundLibrary =
    [
      """
      SELECT id, kind, title, quote(subtitle), quote(duration), quote(artwork_url), is_visible
      FROM library_item ORDER BY id
      """,
      "SELECT item_id, apple_music_playlist_id, use_snapshot FROM music_playlist_ref ORDER BY 1",
      """
      SELECT id, kind, title, quote(description), quote(artwork_url), version, manifest_url
      FROM pack ORDER BY id
      """,
      "SELECT pack_id, item_id, sort_order FROM pack_item ORDER BY 1, 3",
      "SELECT seed_id, revision FROM projection_seed ORDER BY 1",
      """
      SELECT item_id, name FROM projection_item JOIN projection_source ON source_id = id ORDER BY 1
      """,
    ]
    + ["location", "mood", "music_theme", "atmosphere_theme", "sfx_theme", "creature_type"]
    .flatMap { table in
      [
        "SELECT name FROM \(table) ORDER BY sort_order IS NULL, sort_order, id",
        "SELECT item_id, name FROM item_\(table) JOIN \(table) ON id = \(table)_id ORDER BY 1, 2",
      ]
    }

  private static let concertArchive = [
    """
    SELECT show_id, date, year, month, year_month, band, quote(url), venue_name, quote(city),
      quote(state), country, quote(location_raw), quote(setlist_status), quote(setlist_raw),
      quote(song_list), quote(lineup_status), quote(lineup_raw), quote(member_list), show_sequence,
      quote(recordings_raw), recording_count, quote(best_recording_id), quote(average_rating),
      total_reviews
    FROM shows ORDER BY 1
    """,
    """
    SELECT identifier, show_id, quote(source_type), rating, raw_rating, review_count, confidence,
      high_ratings, low_ratings, quote(taper), quote(source), quote(lineage)
    FROM recordings ORDER BY 1
    """,
    """
    SELECT id, name, description, tags_json, show_ids_json, total_shows, quote(primary_tag)
    FROM collections ORDER BY 1
    """,
    "SELECT show_id, identifier, position FROM projection_show_recording ORDER BY 1, 3",
    "SELECT collection_id, position, show_id FROM projection_collection_show ORDER BY 1, 2",
    "SELECT show_id, quote(show_time), search_text, search_words FROM projection_show_text ORDER BY 1",
    """
    SELECT data_version, package_name, version_type, quote(description), quote(git_commit),
      quote(git_tag), quote(build_timestamp) FROM data_version
    """,
    """
    SELECT show_id, is_pinned, quote(library_notes), quote(custom_rating), quote(tags)
    FROM library_shows ORDER BY 1
    """,
  ]

  private static let trackLibrary = [
    """
    SELECT id, title, artist, album, quote(album_artist), duration, file_url, quote(artwork_url),
      quote(artwork_data), quote(genre), quote(year), quote(track_number) FROM tracks ORDER BY 1
    """,
    "SELECT track_id, source, uri, quote(song_id), date_added FROM track_source ORDER BY 1",
    "SELECT id, name FROM collections ORDER BY 1",
    """
    SELECT collection_id, quote(description), quote(artwork_url) FROM collection_info ORDER BY 1
    """,
    "SELECT collection_id, position, track_id FROM collection_tracks ORDER BY 1, 2",
    "SELECT id, title, artist, quote(artwork_url) FROM song WHERE sync_status < 2 ORDER BY 1",
    "SELECT alias, song_id FROM song_alias ORDER BY 1",
    "SELECT id, name, hex_color FROM tag WHERE is_system_tag = 0 ORDER BY 1",
    """
    SELECT song_id, source, name FROM projection_song_tag_source JOIN tag ON tag.id = tag_id
    ORDER BY 1, 2, 3
    """,
  ]
}

/// A catalog and a new one that gets its documents.
struct ExportTrial {
  let catalog: TestCatalog
  let kind: String

  init(_ kind: String) async throws {
    catalog = try TestCatalog()
    self.kind = kind
    try await run("init", "--kind", kind)
  }

  /// Runs a command on the catalog, which succeeds.
  @discardableResult
  func run(_ words: String...) async throws -> Outcome {
    try await Self.run(words, in: catalog.path)
  }

  private static func run(_ words: [String], in path: String) async throws -> Outcome {
    let outcome = await InProcess.run(words + ["--catalog", path])
    try #require(outcome.status == 0, "\(words): \(outcome)")
    return outcome
  }

  /// Exports the catalog, imports the documents into a new one, and compares what both contain.
  ///
  /// - Returns: what the export said.
  @discardableResult
  func comesBack(at moment: String? = nil, as name: String = "out") async throws -> Outcome {
    let out = catalog.folder.file(name)
    let at = moment.map { ["--at", $0] } ?? []
    let exported = try await Self.run(["export", out] + at, in: catalog.path)
    let other = try TestCatalog()
    _ = try await Self.run(["init", "--kind", kind], in: other.path)
    _ = try await Self.run(imports(of: out), in: other.path)
    let library = out + "/saved-shows.json"
    if kind == "concert-archive", FileManager.default.fileExists(atPath: library) {
      _ = try await Self.run(["shows", "restore", library], in: other.path)
    }
    var database = catalog.path + "/catalog.sqlite"
    if let moment {
      database = catalog.folder.file("\(name).sqlite")
      _ = try await Self.run(["materialize", moment, database], in: catalog.path)
    }
    let sql = ExportedContent.statements(of: kind).joined(separator: ";\n")
    let wanted = try SQLiteShell.rows(of: database, sql)
    let found = try SQLiteShell.rows(of: other.path + "/catalog.sqlite", sql)
    for (found, wanted) in zip(found, wanted) where found != wanted {
      Issue.record("\(found) is not \(wanted)")
      break
    }
    #expect(found.count == wanted.count && found.count > 1)
    return exported
  }

  /// The command that imports all documents of a folder.
  private func imports(of out: String) throws -> [String] {
    switch kind {
    case "sound-library":
      ["import"] + (try ScratchFolder.contents(out).keys.sorted().map { "\(out)/\($0)" })
    case "concert-archive": ["shows", "import", out]
    default: ["tracks", "import", out + "/library.json"]
    }
  }
}
