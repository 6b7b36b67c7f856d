import CatalogEngine
import TrackLibraryKind

/// Which tracks a list has.
public enum TrackFilter: Hashable, Sendable {
  case all
  /// From one source: `local`, `spotify`.
  case source(String)
  /// By this artist, as it is written.
  case artist(String)
  /// Of this album, as it is written.
  case album(String)
}

/// The order of a list of tracks. What is the same there is in the order of ids.
public enum TrackSort: String, CaseIterable, Sendable {
  case title
  case artist
  case album
  /// The newest first.
  case added
  /// The longest first.
  case duration

  var keys: [KeysetKey<TrackLine>] {
    let id = KeysetKey("tracks.id", \TrackLine.id)
    return switch self {
    case .title: [KeysetKey("tracks.title", \TrackLine.title), id]
    case .artist:
      [
        KeysetKey("tracks.artist", \TrackLine.artist), KeysetKey("tracks.album", \TrackLine.album),
        KeysetKey("tracks.title", \TrackLine.title), id,
      ]
    case .album:
      [
        KeysetKey("tracks.album", \TrackLine.album), KeysetKey("tracks.title", \TrackLine.title),
        id,
      ]
    case .added: [KeysetKey("track_source.date_added", \TrackLine.dateAdded), id]
    case .duration: [KeysetKey("tracks.duration", \TrackLine.duration), id]
    }
  }

  var isDescending: Bool { self == .added || self == .duration }
}

extension TrackFilter {
  func list(by sort: TrackSort) -> KeysetList<TrackLine> {
    let (name, condition, arguments): (String, String, [String]) =
      switch self {
      case .all: ("tracks", "true", [])
      case .source(let source): ("tracks from \(source)", "track_source.source = ?", [source])
      case .artist(let artist): ("tracks by \(artist)", "tracks.artist = ?", [artist])
      case .album(let album): ("tracks of \(album)", "tracks.album = ?", [album])
      }
    return KeysetList(
      "\(name) by \(sort.rawValue)", as: TrackLine.shape, columns: TrackLine.columns,
      from: "tracks \(TrackLine.join)", where: condition, arguments, orderedBy: sort.keys,
      isDescending: sort.isDescending)
  }
}
