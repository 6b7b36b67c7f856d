import CatalogEngine

/// Reads saved answers of the Spotify Web API, and the files that Spotify sends to the owner of an account.
///
/// Answers with tracks are saved tracks and albums, playlists and their items, the queue, the track that plays, tracks that
/// were played lately, searches, albums and tracks.
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
      return isPage(first) || isPlay(first)
    }
    return isList(root["items"]) || isList(root["queue"])
      || ["tracks", "albums", "playlists"].contains { isList(root[$0]) || isPaged(root[$0]) }
      || ["track", "album", "episode"].contains { root[$0]?.isObject ?? false }
      || isPlaying(root) || isResource(root) || withoutTracks(root) != nil
  }

  private static func isList(_ node: JSONNode?) -> Bool { node?.isArray ?? false }

  private static func isPaged(_ node: JSONNode?) -> Bool { isList(node?["items"]) }

  /// What plays now, or played last.
  private static func isPlaying(_ node: JSONNode) -> Bool {
    node.keys.contains("item") && (node["is_playing"] ?? node["currently_playing_type"]) != nil
  }

  /// A track, an album, a playlist or whatever else has a URI.
  private static func isResource(_ node: JSONNode) -> Bool {
    guard case .string(let uri)? = node["uri"]?.value else { return false }
    return uri.hasPrefix("spotify:")
  }

  /// A line of the history of an account: it counts plays, and most of its forms name no addresses.
  private static func isPlay(_ node: JSONNode) -> Bool {
    node["msPlayed"] != nil || node["ms_played"] != nil
  }

  /// The things that a known answer has, if they are neither tracks nor lists of them.
  private static func withoutTracks(_ root: JSONNode) -> String? {
    if root["segments"] != nil, root["beats"] != nil { return "the analysis of a track" }
    let sorts = [
      "artists", "audio_features", "audiobooks", "categories", "chapters", "devices", "episodes",
      "genres", "markets", "shows",
    ]
    let found = sorts.compactMap { sort -> String? in
      guard let node = root[sort] else { return nil }
      guard let items = try? (node["items"] ?? node).elements() else { return nil }
      return "\(items.count) \(sort.replacing("_", with: " "))"
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  private struct Reader {
    var content: Content

    mutating func read(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        let elements = try node.elements()
        if elements.isEmpty { return content.remark(node, "there is nothing in it") }
        if let first = elements.first, SpotifyPages.isPlay(first) {
          return content.remark(
            node,
            elements.count == 1
              ? "1 play of an account, which is not imported; left out"
              : "\(elements.count) plays of an account, which are not imported; left out")
        }
        for element in elements {
          if element.isObject, !isPlaylist(element),
            SpotifyPages.isList(element["items"]) || element["tracks"] != nil
          {
            try read(element)
          } else {
            _ = entry(element, album: nil)
          }
        }
      } else if SpotifyPages.isResource(node) {
        _ = entry(node, album: nil)
      } else if isPlaylist(node) {
        leavingOut { (reader) throws(DocumentError) in try reader.playlist(node) }
      } else if let tracks = node["tracks"] {
        try list(tracks)
        var read: Set<String> = ["tracks"]
        for key in ["albums", "playlists"] where SpotifyPages.isList(node[key]) {
          if let others = node[key] { try list(others) }
          read.insert(key)
        }
        remarkOthers(node, besides: read)
      } else if let items = node["items"] {
        try page(node, items)
      } else if let albums = node["albums"] ?? node["playlists"] {
        try list(albums)
        if node["albums"] != nil, let playlists = node["playlists"] { try list(playlists) }
        remarkOthers(node, besides: ["albums", "playlists"])
      } else if node["queue"] != nil || node["currently_playing"] != nil {
        if let playing = node["currently_playing"] { _ = entry(playing, album: nil) }
        if let queue = node["queue"] { try list(queue) }
      } else if wrapped(in: node) != nil || SpotifyPages.isPlaying(node) {
        if let what = SpotifyPages.withoutTracks(node) {
          content.remark(node, "this answer has no tracks but \(what); left out")
        } else {
          _ = entry(node, album: nil)
        }
      } else if let what = SpotifyPages.withoutTracks(node) {
        content.remark(node, "this answer has no tracks but \(what); left out")
      } else {
        throw node.invalid(
          "is not an answer with tracks", advice: "save the whole answer of the Web API")
      }
    }

    /// A page, or an array.
    private mutating func list(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        for element in try node.elements() { _ = entry(element, album: nil) }
      } else {
        try page(node, try node.require("items"))
      }
    }

    /// Lists what an answer has besides the lists that were read.
    private mutating func remarkOthers(_ node: JSONNode, besides read: Set<String>) {
      for key in node.keys.sorted() where !read.contains(key) {
        guard let found = node[key] else { continue }
        let isSearch = found["items"] != nil
        guard let items = try? (found["items"] ?? found).elements(), !items.isEmpty else {
          continue
        }
        content.remark(
          found, "\(items.count) \(key)\(isSearch ? " that a search found" : ""); left out")
      }
    }

    private mutating func page(_ page: JSONNode, _ items: JSONNode) throws(DocumentError) {
      let elements = try items.elements()
      let entries = elements.map { entry($0, album: nil) }
      if let href = content.text(page["href"]), !href.isEmpty {
        content.lists.add(part(page, entries), key: PagedPlaylists.key("spotify", href: href))
      }
      for node in elements where node["played_at"] != nil { content.note(.played, node.path) }
      content.pages.note(spotify: page)
    }

    /// - Parameter page: an object with `items`.
    private func part(_ page: JSONNode, _ entries: [ListEntry]) -> PagedPlaylists.Part {
      let href = (try? page["href"]?.text()).flatMap(SavedPages.offset)
      let total = try? page["total"]?.count()
      return PagedPlaylists.Part(
        first: (try? page["offset"]?.count()) ?? href ?? 0, entries: entries,
        hasNext: page["next"] != nil, total: total,
        isBounded: total != nil || page.keys.contains("next"))
    }

    // MARK: Entries

    /// A track, an album or a playlist, or an object that holds one.
    ///
    /// - Parameter album: that of tracks which do not name it.
    private mutating func entry(
      _ node: JSONNode, album outer: JSONNode?, addedAt: Timestamp? = nil
    ) -> ListEntry {
      leavingOut { (reader) throws(DocumentError) in
        try reader.requiredEntry(node, album: outer, addedAt: addedAt)
      } ?? .unread
    }

    /// Leaves out what cannot be used, with a line.
    @discardableResult
    private mutating func leavingOut<Value>(
      _ read: (inout Reader) throws(DocumentError) -> Value?
    ) -> Value? {
      do throws(DocumentError) {
        return try read(&self)
      } catch {
        content.leaveOut(error)
        return nil
      }
    }

    private mutating func requiredEntry(
      _ node: JSONNode, album outer: JSONNode?, addedAt: Timestamp?
    ) throws(DocumentError) -> ListEntry {
      guard node.isObject else {
        content.remark(node, "the entry is not an object; left out")
        return .unread
      }
      if node["uri"] == nil, let key = wrapped(in: node) {
        guard let inner = node[key] else {
          content.remark(node, "the \(key) is null: it is not offered any more; left out")
          return .other
        }
        if inner["type"] == nil, ["episode", "show", "audiobook"].contains(key) {
          content.remark(inner, "this is not a track but of type \(key); left out")
          return .other
        }
        return try requiredEntry(
          inner, album: outer, addedAt: time(node["added_at"] ?? node["addedDate"]))
      }
      switch content.text(node["type"])?.lowercased() ?? sort(of: node) {
      case "playlist": try playlist(node)
      case "album":
        guard let tracks = node["tracks"] else {
          content.note(.albumsAlone, node.path)
          return .other
        }
        // An album's tracks do not repeat what the album says.
        let items = tracks.isObject ? try tracks.require("items") : tracks
        for track in try items.elements() { _ = entry(track, album: node, addedAt: addedAt) }
        if tracks.isObject { content.pages.note(spotify: tracks) }
      case "track": return .track(try track(node, addedAt: addedAt, album: outer))
      case nil where node["uri"] != nil || node["trackUri"] != nil || isTrack(node):
        return .track(try track(node, addedAt: addedAt, album: outer))
      case nil:
        content.remark(node, "the entry has no track; left out")
        return .unread
      case let type?:
        content.remark(node, "this is not a track but of type \(type); left out")
      }
      return .other
    }

    /// Whether an object without a URI is a track all the same, and not one that holds a track or an album.
    private func isTrack(_ node: JSONNode) -> Bool {
      ["name", "trackName", "artists", "duration_ms"].contains { node[$0] != nil }
    }

    /// The sort of an object that does not say its type; nil if it is unknown.
    private func sort(of node: JSONNode) -> String? {
      if isPlaylist(node) { return "playlist" }
      guard case .string(let uri)? = node["uri"]?.value, SpotifyLocalFile(uri) == nil else {
        return nil
      }
      let names = uri.split(separator: ":").dropFirst().dropLast()
      return ["playlist", "album", "artist", "episode", "show"].first { names.last == $0[...] }
    }

    /// The key under which an object holds a track or something else: `item` is what newer answers call it, and
    /// `localTrack` what the files of an account do. A null counts only if nothing else is there.
    private func wrapped(in node: JSONNode) -> String? {
      guard !isTrack(node) else { return nil }
      let keys = ["track", "item", "localTrack", "episode", "album", "show", "audiobook"]
      return keys.first { node[$0]?.isObject ?? false }
        ?? keys.first { node.keys.contains($0) && node[$0] == nil }
    }

    // MARK: Playlists

    /// Whether an object is a playlist, also one that some other program saved: without a URI, or with an array of tracks.
    private func isPlaylist(_ node: JSONNode) -> Bool {
      guard node["name"] != nil else { return false }
      return SpotifyPages.isList(node["tracks"]) || SpotifyPages.isList(node["items"])
        || SpotifyPages.isPaged(node["tracks"])
    }

    private mutating func playlist(_ node: JSONNode) throws(DocumentError) {
      let address = address(ofPlaylist: node)
      let name = content.name(node["name"])
      guard address != nil || name != nil else {
        return content.remark(node, "the playlist has neither a URI nor a name; left out")
      }
      let key = address ?? "name:\(name ?? "")"
      var head = DocumentPlaylist(
        id: NameBasedID.collection("spotify", key), name: name, address: key, uris: [])
      head.description = content.text(node["description"])
      head.artworkURL = image(node["images"])
      head.isKnownByName = address == nil
      if let uri = content.text(node["uri"]), uri != key, !uri.isEmpty {
        head.earlierID = NameBasedID.collection("spotify", uri)
      }
      let list = node["tracks"] ?? node["items"]
      let entries = try (list?["items"] ?? list).flatMap { (items) throws(DocumentError) in
        items.isArray ? try items.elements().map { entry($0, album: nil) } : nil
      }
      if head.isKnownByName {
        // No page can say that it belongs to it, and there may be another one of its name.
        guard let entries else {
          return content.remark(node, "the playlist has no tracks here; left out")
        }
        (head.uris, head.part) = PagedPlaylists.joined([first(list, entries)])
        if let list, list.isObject { content.pages.note(spotify: list, key: node.place) }
        return content.playlists.append(head)
      }
      content.lists.add(head, key: key, place: node.place)
      guard let entries else { return }
      content.lists.add(first(list, entries), key: key)
      if let list, list.isObject { content.pages.note(spotify: list) }
    }

    /// The entries that a playlist holds itself: all of them, unless it says that there are more.
    private func first(_ list: JSONNode?, _ entries: [ListEntry]) -> PagedPlaylists.Part {
      guard let list, list.isObject else { return PagedPlaylists.Part(first: 0, entries: entries) }
      var part = part(list, entries)
      part.isBounded = true
      return part
    }

    /// The URI of a playlist, by which its pages find it; nil if the playlist says none. Older URIs name the owner too:
    /// `spotify:user:x:playlist:y`.
    private mutating func address(ofPlaylist node: JSONNode) -> String? {
      if let uri = content.text(node["uri"]), !uri.isEmpty {
        let parts = uri.split(separator: ":")
        let isOld = parts.count == 5 && parts[1] == "user" && parts[3] == "playlist"
        return isOld ? "spotify:playlist:\(parts[4])" : uri
      }
      if let href = content.text((node["tracks"] ?? node["items"])?["href"]) {
        let key = PagedPlaylists.key("spotify", href: href)
        if key.hasPrefix("spotify:playlist:") { return key }
      }
      guard let id = content.text(node["id"]), !id.isEmpty else { return nil }
      return "spotify:playlist:\(id)"
    }

    // MARK: Tracks

    /// - Returns: its URI.
    private mutating func track(
      _ node: JSONNode, addedAt: Timestamp?, album outer: JSONNode?
    ) throws(DocumentError) -> String {
      let (address, text) = try address(of: node)
      guard let uri = TrackURI.normalized(text),
        uri.hasPrefix("spotify:track:") || uri.hasPrefix("spotify:local:")
      else {
        throw address.invalid(
          "is not the URI of a track of Spotify", advice: "write it as spotify:track:…")
      }
      // The files of an account write names as texts.
      let title = content.text(node["name"] ?? node["trackName"] ?? node["track"])
      let named = title?.isEmpty ?? true ? SpotifyLocalFile(uri)?.title : title
      var track = DocumentTrack(
        title: content.title(named, node.path), fileURL: text, uri: uri, source: "spotify",
        place: node.place)
      track.artist = names(node["artists"]) ?? content.text(node["artistName"] ?? node["artist"])
      track.duration = content.seconds(node["duration_ms"])
      track.trackNumber = content.count(node["track_number"])
      if let album = node["album"] ?? outer, album.isObject {
        track.album = content.text(album["name"])
        track.albumArtist = names(album["artists"])
        track.artworkURL = image(album["images"])
        track.year = year(album["release_date"])
      } else {
        track.album = content.text(node["albumName"] ?? node["album"])
      }
      track.dateAdded = addedAt
      track.isrc = content.isrc(node["external_ids"]?["isrc"])
      track.takeAddress()
      content.tracks.append(track)
      return uri
    }

    /// The URI of a track. Spotify plays another recording in some countries and names the one that was meant in
    /// `linked_from`: both are one track.
    private func address(of node: JSONNode) throws(DocumentError) -> (node: JSONNode, text: String)
    {
      if let linked = node["linked_from"]?["uri"], let text = try? linked.text() {
        return (linked, text)
      }
      if node["uri"] == nil, node["trackUri"] == nil, let id = node["id"] {
        return (id, "spotify:track:\(try id.text())")
      }
      if let address = node["trackUri"], node["uri"] == nil { return (address, try address.text()) }
      guard let address = node["uri"] else {
        throw DocumentError(
          code: .missingKey, file: node.file, path: node.path, message: "the track has no URI",
          advice: "save the whole answer of the Web API")
      }
      return (address, try address.text())
    }

    // MARK: Values

    /// Names with `, ` between them; empty for an empty array.
    private mutating func names(_ artists: JSONNode?) -> String? {
      guard let elements = content.elements(artists) else { return nil }
      return elements.compactMap { content.text($0["name"]) }.filter { !$0.isEmpty }
        .joined(separator: ", ")
    }

    /// The first image, which is the largest; empty for an empty array.
    private mutating func image(_ images: JSONNode?) -> String? {
      guard let elements = content.elements(images) else { return nil }
      guard let first = elements.first else { return "" }
      return content.text(first["url"])
    }

    /// Spotify writes 1970 for what was added before it kept times.
    private mutating func time(_ node: JSONNode?) -> Timestamp? {
      guard let node, let text = content.text(node), !text.isEmpty else { return nil }
      let time = content.time(node)
      return time?.milliseconds == 0 ? nil : time
    }

    /// The year of `1998`, `1998-03` or `1998-03-14`; 0 for `0000` and for an empty text.
    private mutating func year(_ node: JSONNode?) -> Int64? {
      guard let node else { return nil }
      if case .string(let text) = node.value, TextRules.isBlank(text) { return 0 }
      guard case .string(let text) = node.value, text.utf8.count >= 4,
        let year = Int64(text.prefix(4)), year >= 0
      else {
        content.remark(
          node, "\(JSONExcerpt.printable(node.value.description)) is not a date; left out")
        return nil
      }
      return year
    }
  }
}
