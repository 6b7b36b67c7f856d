public import CatalogModel
import GRDB

public import struct Foundation.UUID

/// A music entry: a playlist of Apple Music.
public struct MusicEntry: Hashable, Sendable, Identifiable {
  public let item: LibraryItemRow
  public let playlistID: String
  /// When its metadata was last refreshed; nil for never.
  public let lastSyncAt: Timestamp?
  public let usesSnapshot: Bool

  public var id: UUID { item.id }
}

/// Reads music entries. All of them are always shown.
public struct MusicRepository: Sendable {
  private let reader: CatalogReader

  package init(_ reader: CatalogReader) {
    self.reader = reader
  }

  /// All visible entries by title.
  public func listMusicEntries() async throws -> [MusicEntry] {
    try await reader.read(Self.entries)
  }

  /// The Apple Music playlist of an entry.
  ///
  /// - Throws: `StoreError` with `notFound` for an unknown item, `invalidRequest` for one that is no
  ///   music.
  public func playlistID(for itemId: UUID) async throws -> String {
    let id = EntityID(itemId)
    return try await reader.read { database in
      guard
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT item.kind, playlist.apple_music_playlist_id FROM library_item AS item
            LEFT JOIN music_playlist_ref AS playlist ON playlist.item_id = item.id
            WHERE item.id = ?
            """, arguments: [id.description])
      else { throw StoreError.noItem(id) }
      guard let playlist: String = row[1] else {
        throw StoreError(
          .invalidRequest, "item \(id) is of kind \(row[0] as String): it has no playlist")
      }
      return playlist
    }
  }

  /// The entries now and after each change.
  public func observeMusicEntries() -> CatalogObservation<[MusicEntry]> {
    reader.observe(Self.entries)
  }

  private static func entries(_ database: Database) throws -> [MusicEntry] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(LibraryItemRow.columns), playlist.apple_music_playlist_id AS playlist_id,
          playlist.last_sync_at, playlist.use_snapshot
        FROM library_item AS item \(ItemList.words)
        CROSS JOIN music_playlist_ref AS playlist ON playlist.item_id = item.id
        WHERE item.kind = 'music' AND item.is_visible = 1 ORDER BY words.title, item.id
        """
    ).map { row in
      MusicEntry(
        item: try LibraryItemRow(row), playlistID: row["playlist_id"],
        lastSyncAt: (row["last_sync_at"] as String?).flatMap { Timestamp($0) },
        usesSnapshot: row["use_snapshot"])
    }
  }
}
