public import CatalogEngine

/// Lists songs, and keeps what a server knows of them.
public struct SongQueries: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// Songs by artist and title, page by page. Case and accents do not count.
  public func list(
    limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<SongLine> {
    try await catalog.page(of: SongLine.list, limit: limit, after: cursor)
  }

  /// The song of an ISRC, an Apple Music id or another name; nil if there is none.
  public func song(_ name: String) async throws -> Song? {
    let name = SongID.normalized(name) ?? name
    return try await catalog.read { rows in
      let id = try rows.row(of: SongAlias.table, key: name)?.songID ?? name
      return try rows.row(of: Song.table, key: id)
    }
  }

  /// Notes that two ids are of one song: its tags and tracks move to the better one, and the other stays a name of it.
  ///
  /// - Parameters:
  ///   - from: an id or another name of the song.
  ///   - to: the better one: an ISRC, or an Apple Music id where `from` is not an ISRC.
  /// - Throws: `SongError` with `idRefused`; `ProjectionError` with `contradiction` if there is no such song.
  @discardableResult
  public func identify(_ from: String, as to: String) async throws -> ChangeReport {
    let (from, to) = (try Self.id(from), try Self.id(to))
    return try await catalog.change(by: "person") { rows in
      // Another name of a song stands for the song.
      let song = try rows.songID(of: from)
      let target = try rows.songID(of: to)
      if song == target { return [] }
      guard SongID.isrc(song) == nil || SongID.isrc(target) != nil else {
        throw SongError(
          code: .idRefused,
          message:
            "\(song) is an ISRC, which is better than \(target); name them the other way round")
      }
      return [.songIdentified(from: song, to: target)]
    }
  }

  /// Removes a song and its tags; its tracks stay. A server that has it is to remove it (`pending()`).
  ///
  /// - Throws: `ProjectionError` with `contradiction` if there is no such song.
  @discardableResult
  public func remove(_ id: String) async throws -> ChangeReport {
    let id = SongID.normalized(id) ?? id
    return try await catalog.change(by: "person") { rows in
      let song = try rows.songID(of: id)
      let known = try rows.row(of: Song.table, key: song)
      return known?.syncStatus == .pendingDelete ? [] : [.songRemoved(song)]
    }
  }

  // MARK: A server

  /// The songs that a server does not have as they are, and the number of the event up to which that is said.
  ///
  /// Whoever uploads them says `synced` with this number afterwards: a song that changed meanwhile stays pending.
  public func pending() async throws -> PendingSongs {
    try await catalog.read { rows in
      let songs = try rows.rows(of: Song.table, where: "sync_status <> 0")
      let through = try rows.rows(
        as: SequenceRow.shape,
        of: "SELECT ifnull(max(sequence), 0) AS sequence FROM projection_song_change")
      return PendingSongs(songs: songs, through: through.first?.sequence ?? 0)
    }
  }

  /// Notes that a server has songs as they were.
  ///
  /// A song that is gone by now, or is synced already, changes nothing.
  ///
  /// - Parameter through: `PendingSongs.through`.
  @discardableResult
  public func synced(_ songs: [String], through: Int64) async throws -> ChangeReport {
    try await catalog.change(by: "sync") { rows in
      var named: Set<String> = []
      return try songs.compactMap { name in
        let name = SongID.normalized(name) ?? name
        let id = try rows.songID(of: name)
        guard let song = try rows.row(of: Song.table, key: id), song.syncStatus != .synced,
          named.insert(id).inserted
        else { return nil }
        return .songSynced(song: id, through: through)
      }
    }
  }
}

/// What a server has to be told.
public struct PendingSongs: Hashable, Sendable {
  /// Those with `pendingDelete` are to be removed from the server, the others to be uploaded.
  public var songs: [Song]
  /// The number of the last event that changed a song of the library, for `synced`; 0 if it has no songs.
  public var through: Int64
}

private struct SequenceRow: Sendable {
  var sequence: Int64

  static let shape = TypedTable(
    "sequence", key: ["sequence"], Field("sequence", \SequenceRow.sequence), make: SequenceRow.init)
}

/// A song as lists have it.
public struct SongLine: Hashable, Sendable {
  /// An ISRC, else an Apple Music id (`SongID`).
  public var id: String
  /// That of the track with which the song was added; other recordings may have another title.
  public var title: String
  /// Empty if unknown.
  public var artist: String
  /// A removed song is listed as `pendingDelete` until the server has removed it.
  public var syncStatus: SyncStatus
  /// How many tracks of the library are recordings of it; may be 0.
  public var trackCount: Int64
  /// By name, parted by line feeds, which no name has; empty if there are none.
  var tagText: String

  /// Of all sources, by name.
  public var tagNames: [String] { tagText.split(separator: "\n").map(String.init) }

  static let list = KeysetList(
    "songs",
    as: TypedTable(
      "song", key: ["id"],
      Field("id", \SongLine.id), Field("title", \SongLine.title),
      Field("artist", \SongLine.artist), Field("sync_status", \SongLine.syncStatus),
      Field("track_count", \SongLine.trackCount), Field("tags", \SongLine.tagText),
      make: SongLine.init),
    columns: """
      song.id, song.title, song.artist, song.sync_status,
      (SELECT count(*) FROM track_source WHERE song_id = song.id),
      (SELECT ifnull(group_concat(name, char(10)), '') FROM
        (SELECT name FROM song_tag JOIN tag ON tag.id = tag_id WHERE song_id = song.id ORDER BY name))
      """,
    from: "projection_song_order CROSS JOIN song ON song.id = projection_song_order.song_id",
    orderedBy: [
      KeysetKey("projection_song_order.artist", \SongLine.artistKey),
      KeysetKey("projection_song_order.title", \SongLine.titleKey),
      KeysetKey("projection_song_order.song_id", \SongLine.id),
    ])

  // What `SongOrder` has of the song.
  private var artistKey: String { TrackOrder.key(artist) }
  private var titleKey: String { TrackOrder.key(title) }
}

/// Why a song could not be changed. Nothing was.
public struct SongError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a program decides by; `message` is for a person.
  public enum Code: String, Hashable, Sendable {
    /// An id is neither an ISRC nor an Apple Music id, or an ISRC would be given up for an Apple Music id.
    case idRefused
  }

  public let code: Code
  /// For a person: names the ids that were refused.
  public let message: String

  public var description: String { message }
}

extension SongQueries {
  fileprivate static func id(_ text: String) throws(SongError) -> String {
    guard let id = SongID.normalized(text) else {
      throw SongError(
        code: .idRefused,
        message:
          "\"\(text)\" is neither an ISRC (12 letters and digits) nor an Apple Music id (digits)")
    }
    return id
  }
}
