import CatalogEngine

/// Puts playlists together whose tracks are on several saved pages, in whatever order and from whatever files of a set
/// these were read.
struct PagedPlaylists {
  /// Consecutive entries of a list.
  struct Part {
    /// The place of the first entry in the list of the source.
    var first: Int64
    var entries: [ListEntry]
    /// Whether the list goes on.
    var hasNext = false
    /// How many entries the list has, if the page says so.
    var total: Int64?
    /// Whether the page says how long the list is, or whether it goes on. If it does not, it may not be all.
    var isBounded = true

    fileprivate var end: Int64 { first + Int64(entries.count) }
  }

  private struct List {
    var head: DocumentPlaylist?
    /// The place of the head: `page.json: $.items[3]`.
    var place = ""
    var parts: [Part] = []
    /// The last document that has something of it: there, all of its tracks are known.
    var document = 0
  }

  /// The document that is being read, as a place among those of the set.
  var document = 0
  private var lists: [String: List] = [:]
  /// The keys of `lists`, in the order in which they were found.
  private var order: [String] = []

  // MARK: Gathering

  /// - Parameter key: by which the playlist and its pages are known.
  mutating func add(_ head: DocumentPlaylist, key: String, place: String) {
    change(key) {
      $0.head = head
      $0.place = place
    }
  }

  /// Of two pages with the same first entry, the longer counts; of two that are equally long, the later.
  mutating func add(_ part: Part, key: String) {
    change(key) { list in
      if let same = list.parts.firstIndex(where: { $0.first == part.first }) {
        if part.entries.count >= list.parts[same].entries.count { list.parts[same] = part }
      } else {
        list.parts.append(part)
      }
    }
  }

  private mutating func change(_ key: String, _ body: (inout List) -> Void) {
    if lists[key] == nil { order.append(key) }
    body(&lists[key, default: List()])
    lists[key]?.document = document
  }

  // MARK: Putting together

  /// Gives the documents of the set their playlists.
  func complete(_ contents: inout [Content]) {
    for key in order {
      guard let list = lists[key] else { continue }
      var playlist: DocumentPlaylist
      if let head = list.head {
        guard !list.parts.isEmpty else {
          contents[list.document].remarks.add(
            list.place, "the playlist has no tracks here; left out")
          continue
        }
        playlist = head
      } else if let id = Self.playlist(ofKey: key) {
        // Pages alone: the address says of which playlist they are.
        playlist = DocumentPlaylist(id: id, name: nil, address: key, uris: [])
      } else {
        continue
      }
      (playlist.uris, playlist.part) = Self.joined(list.parts)
      contents[list.document].playlists.append(playlist)
    }
  }

  /// - Returns: the URIs, and the places in the list that they come from if they are not all of it.
  static func joined(_ parts: [Part]) -> (uris: [String], part: Range<Int>?) {
    let parts = parts.sorted { $0.first < $1.first }
    var uris: [String] = []
    var end: Int64 = 0
    var isWhole = true
    for part in parts {
      if part.first > end { isWhole = false }
      // Pages of different sizes overlap.
      let entries = Array(part.entries.dropFirst(Int(max(0, min(end, part.end) - part.first))))
      uris += entries.uris
      if entries.contains(.unread) { isWhole = false }
      end = max(end, part.end)
    }
    if let total = parts.compactMap(\.total).max() {
      if end < total { isWhole = false }
    } else if parts.contains(where: { ($0.hasNext || !$0.isBounded) && $0.end == end }) {
      isWhole = false
    }
    return (uris, isWhole ? nil : Int(parts.first?.first ?? 0)..<Int(end))
  }

  // MARK: Keys

  /// The key of a list by its address: the URI of a playlist, or the address of another list.
  ///
  /// - Parameter service: `spotify` or `apple-music`.
  static func key(_ service: String, href: String) -> String {
    let address = SavedPages.name(of: href)
    let names = address.split(separator: "/")
    guard let place = names.lastIndex(of: "playlists"), place + 2 < names.count,
      ["tracks", "items"].contains(names[place + 2].prefix { $0 != "?" })
    else { return address }
    return "\(service):playlist:\(names[place + 1])"
  }

  private static func playlist(ofKey key: String) -> EntityID? {
    if key.hasPrefix("spotify:playlist:") { return NameBasedID.collection("spotify", key) }
    let start = "apple-music:playlist:"
    guard key.hasPrefix(start) else { return nil }
    return NameBasedID.collection("apple-music", String(key.dropFirst(start.count)))
  }
}
