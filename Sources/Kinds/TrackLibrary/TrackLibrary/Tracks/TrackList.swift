import CatalogEngine
import TrackLibraryKind

/// Which tracks a list has.
public enum TrackFilter: Hashable, Sendable {
  case all
  /// From one source: `local`, `spotify`.
  case source(String)
  /// By this artist, whatever the case and accents.
  case artist(String)
  /// Of this album, whatever the case and accents.
  case album(String)
}

/// The order of a list of tracks. Case and accents do not count. What is the same there is in the order of ids.
public enum TrackSort: String, CaseIterable, Sendable {
  case title
  /// Then by album.
  case artist
  /// Then by the number on the album, and by title.
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
    let album = [key("album", \.albumKey), key("track_number", \.numberKey), title]
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
  func list(by sort: TrackSort) -> KeysetList<TrackLine> {
    let (name, column, value): (String, String?, String) =
      switch self {
      case .all: ("tracks", nil, "")
      // Not searched for by an index: it would be read whole, and sorted.
      case .source(let source): ("tracks from \(source)", "+projection_track_order.source", source)
      case .artist(let artist):
        ("tracks by \(artist)", "projection_track_order.artist", TrackOrder.key(artist))
      case .album(let album):
        ("tracks of \(album)", "projection_track_order.album", TrackOrder.key(album))
      }
    return KeysetList(
      "\(name) by \(sort.rawValue)", as: TrackLine.shape, columns: TrackLine.columns,
      from: "projection_track_order \(TrackLine.joinInOrder)",
      where: column.map { "\($0) = ?" } ?? "true", column == nil ? [] : [value],
      orderedBy: sort.keys, isDescending: sort.isDescending)
  }
}
