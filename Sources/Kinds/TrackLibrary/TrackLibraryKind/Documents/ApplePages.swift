import CatalogEngine

/// Reads answers of the Apple Music API that somebody saved: songs of its catalog or of a library, playlists, searches.
enum ApplePages {
  static func isPage(_ root: JSONNode) -> Bool {
    if root.isArray { return (try? root.elements())?.first.map(isPage) ?? false }
    return root["data"]?.isArray ?? false || root["results"]?.isObject ?? false || isResource(root)
  }

  private static func isResource(_ node: JSONNode) -> Bool {
    node["type"] != nil && node["attributes"]?.isObject ?? false
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
        for element in try data.elements() { try resource(element) }
        try content.pages.note(apple: node)
        if let message = ServerError.message(of: node["errors"]) {
          content.remark(node, "the server answered with an error besides: \(message)")
        }
      } else if let results = node["results"] {
        for key in results.keys {
          guard let result = results[key] else { continue }
          // A search has one list of each sort, charts have several.
          for list in result.isArray ? try result.elements() : [result] {
            for element in try list.require("data").elements() { try resource(element) }
            try content.pages.note(apple: list)
          }
        }
      } else if isResource(node) {
        try resource(node)
      } else {
        throw node.invalid(
          "is not an answer with songs", advice: "save the whole answer of the Apple Music API")
      }
    }

    private mutating func resource(_ node: JSONNode) throws(DocumentError) {
      switch try node.require("type").text() {
      case "songs", "library-songs": _ = try song(node)
      case "playlists", "library-playlists": try playlist(node)
      case "albums", "library-albums":
        guard let tracks = node["relationships"]?["tracks"]?["data"] else {
          return content.remark(node, "the album has no tracks here; left out")
        }
        for track in try tracks.elements() { try resource(track) }
        if let next = node["relationships"]?["tracks"]?["next"] {
          content.remark(next, "the album has more tracks on another page; they are left out")
        }
      case let type: content.remark(node, "this is not a song but of type \(type); left out")
      }
    }

    private mutating func playlist(_ node: JSONNode) throws(DocumentError) {
      let id = try node.require("id").text()
      guard let tracks = node["relationships"]?["tracks"] else {
        return content.remark(node, "the playlist has no tracks here; left out")
      }
      if let next = tracks["next"] {
        content.remark(next, "the playlist has more tracks on another page; they are left out")
      }
      var uris: [String] = []
      for track in try tracks.require("data").elements() {
        let type = try track.require("type").text()
        guard type == "songs" || type == "library-songs" else {
          content.remark(track, "this is not a song but of type \(type); left out")
          continue
        }
        if let uri = try song(track) { uris.append(uri) }
      }
      let attributes = try node.require("attributes")
      let name = try attributes.require("name")
      content.playlists.append(
        DocumentPlaylist(
          id: NameBasedID.collection("apple-music", id),
          name: try Text.name(try name.text(), file: name.file, place: name.path),
          description: try attributes["description"]?["standard"]?.text(),
          artworkURL: try attributes["artwork"]?["url"]?.text(), uris: uris))
    }

    /// - Returns: its URI; nil for what is not used.
    private mutating func song(_ node: JSONNode) throws(DocumentError) -> String? {
      let id = node["id"]
      let text = try node.require("id").text()
      guard let attributes = node["attributes"] else {
        content.remark(node, "the song has no attributes here; left out")
        return nil
      }
      let isLibrary = SongID.appleMusic(text) == nil
      guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), let id else {
        throw node.invalid("has no id", advice: "save the whole answer")
      }
      guard !isLibrary || text.hasPrefix("i.") else {
        throw id.invalid("is not an id of Apple Music", advice: "write digits, or i.…")
      }
      let uri = "apple-music:\(isLibrary ? "library" : "song"):\(URIText.escaped(text))"
      var title = try attributes.require("name").text()
      if TextRules.isBlank(title) {
        content.remark(node, "the song has no name; it is called by its id")
        title = text
      }
      var track = DocumentTrack(
        title: title, fileURL: try attributes["url"]?.text() ?? uri, uri: uri,
        source: "apple-music", place: node.place)
      track.artist = try attributes["artistName"]?.text()
      track.album = try attributes["albumName"]?.text()
      track.duration = try attributes["durationInMillis"].map { (node) throws(DocumentError) in
        try node.number() / 1_000
      }
      track.trackNumber = try attributes["trackNumber"]?.count()
      track.genre = try attributes["genreNames"]?.elements().first?.text()
      track.artworkURL = try attributes["artwork"]?["url"]?.text()
      if let date = try attributes["releaseDate"]?.text(), let year = Int64(date.prefix(4)),
        year > 0
      {
        track.year = year
      }
      track.dateAdded = try attributes["dateAdded"].map { (node) throws(DocumentError) in
        try node.time()
      }
      try identify(&track, id, attributes)
      content.tracks.append(track)
      return uri
    }

    /// ISRC, else the id of the catalog; an id of a personal library is neither.
    private mutating func identify(
      _ track: inout DocumentTrack, _ id: JSONNode, _ attributes: JSONNode
    ) throws(DocumentError) {
      if let isrc = attributes["isrc"] {
        track.isrc = SongID.isrc(try isrc.text())
        if track.isrc == nil { content.remark(isrc, "\(isrc.value) is not an ISRC; left out") }
      }
      let catalogID = attributes["playParams"]?["catalogId"] ?? id
      track.appleMusicID = SongID.appleMusic(try catalogID.text())
      if track.isrc == nil, track.appleMusicID == nil {
        content.remark(
          unidentified: track.uri, id,
          "\(id.value) has neither an ISRC nor an id of the catalog: it is not tied to a song")
      }
    }
  }
}
