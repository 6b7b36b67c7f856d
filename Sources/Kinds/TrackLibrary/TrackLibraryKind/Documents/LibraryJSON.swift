import CatalogEngine

/// Reads `library.json`, in which a music player kept its library before it had a database.
enum LibraryJSON {
  static func isLibrary(_ root: JSONNode) -> Bool {
    root["collections"] != nil && root["tracks"] != nil
  }

  /// - Returns: what a document of its own has, but for its hash.
  static func read(_ root: JSONNode) throws(DocumentError) -> Content {
    var content = Content()
    var uris: [EntityID: String] = [:]
    var seen = Unkept()
    seen.note(root, known: ["tracks", "collections"])
    for node in try root.require("tracks").elements() {
      let track = try track(node, &content, &seen)
      guard let id = track.id, uris.updateValue(track.uri, forKey: id) == nil else {
        throw try node.require("id").duplicate("is the id of two tracks")
      }
      content.tracks.append(track)
    }
    var ids: Set<EntityID> = []
    for node in try root.require("collections").elements() {
      seen.note(node, known: ["id", "name", "trackIDs"])
      let id = try node.require("id").id()
      guard ids.insert(id).inserted else {
        throw try node.require("id").duplicate("is the id of two collections")
      }
      var entries: [String] = []
      for entry in try node.require("trackIDs").elements() {
        let track = try entry.id()
        guard let uri = uris[track] else {
          content.remark(entry, "the library has no track \(track); left out")
          continue
        }
        entries.append(uri)
      }
      let name = try node.require("name")
      content.playlists.append(
        DocumentPlaylist(
          id: id, name: try Text.name(try name.text(), file: name.file, place: name.path),
          uris: entries))
    }
    content.remarks += seen.remarks
    return content
  }

  private static let keys: Set<String> = [
    "id", "title", "artist", "album", "albumArtist", "duration", "fileURL", "artworkURL",
    "artworkData", "genre", "year", "trackNumber",
  ]

  private static func track(
    _ node: JSONNode, _ content: inout Content, _ seen: inout Unkept
  ) throws(DocumentError) -> DocumentTrack {
    seen.note(node, known: keys)
    let url = try node.require("fileURL")
    let text = try url.text()
    guard let uri = TrackURI.normalized(text) ?? TrackURI.file(path: text) else {
      throw url.invalid(
        "is neither a URI nor an absolute path", advice: "write it as file:///Music/a.mp3")
    }
    var track = DocumentTrack(
      title: try node.require("title").text(), fileURL: text, uri: uri,
      source: TrackURI.source(of: uri), place: node.place)
    track.id = try node.require("id").id()
    track.artist = try node["artist"]?.text()
    track.album = try node["album"]?.text()
    track.albumArtist = try node["albumArtist"]?.text()
    track.duration = try node.require("duration").number()
    track.artworkURL = try node["artworkURL"]?.text()
    track.genre = try node["genre"]?.text()
    track.year = try node["year"]?.count()
    track.trackNumber = try node["trackNumber"]?.count()
    if let artwork = try node["artworkData"]?.bytes(), !artwork.isEmpty {
      if artwork.count <= Artwork.limit {
        track.artwork = artwork
      } else {
        content.remark(
          node, "the picture has \(artwork.count) bytes, more than \(Artwork.limit); left out")
      }
    }
    return track
  }
}

/// Keys of a document that nobody here keeps.
private struct Unkept {
  private var counts: [String: (place: String, count: Int)] = [:]

  mutating func note(_ node: JSONNode, known: Set<String>) {
    for key in node.keys where !known.contains(key) {
      counts[key, default: (node.place, 0)].count += 1
    }
  }

  var remarks: [DocumentRemark] {
    counts.sorted { $0.key < $1.key }.map { key, found in
      DocumentRemark(
        place: found.place,
        message: "the key \"\(key)\" is not kept (\(found.count) times in the file)")
    }
  }
}

extension JSONNode {
  fileprivate func duplicate(_ message: String) -> DocumentError {
    var error = invalid(message, advice: "correct one of them")
    error.code = .duplicateValue
    return error
  }
}
