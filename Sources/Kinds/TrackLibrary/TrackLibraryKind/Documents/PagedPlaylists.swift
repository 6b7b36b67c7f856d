import CatalogEngine

/// Puts playlists together whose tracks are on several saved pages of the Spotify Web API, in whatever order these were
/// read.
struct PagedPlaylists {
  private struct Part {
    var first: Int64
    var uris: [String]
  }

  /// By the address of the list of tracks.
  private var parts: [String: [Part]] = [:]
  /// The playlist that a list belongs to, as a place among those of the document.
  private var places: [String: Int] = [:]

  /// - Parameters:
  ///   - page: an object with `items`, and `href` where it was saved.
  ///   - uris: of the tracks on it that are used.
  ///   - place: that of the playlist which holds the page; nil if the page stands alone.
  mutating func add(_ page: JSONNode, _ uris: [String], of place: Int? = nil) {
    guard case .string(let href)? = page["href"]?.value else { return }
    let address = SavedPages.name(of: href)
    var first: Int64 = 0
    if case .number(let text)? = page["offset"]?.value { first = Int64(text) ?? 0 }
    parts[address, default: []].append(Part(first: first, uris: uris))
    if let place { places[address] = place }
  }

  /// Gives playlists all their tracks.
  func complete(_ playlists: inout [DocumentPlaylist]) {
    for (address, place) in places {
      guard let parts = parts[address], parts.count > 1 else { continue }
      var uris: [String] = []
      var seen: Set<Int64> = []
      // One page may have been saved twice.
      for part in parts.sorted(by: { $0.first < $1.first }) where seen.insert(part.first).inserted {
        uris += part.uris
      }
      playlists[place].uris = uris
    }
  }
}
