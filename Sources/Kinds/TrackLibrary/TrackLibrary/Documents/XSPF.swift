import CatalogEngine

/// Reads playlists in XSPF, which is XML.
enum XSPF {
  static func read(_ bytes: [UInt8], _ file: ListFile) throws(DocumentError) -> Content {
    let text = try DocumentText.utf8(bytes, file: file.path)
    if let content = FileContent(of: text), content != .xml {
      throw content.refusal(file.path, "a list in XSPF")
    }
    var reader = Reader(file: file)
    try XMLText.read(text, file: file.path) { (element) throws(DocumentError) in
      try reader.read(element)
    }
    guard reader.isList else {
      throw DocumentError(
        code: .unsupportedFormat, file: file.path, message: "this is XML, and not a list in XSPF",
        advice: "give it the ending of its format")
    }
    if reader.entries.uris.isEmpty { reader.content.remarks.add(file.path, "there are no tracks") }
    reader.content.remarkCommon(file.path)
    reader.content.playlists = [file.playlist(.xspf, named: reader.title, reader.entries)]
    return reader.content
  }

  private struct Reader {
    let file: ListFile
    var content = Content()
    var title: String?
    var entries: [ListEntry] = []
    var isList = false
    /// The texts of the elements of the track that ended.
    private var members: [String: String] = [:]
    /// An element may name several places of one track: the first that means one counts.
    private var entry: M3UEntry?

    init(file: ListFile) {
      self.file = file
    }

    private var place: String { "\(file.path): track \(entries.count + 1)" }

    mutating func read(_ element: XMLText.Element) throws(DocumentError) {
      switch element.path {
      case ["playlist"]: isList = true
      case ["playlist", "title"]: title = name(element.text)
      case ["playlist", "trackList", "track", "location"]:
        entry = entry ?? file.entry(element.text.trimmed())
      case ["playlist", "trackList", "track"]:
        addTrack()
        members = [:]
        entry = nil
      case ["playlist", "trackList", "track", element.path.last ?? ""]:
        members[element.path.last ?? ""] = element.text
      default: break
      }
    }

    private mutating func addTrack() {
      guard let entry else {
        content.remarks.add(place, "the track has no location that means a file; left out")
        entries.append(.unread)
        return
      }
      var track = DocumentTrack(entry, place: place)
      track.title = text("title")
      track.artist = text("creator")
      track.album = text("album")
      track.artworkURL = text("image")
      track.duration = members["duration"].flatMap { Double($0.trimmed()) }.flatMap {
        $0 > 0 && $0.isFinite ? $0 / 1_000 : nil
      }
      track.trackNumber = members["trackNum"].flatMap { Int64($0.trimmed()) }.flatMap {
        1...NumberRules.greatest ~= $0 ? $0 : nil
      }
      track.takeAddress()
      track.title = content.title(track.title, "track \(entries.count + 1)")
      content.tracks.append(track)
      entries.append(.track(entry.uri))
    }

    private mutating func text(_ key: String) -> String? {
      guard let text = members[key]?.trimmed(), !text.isEmpty else { return nil }
      let place = "track \(entries.count + 1)/\(key)"
      return content.usable { () throws(DocumentError) in
        try Text.verbatim(text, file: file.path, place: place)
      }
    }

    private mutating func name(_ text: String) -> String? {
      let text = text.trimmed()
      guard !text.isEmpty else { return nil }
      return content.usable { () throws(DocumentError) in
        try Text.name(text, file: file.path, place: "title")
      }
    }
  }
}
