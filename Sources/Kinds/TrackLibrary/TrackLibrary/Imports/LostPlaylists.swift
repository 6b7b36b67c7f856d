public import CatalogEngine

/// A playlist that would lose all its tracks by an import.
public struct LostPlaylist: Hashable, Sendable {
  public let id: EntityID
  public let name: String
  /// How many tracks it has.
  public let trackCount: Int
  /// The document in which it has none of them, as the caller named it.
  public let document: String
  /// The address of the first track that it has; the track's id if it has no address.
  public let firstTrack: String
  /// Whether it has other tracks in the document: a list of other files that has its name.
  public let isOtherList: Bool

  /// `mix.m3u8: the playlist "mix" would lose its only track, file:///Music/a.mp3`.
  fileprivate var sentence: String {
    let count = trackCount == 1 ? "its only track, " : "all its \(trackCount) tracks, the first is "
    return
      "\(document): the playlist \"\(JSONExcerpt.printable(name))\" would lose \(count)\(JSONExcerpt.printable(firstTrack))"
  }

  /// Advice for a person who did not mean that; nil if the document is cut off, or empty.
  public var advice: String? {
    isOtherList
      ? "a list of files is known by its name, whatever folder it is in: if this is another list, import both files at once, or rename one"
      : nil
  }
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

  /// The first one's document, name, tracks, and what to do.
  public var description: String {
    let first = playlists[0]
    let more = playlists.count - 1
    let others = more == 0 ? "" : " (and \(more) more playlist\(more == 1 ? "" : "s"))"
    return first.sentence + others + (first.advice.map { "; \($0)" } ?? "")
  }
}
