import CatalogEngine

/// Reads a table of tracks (CSV) that a program exported from a service: one of its columns has addresses.
enum TrackTable {
  static func read(_ bytes: [UInt8], _ file: ListFile) throws(DocumentError) -> Content {
    let bytes = try DocumentText.utf8(bytes, file: file.path)
    if let content = FileContent(of: bytes) { throw content.refusal(file.path, "a table") }
    let text = String(validating: bytes, as: UTF8.self) ?? DocumentText.windows1252(bytes[...])
    var rows = CSVText.rows(of: text)
    guard let header = rows.first?.cells, let columns = Columns(header, rows.dropFirst()) else {
      throw DocumentError(
        code: .unsupportedFormat, file: file.path,
        message: "this is a table without a column of addresses, such as \"Track URI\"",
        advice: "export it with addresses, or as M3U")
    }
    rows.removeFirst()
    var reader = Reader(file: file, columns: columns)
    for row in rows { reader.read(row) }
    var content = reader.content
    if reader.entries.uris.isEmpty { content.remarks.add(file.path, "there are no tracks") }
    content.remarkCommon(file.path)
    content.playlists = [file.playlist(.csv, named: nil, reader.entries)]
    return content
  }

  /// The columns of a table that are used, by their places.
  private struct Columns {
    let address: Int
    let title: Int?
    let artist: Int?
    let album: Int?
    let albumArtist: Int?
    let milliseconds: Int?
    let isrc: Int?
    let addedAt: Int?
    let released: Int?
    let number: Int?

    /// - Returns: nil if no column has addresses of tracks.
    init?(_ header: [String], _ rows: ArraySlice<CSVText.Row>) {
      // `Artist Name(s)`, `artist_name`
      let names = header.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
      func place(_ known: String...) -> Int? {
        known.lazy.compactMap { names.firstIndex(of: $0) }.first
      }
      // Tables have addresses of albums, artists and pictures, too.
      let candidates = names.indices.filter { place in
        ["uri", "url", "link", "location", "path", "file"].contains(where: names[place].contains)
          && !["album", "artist", "image", "cover", "user", "addedby", "preview", "playlist"]
            .contains(where: names[place].contains)
      }
      func count(_ place: Int) -> Int {
        rows.count { $0.cells.indices.contains(place) && TrackTable.isAddress($0.cells[place]) }
      }
      guard let address = candidates.max(by: { count($0) < count($1) }),
        rows.isEmpty || count(address) > 0
      else { return nil }
      self.address = address
      title = place("trackname", "tracktitle", "title", "name", "song", "songname", "track")
      artist = place("artistnames", "artistname", "artist", "artists", "trackartist")
      album = place("albumname", "albumtitle", "album")
      albumArtist = place("albumartistnames", "albumartistname", "albumartist")
      milliseconds = place("durationms", "trackdurationms", "trackduration", "lengthms")
      isrc = place("isrc", "trackisrc")
      addedAt = place("addedat", "dateadded", "addeddate")
      released = place("releasedate", "albumreleasedate", "year", "releaseyear")
      number = place("tracknumber", "albumtracknumber")
    }
  }

  /// Whether a cell is the address of a track: of a service, of the web, or of a file.
  private static func isAddress(_ text: String) -> Bool {
    let text = text.trimmed()
    if text.hasPrefix("/") || TrackURI.isDrivePath(text) { return true }
    guard let uri = TrackURI.normalized(text) else { return false }
    if uri.hasPrefix("spotify:") {
      return uri.hasPrefix("spotify:track:") || uri.hasPrefix("spotify:local:")
    }
    return ["file:", "http:", "https:", "apple-music:", "itunes:"].contains(where: uri.hasPrefix)
  }

  private struct Reader {
    let file: ListFile
    let columns: Columns
    var content = Content()
    var entries: [ListEntry] = []

    init(file: ListFile, columns: Columns) {
      self.file = file
      self.columns = columns
    }

    mutating func read(_ row: CSVText.Row) {
      let place = "\(file.path): line \(row.line)"
      func cell(_ column: Int?) -> String? {
        guard let column, row.cells.indices.contains(column) else { return nil }
        let cell = row.cells[column].trimmed()
        return cell.isEmpty ? nil : cell
      }
      guard let address = cell(columns.address), TrackTable.isAddress(address),
        let entry = file.entry(address)
      else {
        content.remarks.add(place, "the row has no address of a track; left out")
        entries.append(.unread)
        return
      }
      var track = DocumentTrack(entry, place: place)
      func text(_ column: Int?) -> String? {
        guard let text = cell(column) else { return nil }
        return content.usable { () throws(DocumentError) in
          try Text.verbatim(text, file: file.path, place: "line \(row.line)")
        }
      }
      track.title = text(columns.title)
      track.artist = text(columns.artist)
      track.album = text(columns.album)
      track.albumArtist = text(columns.albumArtist)
      track.duration = cell(columns.milliseconds).flatMap(Double.init).flatMap {
        $0 > 0 && $0 <= Double(NumberRules.greatest) ? $0 / 1_000 : nil
      }
      track.isrc = cell(columns.isrc).flatMap(SongID.isrc)
      track.dateAdded = cell(columns.addedAt).flatMap(Timestamp.init(foreign:))
      track.year = cell(columns.released).flatMap { Int64($0.prefix(4)) }.flatMap {
        1...9_999 ~= $0 ? $0 : nil
      }
      track.trackNumber = cell(columns.number).flatMap(Int64.init).flatMap {
        1...NumberRules.greatest ~= $0 ? $0 : nil
      }
      track.takeAddress()
      track.title = content.title(track.title, "line \(row.line)")
      content.tracks.append(track)
      entries.append(.track(entry.uri))
    }
  }
}
