public import CatalogEngine

/// A playlist that would lose all its tracks by an import.
public struct LostPlaylist: Hashable, Sendable {
  public let id: EntityID
  public let name: String
  /// How many tracks it has.
  public let trackCount: Int
}

/// An import after which known playlists would have none of their tracks. A document that was cut off, or that is something
/// else, looks the same, so nothing was appended.
public struct LostPlaylists: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one.
  public let playlists: [LostPlaylist]

  /// - Returns: nil if there are none.
  init?(_ playlists: [LostPlaylist]) {
    guard !playlists.isEmpty else { return nil }
    self.playlists = playlists
  }

  public var description: String {
    let first = playlists[0]
    let name = "\"\(JSONExcerpt.printable(first.name))\""
    let count = first.trackCount == 1 ? "its only track" : "all its \(first.trackCount) tracks"
    return playlists.count == 1
      ? "the playlist \(name) would lose \(count)"
      : "\(playlists.count) playlists would lose all their tracks; the first is \(name), which would lose \(count)"
  }
}
