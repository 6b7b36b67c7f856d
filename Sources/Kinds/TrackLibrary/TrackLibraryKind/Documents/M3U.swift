import CatalogEngine

/// Reads playlists in M3U and M3U8.
enum M3U {
  /// The playlist's id in this library, as a comment that other players pass over.
  static let idTag = "#X-TRACK-LIBRARY-ID:"

  /// - Parameters:
  ///   - file: what errors call it.
  ///   - name: of the file, without its ending: that of the playlist, where it has no other.
  ///   - folder: where relative paths begin; absolute.
  ///   - isUTF8: whether the file's ending promises UTF-8.
  ///   - exists: whether there is a file of this path.
  static func read(
    _ bytes: [UInt8], file: String, name: String, folder: String, isUTF8: Bool,
    exists: (String) -> Bool
  ) throws(DocumentError) -> Content {
    let text = try M3UText.decoded(bytes, file: file, isUTF8: isUTF8)
    var reader = Reader(file: file, folder: folder)
    try M3UText.readLines(text) { (line, number) throws(DocumentError) in
      try reader.read(line, number: number, exists)
    }
    reader.remarkUnused()
    reader.remarkUnkept()
    var title = reader.title ?? name
    title = try Text.name(title, file: file, place: "the playlist's name")
    return Content(
      tracks: reader.tracks,
      playlists: [
        DocumentPlaylist(
          id: reader.id ?? NameBasedID.collection("m3u", title), name: title,
          uris: reader.entries)
      ], remarks: reader.remarks)
  }

  private struct Reader {
    let file: String
    let folder: String
    var title: String?
    var id: EntityID?
    /// The URI of each entry, in the order of the file.
    var entries: [String] = []
    /// The descriptions of tracks by entries. An entry that says the same as the one before it of its track is not among them:
    /// a file may have one track a million times.
    var tracks: [DocumentTrack] = []
    /// Where in `tracks` the last one of each URI is.
    private var places: [String: Int] = [:]
    /// The URIs that lines mean.
    private var uris: [String: String] = [:]
    var remarks: [DocumentRemark] = []
    /// Tags of lines that nobody here keeps, and how many lines have each.
    private var unkept: [String: Int] = [:]
    /// What the lines before an entry say of it.
    private var info: Info?
    private var album: String?
    private var artist: String?
    private var genre: String?

    private struct Info {
      var line: Int
      var seconds: Double
      var text: String
    }

    init(file: String, folder: String) {
      self.file = file
      self.folder = folder
    }

    mutating func read(
      _ line: String, number: Int, _ exists: (String) -> Bool
    ) throws(DocumentError) {
      guard line.utf8.count <= TextRules.textLimit else {
        throw failure(
          number, line, "has \(line.utf8.count) bytes; the limit is \(TextRules.textLimit)",
          "shorten the line")
      }
      let line = line.trimmed()
      guard !line.isEmpty else { return }
      guard line.hasPrefix("#") else { return try add(line, number, exists) }
      if let text = line.value(after: "#EXTINF:") {
        remarkUnused()
        info = try self.info(text, number)
      } else if let text = line.value(after: "#PLAYLIST:") {
        title = text.isEmpty ? nil : try checked(text, number)
      } else if let text = line.value(after: "#EXTALB:") {
        album = try checked(text, number)
      } else if let text = line.value(after: "#EXTART:") {
        artist = try checked(text, number)
      } else if let text = line.value(after: "#EXTGENRE:") {
        genre = try checked(text, number)
      } else if let text = line.value(after: idTag) {
        guard let id = EntityID(text) else {
          throw failure(number, line, "is not the id of a playlist", "take the line out")
        }
        self.id = id
      } else if let tag = Self.tag(of: line), !line.hasPrefix("#EXT-X-") {
        unkept[tag, default: 0] += 1
      } else if line.hasPrefix("#EXT-X-") {
        throw failure(
          number, line, "belongs to a stream, not to a list of tracks", "import another file")
      }
    }

    /// `#EXTGRP` of `#EXTGRP:Rock`; nil for a comment, and for `#EXTM3U`, which begins a list.
    private static func tag(of line: String) -> String? {
      let name = line.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      guard line.dropFirst(name.count + 1).hasPrefix(":"), name == name.uppercased() else {
        return nil
      }
      return "#\(name)"
    }

    /// Lists the lines of players that nobody here keeps.
    mutating func remarkUnkept() {
      guard !unkept.isEmpty else { return }
      let tags = unkept.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      remarks.append(
        DocumentRemark(place: file, message: "not kept: \(tags.joined(separator: ", "))"))
    }

    /// Lists the `#EXTINF` that no entry followed.
    mutating func remarkUnused() {
      guard let info else { return }
      remarks.append(
        DocumentRemark(
          place: "\(file): line \(info.line)",
          message: "no path or URI follows this #EXTINF; left out"))
    }

    private mutating func add(
      _ line: String, _ number: Int, _ exists: (String) -> Bool
    ) throws(DocumentError) {
      guard let uri = uris[line] ?? M3UEntry.uri(line, in: folder, exists) else {
        throw failure(number, line, "is neither a path nor a URI", "write a file or an address")
      }
      uris[line] = uri
      let name = TrackURI.name(of: uri)
      var track = DocumentTrack(
        title: name, fileURL: uri, uri: uri, source: TrackURI.source(of: uri),
        place: "\(file): line \(number)")
      if let info {
        track.duration = info.seconds > 0 ? info.seconds : nil
        let (artist, title) = M3UEntry.parts(of: info.text, artist: self.artist)
        track.artist = artist
        if !title.isEmpty { track.title = title }
      }
      track.artist = artist ?? track.artist
      track.album = album
      track.genre = genre
      (info, album, artist, genre) = (nil, nil, nil, nil)
      entries.append(uri)
      if let place = places[uri] {
        var same = tracks[place]
        same.place = track.place
        if same == track { return }
      }
      places[uri] = tracks.count
      tracks.append(track)
    }

    /// `215,Artist - Title`, with attributes after the number.
    private mutating func info(_ text: String, _ number: Int) throws(DocumentError) -> Info {
      var isQuoted = false
      let comma = text.firstIndex { character in
        if character == "\"" { isQuoted.toggle() }
        return character == "," && !isQuoted
      }
      let head = text[..<(comma ?? text.endIndex)].prefix { !$0.isWhitespace }
      var seconds = Double(head) ?? .nan
      if !seconds.isFinite {
        remarks.append(
          DocumentRemark(
            place: "\(file): line \(number)",
            message:
              "\"\(JSONExcerpt.printable(String(head)))\" is not a length in seconds; it is unknown"
          ))
        seconds = -1
      }
      let title = comma.map { String(text[text.index(after: $0)...]).trimmed() } ?? ""
      return Info(line: number, seconds: seconds, text: try checked(title, number))
    }

    private func checked(_ text: String, _ number: Int) throws(DocumentError) -> String {
      try Text.verbatim(text, file: file, place: "line \(number)")
    }

    private func failure(
      _ number: Int, _ value: String, _ message: String, _ advice: String
    ) -> DocumentError {
      DocumentError(
        code: .invalidValue, file: file, path: "line \(number)",
        value: "\"\(JSONExcerpt.printable(value))\"", message: message, advice: advice)
    }
  }
}

extension String {
  /// What follows a tag, whose letters may be small; nil if the line does not begin with it.
  fileprivate func value(after tag: String) -> String? {
    guard utf8.count >= tag.utf8.count, prefix(tag.count).uppercased() == tag else { return nil }
    return String(dropFirst(tag.count)).trimmed()
  }

  /// Without white space at its ends.
  func trimmed() -> String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    return String(text)
  }
}
