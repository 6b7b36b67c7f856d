import CatalogEngine

/// Reads saved answers of the Apple Music API: songs of its catalog or of a library, playlists, searches.
enum ApplePages {
  /// Whether a document looks like one of these. Other services have `data`, too.
  static func isPage(_ root: JSONNode) -> Bool {
    if root.isArray { return (try? root.elements())?.first.map(isPage) ?? false }
    if let data = root["data"], let elements = try? data.elements() {
      let keys: Set<String> = ["data", "next", "href", "meta", "errors"]
      return elements.isEmpty
        ? root.keys.allSatisfy(keys.contains) : elements.contains(where: isResource)
    }
    return root["results"]?.isObject ?? false || isResource(root)
  }

  /// Ids are texts in all answers, and sorts are in the plural.
  private static func isResource(_ node: JSONNode) -> Bool {
    guard case .string(let type)? = node["type"]?.value, case .string? = node["id"]?.value else {
      return false
    }
    return node["attributes"]?.isObject ?? false || type.hasSuffix("s")
  }

  static func read(_ root: JSONNode, _ content: inout Content) throws(DocumentError) {
    var reader = Reader(content: content)
    try reader.read(root)
    content = reader.content
  }

  private struct Reader {
    var content: Content

    mutating func read(_ node: JSONNode) throws(DocumentError) {
      if node.isArray {
        for element in try node.elements() { try read(element) }
      } else if let data = node["data"] {
        try page(node, data)
        if let message = ServerError.message(of: node["errors"]) {
          content.remark(node, "the server answered with an error besides: \(message)")
        }
      } else if let results = node["results"] {
        for key in results.keys {
          guard let result = results[key] else { continue }
          // A search has one list of each sort, charts have several.
          for list in result.isArray ? try result.elements() : [result] {
            guard let data = list["data"], data.isArray else {
              content.remark(list, "this is not a list with data; left out")
              continue
            }
            try page(list, data)
          }
        }
      } else if ApplePages.isResource(node) {
        _ = resource(node)
      } else {
        throw node.invalid(
          "is not an answer with songs", advice: "save the whole answer of the Apple Music API")
      }
    }

    private mutating func page(_ page: JSONNode, _ data: JSONNode) throws(DocumentError) {
      let entries = try data.elements().map { resource($0) }
      // Pages that go on say of which list they are; the last one does if its own address was saved.
      let next = content.text(page["next"])
      let href = content.text(page["href"])
      if let address = next ?? href,
        let first = next.flatMap(SavedPages.offset).map({ max(0, $0 - Int64(entries.count)) })
          ?? href.flatMap(SavedPages.offset)
      {
        content.lists.add(
          PagedPlaylists.Part(first: first, entries: entries, hasNext: next != nil),
          key: PagedPlaylists.key("apple-music", href: address))
      }
      content.pages.note(apple: page, isOfSongs: !entries.uris.isEmpty)
    }

    private mutating func resource(_ node: JSONNode) -> ListEntry {
      do throws(DocumentError) {
        switch try node.require("type").text() {
        case "songs", "library-songs": return .track(try song(node))
        case "playlists", "library-playlists": try playlist(node)
        case "albums", "library-albums": try album(node)
        case let type: content.remark(node, "this is not a song but of type \(type); left out")
        }
        return .other
      } catch {
        content.leaveOut(error)
        return .unread
      }
    }

    private mutating func album(_ node: JSONNode) throws(DocumentError) {
      guard let tracks = node["relationships"]?["tracks"]?["data"] else {
        return content.note(.albumsAlone, node.path)
      }
      for track in try tracks.elements() { _ = resource(track) }
      if let next = node["relationships"]?["tracks"]?["next"] {
        content.remark(next, "the album has more tracks on another page")
      }
    }

    private mutating func playlist(_ node: JSONNode) throws(DocumentError) {
      let id = try node.require("id").text()
      let attributes = node["attributes"]
      let name = content.name(attributes?["name"])
      let key = "apple-music:playlist:\(id)"
      var head = DocumentPlaylist(
        id: NameBasedID.collection("apple-music", id), name: name, address: key, uris: [])
      head.description = content.text(attributes?["description"]?["standard"])
      head.artworkURL = content.text(attributes?["artwork"]?["url"])
      content.lists.add(head, key: key, place: node.place)
      guard let tracks = node["relationships"]?["tracks"], let data = tracks["data"] else { return }
      let entries = try data.elements().map { resource($0) }
      let next = content.text(tracks["next"])
      content.lists.add(
        PagedPlaylists.Part(
          first: 0, entries: entries, hasNext: next != nil,
          total: content.count(tracks["meta"]?["total"])), key: key)
      if next != nil { content.pages.note(apple: tracks, isOfSongs: false) }
    }

    // MARK: Songs

    /// - Returns: its URI.
    private mutating func song(_ node: JSONNode) throws(DocumentError) -> String {
      let id = try node.require("id")
      let text = try id.text()
      // The song of the catalog that a song of a library is, if it was asked for.
      let catalog = (try? node["relationships"]?["catalog"]?["data"]?.elements())?.first
      let sources = [node["attributes"], catalog?["attributes"]].compactMap(\.self)
      guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
        throw node.invalid("has no id", advice: "save the whole answer")
      }
      let isLibrary = SongID.appleMusic(text) == nil
      let isOfLibrary = try node.require("type").text() == "library-songs"
      guard !isLibrary || text.hasPrefix("i.") || isOfLibrary else {
        throw id.invalid("is not an id of Apple Music", advice: "write digits, or i.…")
      }
      let uri = "apple-music:\(isLibrary ? "library" : "song"):\(URIText.escaped(text))"
      func said(_ key: String) -> JSONNode? { sources.lazy.compactMap { $0[key] }.first }
      let title = content.title(content.text(said("name")), node.path)
      let url = content.text(said("url"))
      var track = DocumentTrack(
        title: title, fileURL: url?.isEmpty == false ? url ?? uri : uri, uri: uri,
        source: "apple-music", place: node.place)
      track.artist = content.text(said("artistName"))
      track.album = content.text(said("albumName"))
      track.duration = content.seconds(said("durationInMillis"))
      track.trackNumber = content.count(said("trackNumber"))
      track.genre = genre(said("genreNames"))
      track.artworkURL = content.text(said("artwork")?["url"])
      track.year = year(said("releaseDate"))
      track.dateAdded = content.time(said("dateAdded"))
      track.isrc = content.isrc(said("isrc"))
      // An id of a personal library is none of the catalog. An answer that only names the song leaves it to others to
      // describe it: they bring its id.
      track.appleMusicID =
        sources.isEmpty
        ? nil
        : [said("playParams")?["catalogId"], catalog?["id"], id].lazy
          .compactMap { $0.flatMap { try? $0.text() } }.compactMap(SongID.appleMusic).first
      content.tracks.append(track)
      return uri
    }

    // MARK: Values

    /// The first genre; empty for an empty array.
    private mutating func genre(_ node: JSONNode?) -> String? {
      guard let names = content.elements(node) else { return nil }
      return names.isEmpty ? "" : content.text(names[0])
    }

    /// 0 for an empty text.
    private mutating func year(_ node: JSONNode?) -> Int64? {
      guard let node, let date = content.text(node) else { return nil }
      if date.isEmpty { return 0 }
      guard let year = Int64(date.prefix(4)), year >= 0 else {
        content.remark(node, "\(JSONExcerpt.printable(date)) is not a date; left out")
        return nil
      }
      return year
    }
  }
}
