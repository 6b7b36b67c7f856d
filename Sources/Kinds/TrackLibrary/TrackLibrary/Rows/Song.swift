public import CatalogEngine

/// How far a server has what a library says of a song.
public enum SyncStatus: Int64, ColumnValue, CaseIterable, Sendable {
  /// The server has the song as it is here.
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
  /// That of the track with which the song was added; other recordings may have another title.
  public var title: String
  /// Empty if unknown.
  public var artist: String
  /// That of the track with which the song was added; nil if it has none.
  public var artworkURL: String?
  /// The time of the first event of the song; the earlier one if two songs became one.
  public var dateAdded: Timestamp
  /// `pending` when the song is added, and when it or its tags change.
  public var syncStatus: SyncStatus

  /// A removed song keeps its row, as `pendingDelete`, until the server has removed it.
  public static let table = TypedTable(
    "song", key: ["id"],
    Field("id", \Song.id), Field("title", \Song.title, isName: true),
    Field("artist", \Song.artist, isName: true),
    Field("artwork_url", \Song.artworkURL, sql: "TEXT"), Field("date_added", \Song.dateAdded),
    Field("sync_status", \Song.syncStatus, default: .integer(1)),
    make: Song.init)
}

/// Another name of a song: an Apple Music id where the ISRC is known by now.
public struct SongAlias: Hashable, Sendable {
  /// An id that the song had before, or that was found to mean it; never the id of a song.
  public var alias: String
  /// The song's own id, which `Song.table` has.
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
  /// Empty if unknown: these songs come first.
  public var artist: String
  public var title: String

  static let table = TypedTable(
    "projection_song_order", key: ["song_id"],
    indexes: [.index("projection_song_order_artist", on: ["artist", "title", "song_id"])],
    Field("song_id", \SongOrder.songID), Field("artist", \SongOrder.artist),
    Field("title", \SongOrder.title), make: SongOrder.init)
}
