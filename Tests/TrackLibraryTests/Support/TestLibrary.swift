import CatalogEngine
import CatalogTestSupport
import Foundation
import TrackLibrary

/// A library in a folder of its own.
final class TestLibrary: Sendable {
  let folder: ScratchFolder
  let catalog: EventCatalog<TrackLibraryKind>
  let library: TrackLibrary

  init() async throws {
    folder = try ScratchFolder()
    let clock = TestClock()
    catalog = try await EventCatalog.open(
      CatalogDirectory(folder.file("library")), TrackLibraryKind(),
      options: OpeningOptions(clock: CatalogClock { clock.next() }))
    library = TrackLibrary(catalog)
    try await catalog.create(by: "test")
  }

  deinit { library.close() }

  /// The bytes of the log: the same where nothing was appended.
  func log() throws -> [String: [UInt8]] {
    try ScratchFolder.contents(folder.file("library/events"))
  }

  /// What sqlite3 answers, a row a line.
  func sql(_ statement: String) throws -> [String] {
    try SQLiteShell.rows(of: folder.file("library/catalog.sqlite"), statement)
  }

  /// All rows of all tables, by table: the same after a rebuild.
  func rows() throws -> [String: [String]] {
    let names = try sql(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%track!_search!_%' ESCAPE '!'
      AND name NOT IN ('sqlite_sequence', 'projection_checkpoint', 'projection_digest')
      """)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try sql("SELECT * FROM \"\($0)\"").sorted()) })
  }

  /// Writes a document and imports it.
  @discardableResult
  func importing(_ text: String, as name: String) async throws -> TrackImportReport {
    try await importing(Array(text.utf8), as: name)
  }

  @discardableResult
  func importing(_ bytes: [UInt8], as name: String) async throws -> TrackImportReport {
    try await library.imports.apply(try folder.write(bytes, to: name))
  }

  /// The same document, not imported.
  func planning(_ text: String, as name: String) async throws -> TrackImportReport {
    try await library.imports.plan(try folder.write(text, to: name))
  }

  /// The URIs of all tracks, by URI.
  func uris() throws -> [String] { try sql("SELECT uri FROM track_source ORDER BY uri") }

  /// The URIs of a playlist's tracks in their order.
  func uris(of playlist: EntityID) async throws -> [String] {
    try await library.playlists.playlist(playlist)?.tracks.map(\.uri) ?? []
  }

  /// The only playlist of this name.
  func playlist(_ name: String) async throws -> EntityID {
    try await library.playlists.id(of: PlaylistText(name))
  }
}

extension EntityID {
  /// `00000000-0000-4000-8000-000000000007`
  static func number(_ number: Int) -> EntityID {
    let digits = String(number)
    let text =
      "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    guard let id = EntityID(text) else { preconditionFailure("\(text) is a UUID") }
    return id
  }
}
