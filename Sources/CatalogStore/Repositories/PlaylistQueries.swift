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
  /// What Apple Music said of the playlist last; nil where it was never asked.
  public let playlist: PlaylistInfo?

  public var id: UUID { item.id }
}

/// What Apple Music said of a playlist last.
public struct PlaylistInfo: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case available
    /// The storefront had it and has it no more. What was known of it last stays known.
    case gone
    /// The storefront does not have it, and did not when the playlist was looked at last, if ever.
    case missingInStorefront

    package init(_ name: PlaylistMetadataRefreshed.State.Name) {
      self =
        switch name {
        case .available: .available
        case .gone: .gone
        case .missingInStorefront: .missingInStorefront
        }
    }
  }

  public let storefront: String
  public let state: State
  /// Why it is not available, as the API said it; nil where it is.
  public let reason: String?
  public let title: String?
  public let curator: String?
  public let description: String?
  /// A template: `{w}` and `{h}` stand for the size in pixels.
  public let artworkURL: String?
  /// Opens the playlist in Apple Music.
  public let url: String?
  /// When its curator changed it last, as the API says it.
  public let modifiedAt: String?
  public let isPlayable: Bool
}

/// A track of a playlist as it was seen last.
public struct PlaylistTrack: Hashable, Sendable {
  /// Counted from 0.
  public let position: Int
  public let id: String
  /// `songs`, `music-videos`, or what else the API says.
  public let type: String
  /// Empty where the API said nothing of the track but its id.
  public let title: String
  public let artist: String
  public let album: String?
  /// Seconds.
  public let duration: Double?
  public let artworkURL: String?

  package init(
    position: Int, id: String, type: String, title: String, artist: String, album: String?,
    duration: Double?, artworkURL: String?
  ) {
    self.position = position
    self.id = id
    self.type = type
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
    self.artworkURL = artworkURL
  }
}

/// The tracks of a playlist at a moment.
public struct PlaylistSnapshot: Hashable, Sendable {
  public let at: Timestamp
  public let tracks: [PlaylistTrack]

  package init(at: Timestamp, tracks: [PlaylistTrack]) {
    self.at = at
    self.tracks = tracks
  }
}

/// Reads music entries. All of them are always shown.
package struct PlaylistQueries: Sendable {
  private let reader: CatalogReader

  package init(_ reader: CatalogReader) {
    self.reader = reader
  }

  /// All visible entries by title.
  package func listMusicEntries() async throws -> [MusicEntry] {
    try await reader.read(Self.entries)
  }

  /// The Apple Music playlist of an entry.
  ///
  /// - Throws: `StoreError` with `notFound` for an unknown item, `invalidRequest` for one that is no
  ///   music.
  package func playlistID(for itemId: UUID) async throws -> String {
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

  /// The newest list of an entry's tracks; nil where it was never read.
  ///
  /// - Throws: as `playlistID`.
  package func tracks(of itemId: UUID) async throws -> PlaylistSnapshot? {
    let playlist = try await playlistID(for: itemId)
    return try await reader.read { database in
      guard
        let text = try String.fetchOne(
          database, sql: "SELECT snapshot_at FROM projection_playlist WHERE item_id = ?",
          arguments: [EntityID(itemId).description]), let at = Timestamp(text)
      else { return nil }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT place.position, place.track_id, kind.type, track.title, track.artist, track.album,
            track.duration, track.artwork_url
          FROM playlist_track AS place
          JOIN music_track_cache AS track ON track.track_id = place.track_id
          JOIN projection_track AS kind ON kind.track_id = place.track_id
          WHERE place.playlist_id = ? AND place.snapshot_at = ? ORDER BY place.position
          """, arguments: [playlist, text])
      return PlaylistSnapshot(
        at: at,
        tracks: rows.map { row in
          PlaylistTrack(
            position: row[0], id: row[1], type: row[2], title: row[3], artist: row[4],
            album: row[5], duration: row[6], artworkURL: row[7])
        })
    }
  }

  /// The entries now and after each change.
  package func observeMusicEntries() -> CatalogObservation<[MusicEntry]> {
    reader.observe(Self.entries)
  }

  private static func entries(_ database: Database) throws -> [MusicEntry] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(LibraryItemRow.columns), playlist.apple_music_playlist_id AS playlist_id,
          playlist.last_sync_at, playlist.use_snapshot, \(PlaylistInfo.columns)
        FROM library_item AS item \(ItemList.words)
        CROSS JOIN music_playlist_ref AS playlist ON playlist.item_id = item.id
        LEFT JOIN projection_playlist AS info ON info.item_id = item.id
        WHERE item.kind = 'music' AND item.is_visible = 1 ORDER BY words.title, item.id
        """
    ).map { row in
      MusicEntry(
        item: try LibraryItemRow(row), playlistID: row["playlist_id"],
        lastSyncAt: (row["last_sync_at"] as String?).flatMap { Timestamp($0) },
        usesSnapshot: row["use_snapshot"], playlist: try PlaylistInfo(row))
    }
  }
}

extension PlaylistInfo {
  /// Nil where only its tracks were read.
  ///
  /// - Throws: `StoreError` with `drifted` where the row is none that the projector writes.
  fileprivate init?(_ row: Row) throws {
    guard let name = row["info_state"] as String? else { return nil }
    guard let state = PlaylistMetadataRefreshed.State.Name(rawValue: name),
      let storefront = row["info_storefront"] as String?
    else {
      throw StoreError(
        .drifted,
        "a row of projection_playlist was changed by hand: \(row); `catalogctl verify` says more")
    }
    self.state = State(state)
    self.storefront = storefront
    reason = row["info_reason"]
    title = row["info_title"]
    curator = row["info_curator"]
    description = row["info_description"]
    artworkURL = row["info_artwork_url"]
    url = row["info_url"]
    modifiedAt = row["info_modified_at"]
    isPlayable = row["info_is_playable"] as Bool? ?? false
  }

  fileprivate static let columns = [
    "storefront", "state", "reason", "title", "curator", "description", "artwork_url", "url",
    "modified_at", "is_playable",
  ].map { "info.\($0) AS info_\($0)" }.joined(separator: ", ")
}
