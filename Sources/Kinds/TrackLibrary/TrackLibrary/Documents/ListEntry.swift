/// An entry of a playlist in a document.
enum ListEntry: Hashable {
  /// A track, by its normalised URI.
  case track(String)
  /// Something that no playlist of this catalog has: an episode, a video, a track that is not offered any more.
  case other
  /// An entry without an identity: the list may have a track there, and the document does not say which.
  case unread

  var uri: String? {
    guard case .track(let uri) = self else { return nil }
    return uri
  }
}

extension [ListEntry] {
  /// The tracks, in their order.
  var uris: [String] { compactMap(\.uri) }

  /// The places of a whole list if one of its entries is unread; else nil.
  ///
  /// Such a list is a part of what its source has: it never takes a track out of the playlist.
  var part: Range<Int>? { contains(.unread) ? 0..<count : nil }
}
