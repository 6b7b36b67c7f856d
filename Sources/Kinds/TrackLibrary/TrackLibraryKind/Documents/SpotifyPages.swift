import CatalogEngine

/// Reads answers of the Spotify Web API that somebody saved: saved tracks and albums, playlists and their items, what
/// plays, what was played lately, the queue, searches, albums, several tracks or one.
enum SpotifyPages {
  static func read(_ root: JSONNode, _ content: inout Content) throws(DocumentError) {
    var reader = Reader(content: content)
    try reader.read(root)
    content = reader.content
  }

  /// Whether a document looks like one of these.
  static func isPage(_ root: JSONNode) -> Bool {
    if root.isArray {
      let elements = (try? root.elements()) ?? []
      guard let first = elements.first(where: \.isObject) else { return true }
      return isPage(first)
    }
    return ["items", "tracks", "albums", "queue", "track", "album", "episode"].contains {
      root[$0] != nil
    } || isPlaying(root) || isResource(root)
  }

  /// What plays now, or played last.
  private static func isPlaying(_ node: JSONNode) -> Bool {
    node.keys.contains("item") && (node["is_playing"] ?? node["currently_playing_type"]) != nil
  }

  /// A track, an album, a playlist or whatever else has a URI.
  private static func isResource(_ node: JSONNode) -> Bool {
    guard case .string(let uri)? = node["uri"]?.value else { return false }
    return uri.hasPrefix("spotify:")
  }

  private struct Reader {
    var content: Content

    mutating func read(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        for element in try node.elements() {
          if element.isObject, element["items"] != nil || element["tracks"] != nil {
            try read(element)
          } else {
            _ = try entry(element, album: nil)
          }
        }
      } else if isResource(node) {
        _ = try entry(node, album: nil)
      } else if let tracks = node["tracks"] {
        try list(tracks)
        remarkOthers(node)
      } else if let items = node["items"] {
        try page(node, items)
      } else if let albums = node["albums"] {
        try list(albums)
      } else if node["queue"] != nil || node["currently_playing"] != nil {
        if let playing = node["currently_playing"] { _ = try entry(playing, album: nil) }
        if let queue = node["queue"] { try list(queue) }
      } else if wrapped(in: node) != nil || isPlaying(node) {
        _ = try entry(node, album: nil)
      } else {
        throw node.invalid(
          "is not an answer with tracks", advice: "save the whole answer of the Web API")
      }
    }

    /// A page, or an array.
    private mutating func list(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        _ = try items(node, album: nil)
      } else {
        try page(node, try node.require("items"))
      }
    }

    /// Lists what a search found besides tracks.
    private mutating func remarkOthers(_ node: JSONNode) {
      for key in ["albums", "artists", "audiobooks", "episodes", "playlists", "shows"] {
        guard let found = node[key], let items = try? found["items"]?.elements(), !items.isEmpty
        else { continue }
        content.remark(found, "\(items.count) \(key) that a search found; left out")
      }
    }

    private mutating func page(_ page: JSONNode, _ items: JSONNode) throws(DocumentError) {
      let uris = try self.items(items, album: nil)
      content.lists.add(page, uris)
      let plays = try items.elements().count { $0["played_at"] != nil }
      if plays > 0 {
        content.remark(items, "when the tracks were played is not kept (\(plays) times)")
      }
      try content.pages.note(spotify: page)
    }

    // MARK: Entries

    /// Entries of a list, each by what it is. Returns the URIs of the tracks that are used.
    private mutating func items(
      _ list: JSONNode, album: JSONNode?
    ) throws(DocumentError) -> [String] {
      var uris: [String] = []
      for node in try list.elements() { uris += try entry(node, album: album) }
      return uris
    }

    /// A track, an album or a playlist, or an object that holds one.
    ///
    /// - Parameter album: that of tracks which do not name it.
    private mutating func entry(
      _ node: JSONNode, album outer: JSONNode?, addedAt: Timestamp? = nil
    ) throws(DocumentError) -> [String] {
      guard node.isObject else {
        content.remark(node, "the entry is not an object; left out")
        return []
      }
      if node["uri"] == nil, let key = wrapped(in: node) {
        guard let inner = node[key] else {
          content.remark(node, "the \(key) is null: it is not offered any more; left out")
          return []
        }
        let time = try node["added_at"].map { (node) throws(DocumentError) in try node.time() }
        return try entry(inner, album: outer, addedAt: time)
      }
      switch try node["type"]?.text().lowercased() {
      case "playlist": try playlist(node)
      case "album":
        guard let tracks = node["tracks"] else {
          content.remark(node, "the album has no tracks here; left out")
          return []
        }
        // An album's tracks do not repeat what the album says.
        let items = tracks.isObject ? try tracks.require("items") : tracks
        for track in try items.elements() {
          _ = try entry(track, album: node, addedAt: addedAt)
        }
        if tracks.isObject { try content.pages.note(spotify: tracks) }
      case "track": return try [track(node, addedAt: addedAt, album: outer)]
      case nil where node["uri"] != nil:
        return try [track(node, addedAt: addedAt, album: outer)]
      case nil: content.remark(node, "the entry has no track; left out")
      case let type?:
        content.remark(node, "this is not a track but of type \(type); left out")
      }
      return []
    }

    /// The key under which an object holds a track or something else: `item` is what newer answers call it.
    private func wrapped(in node: JSONNode) -> String? {
      ["track", "item", "episode", "album", "show", "audiobook"].first {
        node.keys.contains($0) && node[$0]?.isObject != false
      }
    }

    private mutating func playlist(_ node: JSONNode) throws(DocumentError) {
      let uri = try node.require("uri").text()
      guard let items = node["tracks"]?["items"] ?? node["items"]?["items"] else {
        return content.remark(node, "the playlist has no tracks here; left out")
      }
      let uris = try self.items(items, album: nil)
      if let list = node["tracks"] ?? node["items"] {
        content.lists.add(list, uris, of: content.playlists.count)
        try content.pages.note(spotify: list)
      }
      let name = try node.require("name")
      let description = try node["description"]?.text()
      content.playlists.append(
        DocumentPlaylist(
          id: NameBasedID.collection("spotify", uri),
          name: try Text.name(try name.text(), file: name.file, place: name.path),
          description: description?.isEmpty == false ? description : nil,
          artworkURL: try image(node["images"]), uris: uris))
    }

    /// - Returns: its URI.
    private mutating func track(
      _ node: JSONNode, addedAt: Timestamp?, album outer: JSONNode?
    ) throws(DocumentError) -> String {
      let address = try node.require("uri")
      let text = try address.text()
      guard let uri = TrackURI.normalized(text), uri.hasPrefix("spotify:") else {
        throw address.invalid("is not a URI of Spotify", advice: "write it as spotify:track:…")
      }
      var title = try node.require("name").text()
      if TextRules.isBlank(title) {
        content.remark(node, "the track has no name; it is called by its URI")
        title = uri
      }
      var track = DocumentTrack(
        title: title, fileURL: text, uri: uri, source: "spotify", place: node.place)
      track.artist = try names(node["artists"])
      track.duration = try node["duration_ms"].map { (node) throws(DocumentError) in
        try node.number() / 1_000
      }
      track.trackNumber = try node["track_number"]?.count()
      if track.trackNumber == 0 { track.trackNumber = nil }
      if let album = node["album"] ?? outer {
        track.album = try nonempty(album["name"])
        track.albumArtist = try names(album["artists"])
        track.artworkURL = try image(album["images"])
        track.year = try year(album["release_date"])
      }
      track.dateAdded = addedAt
      if let isrc = node["external_ids"]?["isrc"] {
        track.isrc = SongID.isrc(try isrc.text())
        if track.isrc == nil { content.remark(isrc, "\(isrc.value) is not an ISRC; left out") }
      } else {
        content.remark(
          unidentified: uri, node, "\(uri) has no ISRC here: it is not tied to a song")
      }
      content.tracks.append(track)
      return uri
    }

    private func names(_ artists: JSONNode?) throws(DocumentError) -> String? {
      guard let artists else { return nil }
      var names: [String] = []
      for artist in try artists.elements() {
        if let name = try nonempty(artist["name"]) { names.append(name) }
      }
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private func nonempty(_ node: JSONNode?) throws(DocumentError) -> String? {
      guard let text = try node?.text(), !TextRules.isBlank(text) else { return nil }
      return text
    }

    /// The first image, which is the largest.
    private func image(_ images: JSONNode?) throws(DocumentError) -> String? {
      try images?.elements().first?["url"]?.text()
    }

    /// The year of `1998`, `1998-03` or `1998-03-14`; nil for `0000`.
    private mutating func year(_ node: JSONNode?) throws(DocumentError) -> Int64? {
      guard let node else { return nil }
      guard case .string(let text) = node.value, text.utf8.count >= 4,
        let year = Int64(text.prefix(4)), year >= 0
      else {
        content.remark(node, "\(node.value) is not a date; left out")
        return nil
      }
      return year == 0 ? nil : year
    }
  }
}
