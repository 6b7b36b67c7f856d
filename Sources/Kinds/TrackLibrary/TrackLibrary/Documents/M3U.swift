import CatalogEngine
import Foundation

/// Reads playlists in M3U and M3U8.
enum M3U {
  /// The playlist's id in this library, as a comment that other players pass over.
  static let idTag = "#X-TRACK-LIBRARY-ID:"

  static func read(_ bytes: [UInt8], _ file: ListFile) throws(DocumentError) -> Content {
    var reader = Reader(file)
    let text = try DocumentText.utf8(bytes, file: file.path)
    if let content = FileContent(of: text) { throw content.refusal(file.path, "a list in M3U") }
    try DocumentText.readLines(text) { (line) throws(DocumentError) in try reader.read(line) }
    return reader.finished(.m3u)
  }

  /// Gathers the entries of a list of files, and what its lines say of them.
  struct Reader {
    private let list: ListFile
    private let file: String
    private var content = Content()
    private var title: String?
    /// The title to the last space.
    private var ownTitle: String?
    private var id: EntityID?
    /// In the order of the file.
    private var entries: [ListEntry] = []
    /// The descriptions of tracks by entries. An entry that says the same as the one before it of its track is not among them:
    /// a file may have one track a million times.
    private var tracks: [DocumentTrack] = []
    /// Where in `tracks` the last one of each URI is.
    private var places: [String: Int] = [:]
    /// The lines of tracks from which both an artist and a title were read, by places in `tracks`.
    private var texts: [Int: String] = [:]
    private var order = TitleOrder()
    /// The entries that lines mean.
    private var known: [String: M3UEntry] = [:]
    /// Tags of lines that nobody here keeps, and how many lines have each.
    private var unkept: [String: Int] = [:]
    private var comments: (count: Int, first: Int) = (0, 0)
    private var legacy: (count: Int, first: Int) = (0, 0)
    /// What the lines before an entry say of it.
    private var info: Info?
    private var album = Tag()
    private var artist = Tag()
    private var genre = Tag()

    private struct Info {
      var line: Int
      var seconds: Double
      var text: String
    }

    /// A tag that may be of one entry or of the whole list.
    private struct Tag {
      /// For the next entry.
      var value: String?
      /// The first one, if it is before all entries.
      var head: String?
      var count = 0

      mutating func take(_ value: String, isFirst: Bool) {
        self.value = value
        if count == 0, isFirst { head = value }
        count += 1
      }

      /// The value of the whole list: it is said once, before all entries.
      var ofList: String? { count == 1 ? head : nil }
    }

    init(_ list: ListFile) {
      self.list = list
      file = list.path
    }

    mutating func read(_ found: DocumentText.Line) throws(DocumentError) {
      let number = found.number
      // A byte order mark in the middle, and what else has no width: a file is looked for by the whole line.
      let found = found.withoutMarks
      let line = found.text.trimmed()
      guard found.text.utf8.count <= TextRules.textLimit else {
        if !line.hasPrefix("#") {
          dropTags()
          entries.append(.unread)
        }
        return content.leaveOut(
          failure(
            number, line,
            "has \(found.text.utf8.count) bytes; the limit is \(TextRules.textLimit)",
            "shorten the line"))
      }
      if !found.isUTF8, list.isUTF8 {
        legacy = (legacy.count + 1, legacy.count == 0 ? number : legacy.first)
      }
      guard !line.isEmpty else { return }
      guard line.hasPrefix("#") else {
        add(line, found, number)
        return
      }
      // Lines that this program wrote are kept to the last space.
      let text = id == nil ? line : found.text
      if let text = text.value(after: "#EXTINF:", isTrimmed: id == nil) {
        remarkUnused()
        info = self.info(text, number)
      } else if let text = line.value(after: "#PLAYLIST:") {
        // Which program wrote the list is said after its name.
        let verbatim = found.text.value(after: "#PLAYLIST:", isTrimmed: false)
        title = text.isEmpty ? nil : name(text, number) ?? title
        ownTitle = text.isEmpty ? nil : verbatim.flatMap { name($0, number) } ?? ownTitle
      } else if let text = text.value(after: "#EXTALB:", isTrimmed: id == nil) {
        if let text = checked(text, number) { album.take(text, isFirst: entries.isEmpty) }
      } else if let text = text.value(after: "#EXTART:", isTrimmed: id == nil) {
        if let text = checked(text, number) { artist.take(text, isFirst: entries.isEmpty) }
      } else if let text = line.value(after: "#EXTGENRE:") {
        if let text = checked(text, number) { genre.take(text, isFirst: entries.isEmpty) }
      } else if let text = line.value(after: idTag) {
        id = EntityID(text)
        if id == nil {
          content.leaveOut(
            failure(number, line, "is not the id of a playlist", "take the line out"))
        }
      } else if line.hasPrefix("#EXT-X-") {
        throw failure(
          number, line, "belongs to a stream, not to a list of tracks", "import another file")
      } else if let tag = Self.tag(of: line) {
        unkept[tag, default: 0] += 1
      } else if line != "#", line.uppercased() != "#EXTM3U" {
        comments = (comments.count + 1, comments.count == 0 ? number : comments.first)
      }
    }

    /// Gives the tracks and the list that the file is.
    consuming func finished(_ format: TrackDocument.Format) -> Content {
      finish()
      content.tracks = tracks
      content.playlists = [
        list.playlist(format, id: id, named: id == nil ? title : ownTitle, entries)
      ]
      return content
    }

    /// Takes the length and the text of the next entry.
    ///
    /// - Parameter seconds: 0 or less if unknown.
    mutating func describe(_ line: Int, seconds: Double, _ text: String) {
      info = Info(
        line: line, seconds: seconds.isFinite ? seconds : -1, text: checked(text, line) ?? "")
    }

    /// Leaves out an entry that names no track.
    mutating func leaveOut(_ entry: String, _ reason: String) {
      content.remarks.add("\(file): \(entry)", "\(reason); left out")
      entries.append(.unread)
    }

    private mutating func finish() {
      remarkUnused()
      if id == nil {
        exchangeNames()
        for place in tracks.indices {
          tracks[place].album = tracks[place].album ?? album.ofList
          tracks[place].genre = tracks[place].genre ?? genre.ofList
          guard let artist = artist.ofList else { continue }
          tracks[place].albumArtist = tracks[place].albumArtist ?? artist
          tracks[place].artist = tracks[place].artist ?? artist
        }
      }
      if entries.uris.isEmpty { remark("there are no tracks") }
      if legacy.count > 0 {
        remark(
          "\(Self.lines(legacy)) not UTF-8, and \(legacy.count == 1 ? "is" : "are") read as Windows-1252"
        )
      }
      if comments.count > 0 { remark("\(Self.lines(comments)) a comment; not kept") }
      guard !unkept.isEmpty else { return }
      let tags = unkept.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      remark("not kept: \(tags.joined(separator: ", "))")
    }

    /// Exchanges the artists and the titles if the paths of the list say that titles come first.
    private mutating func exchangeNames() {
      guard order.isTitleFirst else { return }
      for (place, text) in texts {
        guard let parts = TitleOrder.parts(of: text, tracks[place].uri) else { continue }
        (tracks[place].artist, tracks[place].title) = parts
      }
      remark(
        "titles are before artists here (Title - Artist), as "
          + (order.titleFirst == 1 ? "a path says" : "\(order.titleFirst) paths say"))
    }

    /// `line 7 is`, `3 lines from line 7 on are`
    private static func lines(_ found: (count: Int, first: Int)) -> String {
      found.count == 1
        ? "line \(found.first) is" : "\(found.count) lines (the first is line \(found.first)) are"
    }

    private mutating func remark(_ message: String) {
      content.remarks.add(file, message)
    }

    /// `#EXTGRP` of `#EXTGRP:Rock`; nil for a comment, and for `#EXTM3U`, which begins a list.
    private static func tag(of line: String) -> String? {
      let name = line.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      guard line.dropFirst(name.count + 1).hasPrefix(":"), name == name.uppercased() else {
        return nil
      }
      return "#\(name)"
    }

    /// Lists the `#EXTINF` that no entry followed.
    private mutating func remarkUnused() {
      guard let info else { return }
      content.remarks.add(
        "\(file): line \(info.line)", "no path or URI follows this #EXTINF; left out")
    }

    /// An entry leaves nothing to the next one.
    private mutating func dropTags() {
      info = nil
      (album.value, artist.value, genre.value) = (nil, nil, nil)
    }

    /// - Parameters:
    ///   - line: the entry.
    ///   - found: the line that has it.
    mutating func add(_ line: String, _ found: DocumentText.Line, _ number: Int) {
      defer { dropTags() }
      let verbatim = found.bytes ?? Array(found.text.utf8)
      guard let entry = known[found.text] ?? list.entry(line, verbatim) else {
        entries.append(.unread)
        return content.leaveOut(
          failure(number, line, "is neither a path nor a URI", "write a file or an address"))
      }
      if found.bytes == nil { known[found.text] = entry }
      var track = DocumentTrack(entry, place: "\(file): line \(number)")
      var text: String?
      if let info {
        track.duration = info.seconds > 0 ? info.seconds : nil
        let (artist, title) = parts(info.text)
        track.artist = artist
        if !title.isEmpty { track.title = title }
        if artist != nil, artist != self.artist.value, !title.isEmpty { text = info.text }
      }
      if let artist = artist.value {
        track.artist = id == nil ? track.artist ?? artist : artist
        if id == nil { track.albumArtist = artist }
      }
      track.album = album.value
      track.genre = genre.value
      track.takeAddress()
      entries.append(.track(entry.uri))
      if let place = places[entry.uri] {
        var same = tracks[place]
        same.place = track.place
        if same == track { return }
      }
      places[entry.uri] = tracks.count
      if let text {
        texts[tracks.count] = text
        order.note(text, entry.uri)
      }
      tracks.append(track)
    }

    /// The artist and the title of an `#EXTINF`. In lists of others, an `#EXTART` is the artist of the album: only if the
    /// text begins with its name, it is that of the title for sure.
    private func parts(_ text: String) -> (artist: String?, title: String) {
      guard id == nil, let artist = artist.value else {
        return M3UEntry.parts(of: text, artist: artist.value)
      }
      if let title = M3UEntry.title(of: text, by: artist) { return (artist, title) }
      return artist.isEmpty ? (nil, text) : M3UEntry.parts(of: text, artist: nil)
    }

    /// `215,Artist - Title`, with attributes after the number.
    private mutating func info(_ text: String, _ number: Int) -> Info {
      // By bytes: a mark after a comma makes another character of both.
      let bytes = text.utf8
      var isQuoted = false
      var comma = bytes.firstIndex { byte in
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        return byte == UInt8(ascii: ",") && !isQuoted
      }
      // A quote that is not closed encloses nothing.
      comma = comma ?? (isQuoted ? bytes.firstIndex(of: UInt8(ascii: ",")) : nil)
      let head = String(text[..<(comma ?? text.endIndex)].prefix { !$0.isWhitespace })
      if comma == nil, Double(head) == nil {
        // `#EXTINF:Artist - Title`
        return Info(
          line: number, seconds: -1, text: checked(id == nil ? text.trimmed() : text, number) ?? "")
      }
      var seconds = Double(head) ?? .nan
      if !seconds.isFinite {
        content.remarks.add(
          "\(file): line \(number)",
          "\"\(JSONExcerpt.printable(head))\" is not a length in seconds; it is unknown")
        seconds = -1
      }
      let title = comma.map { String(text[bytes.index(after: $0)...]) } ?? ""
      return Info(
        line: number, seconds: seconds,
        text: checked(id == nil ? title.trimmed() : title, number) ?? "")
    }

    private mutating func checked(_ text: String, _ number: Int) -> String? {
      content.usable { () throws(DocumentError) in
        try Text.verbatim(text, file: file, place: "line \(number)")
      }
    }

    private mutating func name(_ text: String, _ number: Int) -> String? {
      content.usable { () throws(DocumentError) in
        try Text.name(text, file: file, place: "line \(number)")
      }
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
  /// The text after a tag, whose letters may be small; nil if the line does not begin with it. By bytes: a mark after the
  /// colon makes another character of both.
  fileprivate func value(after tag: String, isTrimmed: Bool = true) -> String? {
    let bytes = utf8
    guard bytes.count >= tag.utf8.count,
      zip(bytes, tag.utf8).allSatisfy({ byte, wanted in
        byte == wanted
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) && byte - 0x20 == wanted
      })
    else { return nil }
    let value = String(Substring(bytes.dropFirst(tag.utf8.count)))
    return isTrimmed ? value.trimmed() : value
  }

  /// Without white space at its ends.
  func trimmed() -> String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    return String(text)
  }
}
