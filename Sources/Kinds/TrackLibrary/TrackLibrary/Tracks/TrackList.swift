import CatalogEngine

/// Which tracks a list has.
public enum TrackFilter: Hashable, Sendable {
  /// Every track, whatever its source.
  case all
  /// From one source: `local`, `spotify`.
  case source(String)
  /// By this artist, whatever the case and accents.
  case artist(String)
  /// Of this album, whatever the case and accents; of all albums of this title, or of that by one artist of the album
  /// alone (`Album.artist`).
  case album(String, by: String? = nil)
}

/// The order of a list of tracks. Case and accents do not count. What is the same there is in the order of ids, in
/// the same direction.
public enum TrackSort: String, CaseIterable, Sendable {
  /// The default of `TrackQueries.list`.
  case title
  /// Then by album.
  case artist
  /// Then by the artist of the album, by the number on it, and by title.
  case album
  /// The newest first.
  case added
  /// The longest first.
  case duration

  var keys: [KeysetKey<TrackLine>] {
    func key<Cell: ColumnValue>(
      _ column: String, _ property: any KeyPath<TrackLine, Cell> & Sendable
    ) -> KeysetKey<TrackLine> {
      KeysetKey("projection_track_order.\(column)", property)
    }
    let title = key("title", \.titleKey)
    let album = [
      key("album", \.albumKey), key("album_artist", \.albumArtistKey),
      key("track_number", \.numberKey), title,
    ]
    let id = key("track_id", \.id)
    return switch self {
    case .title: [title, id]
    case .artist: [key("artist", \.artistKey)] + album + [id]
    case .album: album + [id]
    case .added: [key("date_added", \.dateAdded), id]
    case .duration: [key("duration", \.duration), id]
    }
  }

  var isDescending: Bool { self == .added || self == .duration }
}

extension TrackFilter {
  /// A source with more tracks than this is listed by walking the order past those of others.
  private static let rareLimit: Int64 = 500

  /// Whether this is a source with few tracks.
  func isRare(in rows: CatalogSnapshot) throws -> Bool {
    guard case .source(let source) = self else { return false }
    let found = try rows.rows(
      as: TrackCount.shape,
      of: """
        SELECT count(*) FROM
          (SELECT 1 FROM projection_track_order WHERE source = ? LIMIT \(Self.rareLimit + 1))
        """, [source])
    return found.allSatisfy { $0.count <= Self.rareLimit }
  }

  /// - Parameter isRare: whether the filter's source has few tracks. They are found by their source and sorted then.
  func list(by sort: TrackSort, isRare: Bool = false) -> KeysetList<TrackLine> {
    let (name, condition, values): (String, String, [String]) =
      switch self {
      case .all: ("tracks", "true", [])
      // With a plus no index of the source is used: all of them would be read, and sorted.
      case .source(let source):
        (
          "tracks from \(source)", "\(isRare ? "" : "+")projection_track_order.source = ?", [source]
        )
      case .artist(let artist):
        ("tracks by \(artist)", "projection_track_order.artist = ?", [TrackOrder.key(artist)])
      case .album(let album, nil):
        ("tracks of \(album)", "projection_track_order.album = ?", [TrackOrder.key(album)])
      case .album(let album, let artist?):
        (
          "tracks of \(album) by \(artist)",
          "projection_track_order.album = ? AND projection_track_order.album_artist = ?",
          [TrackOrder.key(album), TrackOrder.key(artist)]
        )
      }
    return KeysetList(
      "\(name) by \(sort.rawValue)", as: TrackLine.shape, columns: TrackLine.columns,
      from: "projection_track_order \(TrackLine.joinInOrder)",
      where: condition, values,
      orderedBy: sort.keys, isDescending: sort.isDescending)
  }
}

private struct TrackCount: Sendable {
  var count: Int64

  static let shape = TypedTable(
    "counted", key: ["count"], Field("count", \TrackCount.count), make: TrackCount.init)
}
