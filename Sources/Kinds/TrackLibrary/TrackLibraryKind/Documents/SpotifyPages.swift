import CatalogEngine

/// Reads answers of the Spotify Web API that somebody saved: saved tracks, playlists and their items, what was played
/// lately, searches, albums, several tracks or one.
enum SpotifyPages {
  static func read(_ root: JSONNode, _ content: inout Content) throws(DocumentError) {
    var reader = Reader(content: content)
    try reader.read(root)
    content = reader.content
  }

  /// Whether a document looks like one of these.
  static func isPage(_ root: JSONNode) -> Bool {
    if root.isArray { return (try? root.elements())?.first.map(isPage) ?? true }
    return root["items"]?.isArray ?? false || root["tracks"] != nil || isTrack(root)
      || root["album"]?.isObject ?? false
  }

  private static func isTrack(_ node: JSONNode) -> Bool {
    node["uri"] != nil && node["name"] != nil && node["duration_ms"] != nil
  }

  private struct Reader {
    var content: Content

    mutating func read(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        for element in try node.elements() { try read(element) }
      } else if isPlaylist(node) {
        try playlist(node)
      } else if let tracks = node["tracks"] {
        // An album's tracks do not repeat what the album says.
        let album = isAlbum(node) ? node : nil
        _ = try items(tracks.isObject ? try tracks.require("items") : tracks, album: album)
        if tracks.isObject { try content.pages.note(spotify: tracks) }
        if album == nil { remarkOthers(node) }
      } else if let items = node["items"] {
        try page(items)
        try content.pages.note(spotify: node)
      } else if isTrack(node) {
        _ = try track(node, addedAt: nil, album: nil)
      } else {
        throw node.invalid(
          "is not an answer with tracks", advice: "save the whole answer of the Web API")
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

    /// A page of tracks, of playlists or of albums.
    private mutating func page(_ items: JSONNode) throws(DocumentError) {
      let elements = try items.elements()
      guard let first = elements.first, isPlaylist(first) || isAlbum(first) else {
        _ = try self.items(items, album: nil)
        return
      }
      for element in elements {
        if element["tracks"]?["items"] != nil {
          try read(element)
        } else if isPlaylist(element) {
          try playlist(element)
        } else {
          content.remark(element, "the album has no tracks here; left out")
        }
      }
    }

    private func isPlaylist(_ node: JSONNode) -> Bool { node["type"]?.value == .string("playlist") }

    private func isAlbum(_ node: JSONNode) -> Bool { node["type"]?.value == .string("album") }

    private mutating func playlist(_ node: JSONNode) throws(DocumentError) {
      let uri = try node.require("uri").text()
      guard let items = node["tracks"]?["items"] ?? node["items"]?["items"] else {
        return content.remark(node, "the playlist has no tracks here; left out")
      }
      let uris = try self.items(items, album: nil)
      if let next = node["tracks"]?["next"] {
        content.remark(next, "the playlist has more tracks on another page; they are left out")
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

    /// Tracks, or objects that hold one each. Returns the URIs of those that are used.
    private mutating func items(
      _ list: JSONNode, album: JSONNode?
    ) throws(DocumentError) -> [String] {
      var uris: [String] = []
      for node in try list.elements() {
        guard node.isObject else {
          content.remark(node, "there is no track; left out")
          continue
        }
        let addedAt = try node["added_at"].map { (node) throws(DocumentError) in try node.time() }
        // `item` is what newer answers call it. A track may have a `track` of its own, which is a flag.
        let wrapper = ["track", "item"].first {
          node.keys.contains($0) && node[$0]?.isObject != false && node["duration_ms"] == nil
        }
        guard let inner = wrapper.map({ node[$0] }) ?? node else {
          content.remark(node, "the track is null: it is not offered any more; left out")
          continue
        }
        if let uri = try track(inner, addedAt: addedAt, album: album) { uris.append(uri) }
      }
      return uris
    }

    /// - Returns: its URI; nil for what is not used.
    private mutating func track(
      _ node: JSONNode, addedAt: Timestamp?, album outer: JSONNode?
    ) throws(DocumentError) -> String? {
      if let type = try node["type"]?.text(), type != "track" {
        content.remark(node, "this is not a track but of type \(type); left out")
        return nil
      }
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
        content.remark(node, "\(uri) has no ISRC here: it is not tied to a song")
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
      let text = try node.text()
      guard text.utf8.count >= 4, let year = Int64(text.prefix(4)), year >= 0 else {
        content.remark(node, "\(node.value) is not a date; left out")
        return nil
      }
      return year == 0 ? nil : year
    }
  }
}
