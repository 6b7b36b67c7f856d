public import CatalogEngine

/// How far a server has what a library says of a song.
public enum SyncStatus: Int64, ColumnValue, CaseIterable, Sendable {
  case synced = 0
  /// Something changed since.
  case pending = 1
  /// It was removed, and the server may still have it.
  case pendingDelete = 2
}

/// A song: what several tracks are recordings of.
public struct Song: Hashable, Sendable {
  /// An ISRC, else an Apple Music id (`SongID`).
  public var id: String
  public var title: String
  public var artist: String
  public var artworkURL: String?
  public var dateAdded: Timestamp
  public var syncStatus: SyncStatus

  public static let table = TypedTable(
    "song", key: ["id"],
    Field("id", \Song.id), Field("title", \Song.title), Field("artist", \Song.artist),
    Field("artwork_url", \Song.artworkURL, sql: "TEXT"), Field("date_added", \Song.dateAdded),
    Field("sync_status", \Song.syncStatus, default: .integer(1)),
    make: Song.init)
}

/// Another name of a song: an Apple Music id where the ISRC is known by now.
public struct SongAlias: Hashable, Sendable {
  public var alias: String
  public var songID: String

  public static let table = TypedTable(
    "song_alias", key: ["alias"],
    indexes: [.index("projection_song_alias_song", on: ["song_id"])],
    Field("alias", \SongAlias.alias),
    Field("song_id", \SongAlias.songID, references: .to("song", "id", onDelete: .cascade)),
    make: SongAlias.init)
}

/// The last event that changed what a server should have of a song.
struct SongChange: Equatable, Sendable {
  var songID: String
  var sequence: Int64

  static let table = TypedTable(
    "projection_song_change", key: ["song_id"],
    Field("song_id", \SongChange.songID), Field("sequence", \SongChange.sequence),
    make: SongChange.init)
}

/// By what the list of songs is ordered. Texts are as a person sorts them: their words, without case and accents.
public struct SongOrder: Equatable, Sendable {
  public var songID: String
  public var artist: String
  public var title: String

  static let table = TypedTable(
    "projection_song_order", key: ["song_id"],
    indexes: [.index("projection_song_order_artist", on: ["artist", "title", "song_id"])],
    Field("song_id", \SongOrder.songID), Field("artist", \SongOrder.artist),
    Field("title", \SongOrder.title), make: SongOrder.init)
}
