public import CatalogModel
import CatalogStore
import GRDB
import Support

public import struct Foundation.UUID

/// A music entry: a playlist of Apple Music.
public struct MusicEntry: Hashable, Sendable, Identifiable {
  public let item: LibraryItemRow
  public let playlistID: String
  /// When its metadata was last refreshed; nil for never.
  public let lastSyncAt: Timestamp?
  public let usesSnapshot: Bool
  /// What Apple Music said of the playlist last; nil if it was never asked.
  public let playlist: PlaylistInfo?

  public var id: UUID { item.id }
}

/// What Apple Music said of a playlist last.
public struct PlaylistInfo: Hashable, Sendable {
  public typealias State = PlaylistState

  public let storefront: String
  public let state: State
  /// Why it is not available, as the API said it; nil if it is.
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
struct PlaylistQueries: Sendable {
  private let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// All visible entries by title.
  func listMusicEntries() async throws -> [MusicEntry] {
    try await reader.read(Self.entries)
  }

  /// The Apple Music playlist of an entry.
  ///
  /// - Throws: `StoreError` with `notFound` for an unknown item, `invalidRequest` for one that is no
  ///   music.
  func playlistID(for itemId: UUID) async throws -> String {
    let id = EntityID(itemId)
    return try await reader.read { database in
      let found = try database.firstRow(
        of: LibraryItemRow.origin,
        """
        SELECT item.id, item.kind, playlist.apple_music_playlist_id FROM library_item AS item
        LEFT JOIN music_playlist_ref AS playlist ON playlist.item_id = item.id
        WHERE item.id = ?
        """, [id.description]
      ) {
        (kind: try $0.name(1, as: Kind.self), playlist: try $0.part(Self.origin).optionalText(2))
      }
      guard let found else { throw StoreError.noItem(id) }
      guard let playlist = found.playlist else {
        throw StoreError(
          .invalidRequest, "item \(id) is of kind \(found.kind.rawValue): it has no playlist")
      }
      return playlist
    }
  }

  /// The newest list of an entry's tracks; nil if it was never read.
  ///
  /// - Throws: as `playlistID`.
  func tracks(of itemId: UUID) async throws -> PlaylistSnapshot? {
    let playlist = try await playlistID(for: itemId)
    return try await reader.read { database in
      let snapshot = try database.firstRow(
        of: StoredRow.Origin("projection_playlist", ("item_id", 0)),
        "SELECT item_id, snapshot_at FROM projection_playlist WHERE item_id = ?",
        [EntityID(itemId).description]
      ) { row in try row.optionalTime(1).map { (at: $0, text: try row.text(1)) } }
      guard let snapshot = snapshot ?? nil else { return nil }
      let tracks = try database.rows(
        of: StoredRow.Origin("music_track_cache", ("track_id", 1)),
        """
        SELECT place.position, place.track_id, kind.type, track.title, track.artist, track.album,
          track.duration, track.artwork_url, place.playlist_id
        FROM playlist_track AS place
        JOIN music_track_cache AS track ON track.track_id = place.track_id
        JOIN projection_track AS kind ON kind.track_id = place.track_id
        WHERE place.playlist_id = ? AND place.snapshot_at = ? ORDER BY place.position
        """, [playlist, snapshot.text], PlaylistTrack.init)
      return PlaylistSnapshot(at: snapshot.at, tracks: tracks)
    }
  }

  /// The entries now and after each change.
  func observeMusicEntries() -> CatalogObservation<[MusicEntry]> {
    reader.observe(Self.entries)
  }

  private static let origin = StoredRow.Origin("music_playlist_ref", ("item_id", 0))

  private static func entries(_ database: Database) throws -> [MusicEntry] {
    try database.rows(
      of: LibraryItemRow.origin,
      """
      SELECT \(LibraryItemRow.columns), playlist.apple_music_playlist_id, playlist.last_sync_at,
        playlist.use_snapshot, \(PlaylistInfo.columns)
      FROM library_item AS item \(ItemList.words)
      CROSS JOIN music_playlist_ref AS playlist ON playlist.item_id = item.id
      LEFT JOIN projection_playlist AS info ON info.item_id = item.id
      WHERE item.kind = 'music' AND item.is_visible = 1 ORDER BY words.title, item.id
      """
    ) { row in
      let playlist = row.part(origin)
      return MusicEntry(
        item: try LibraryItemRow(row), playlistID: try playlist.text(9),
        lastSyncAt: try playlist.optionalTime(10), usesSnapshot: try playlist.flag(11),
        playlist: try PlaylistInfo(row.part(PlaylistInfo.origin)))
    }
  }
}

extension PlaylistTrack {
  fileprivate init(_ row: StoredRow) throws {
    let place = row.part(
      StoredRow.Origin("playlist_track", ("playlist_id", 8), ("track_id", 1), ("position", 0)))
    self.init(
      position: try place.count(0), id: try place.text(1),
      type: try row.part(StoredRow.Origin("projection_track", ("track_id", 1))).text(2),
      title: try row.text(3), artist: try row.text(4), album: try row.optionalText(5),
      duration: try row.optionalReal(6), artworkURL: try row.optionalText(7))
  }
}

extension PlaylistInfo {
  fileprivate static let origin = StoredRow.Origin("projection_playlist", ("item_id", 0))
  /// Where its columns begin in the query.
  private static let first = 12

  /// Nil where only its tracks were read.
  ///
  /// - Throws: `StoreError` with `drifted` if the row is not one that the projector writes.
  fileprivate init?(_ row: StoredRow) throws {
    let first = Self.first
    if row.isNull(first) { return nil }
    state = try row.name(first)
    storefront = try row.text(first + 1)
    reason = try row.optionalText(first + 2)
    title = try row.optionalText(first + 3)
    curator = try row.optionalText(first + 4)
    description = try row.optionalText(first + 5)
    artworkURL = try row.optionalText(first + 6)
    url = try row.optionalText(first + 7)
    modifiedAt = try row.optionalText(first + 8)
    isPlayable = try row.isNull(first + 9) ? false : row.flag(first + 9)
  }

  fileprivate static let columns = [
    "state", "storefront", "reason", "title", "curator", "description", "artwork_url", "url",
    "modified_at", "is_playable",
  ].map { "info.\($0)" }.joined(separator: ", ")
}
