import CatalogEngine

/// Finds audio files below a folder.
enum AudioFolder {
  /// Folders in which systems keep copies, previews and what was thrown away, in lower case.
  private static let systemFolders: Set<String> = [
    "#snapshot", "#recycle", "@eadir", "$recycle.bin", "system volume information", "lost+found",
  ]

  /// Endings of what is imported by itself.
  private static let documents: Set<String> = ["json", "m3u", "m3u8", "plist", "xml"]

  /// - Parameter path: of the folder; absolute.
  /// - Returns: the tracks, and the hash of their files' names: what is in the files is not read.
  static func read(
    _ path: String, metadata: (any MetadataReader)?, progress: (Int, Int) -> Void
  ) throws(DocumentError) -> (content: Content, sha256: String) {
    var found = Found()
    try find(Array(path.utf8), [], &found)
    let names = found.names.sorted { $0.lexicographicallyPrecedes($1) }
    var content = Content()
    content.remarks = found.remarks(in: path)
    for (place, name) in names.enumerated() {
      let bytes = Array("\(path)/".utf8) + name
      let file = String(decoding: bytes, as: UTF8.self)
      guard let uri = TrackURI.file(path: bytes), let address = TrackURI.address(ofFile: bytes)
      else {
        throw DocumentError(
          code: .invalidValue, file: file, message: "the name is not the name of a file",
          advice: "rename it")
      }
      var track = DocumentTrack(
        title: nil, fileURL: address, uri: uri, source: "local", place: file)
      track.isFound = true
      // No reader can be given a name that is not a text.
      if String(validating: bytes, as: UTF8.self) != nil {
        do {
          if let found = try metadata?.metadata(ofFile: file) {
            track.take(found, file, &content.remarks)
          }
        } catch {
          content.remarks.add(file, "its tags cannot be read: \(error)")
        }
      }
      content.tracks.append(track)
      progress(place + 1, names.count)
    }
    return (content, ContentHash.hex(of: names.flatMap { $0 + [UInt8(ascii: "\n")] }))
  }

  /// What is in a folder, and below it.
  private struct Found {
    var names: [[UInt8]] = []
    /// How many files of another ending there are, and the first of them.
    var others: [String: (count: Int, example: String)] = [:]
    var leftOut: [(name: String, reason: String)] = []

    mutating func add(other name: String) {
      let ending = AudioFile.ending(of: name).map { "." + $0.lowercased() } ?? ""
      let known = others[ending]
      others[ending] = ((known?.count ?? 0) + 1, min(known?.example ?? name, name))
    }

    func remarks(in path: String) -> [DocumentRemark] {
      var remarks = leftOut.sorted { $0.name < $1.name }.map {
        DocumentRemark(place: "\(path)/\($0.name)", message: $0.reason)
      }
      let sorted = others.sorted { $0.key < $1.key }
      let audio = sorted.filter { AudioFile.otherFormats.contains(String($0.key.dropFirst())) }
      let rest = sorted.filter { !AudioFile.otherFormats.contains(String($0.key.dropFirst())) }
      for (files, what) in [(audio, "sound in other formats"), (rest, "no audio files")]
      where !files.isEmpty {
        let count = files.reduce(0) { $0 + $1.value.count }
        let list = files.map { ending, found in
          "\(ending.isEmpty ? "without an ending" : ending) (\(found.count), such as \(JSONExcerpt.printable(found.example)))"
        }
        remarks.add(
          path,
          (count == 1 ? "1 file is " : "\(count) files are ")
            + "\(what); left out: \(list.joined(separator: ", "))")
      }
      if names.isEmpty { remarks.add(path, "there are no tracks") }
      return remarks
    }
  }

  private static func find(
    _ root: [UInt8], _ folder: [UInt8], _ found: inout Found
  ) throws(DocumentError) {
    let slash = [UInt8(ascii: "/")]
    let path = folder.isEmpty ? root : root + slash + folder
    let entries: [FolderListing.Entry]
    do throws(DocumentError) {
      entries = try FolderListing.entries(of: path)
    } catch {
      guard !folder.isEmpty else { throw error }
      found.leftOut.append(
        (String(decoding: folder, as: UTF8.self), "\(error.message); left out"))
      return
    }
    // `._x.mp3` and whatever else begins with a dot is a system's.
    for bytes in entries.map(\.name) where bytes.first != UInt8(ascii: ".") {
      let name = String(decoding: bytes, as: UTF8.self)
      let below = folder.isEmpty ? bytes : folder + slash + bytes
      let text = String(decoding: below, as: UTF8.self)
      switch FolderListing.sort(of: root + slash + below) {
      case .folder:
        if !systemFolders.contains(name.lowercased()) { try find(root, below, &found) }
      case .file:
        if AudioFile.isAudio(name) {
          found.names.append(below)
        } else if documents.contains(AudioFile.ending(of: name)?.lowercased() ?? "") {
          found.leftOut.append(
            (text, "this may be a document of tracks; import it by its own name"))
        } else {
          found.add(other: text)
        }
      // A link may lead back to where it is.
      case .link: found.leftOut.append((text, "a link is not followed; left out"))
      case nil: found.leftOut.append((text, "it cannot be read; left out"))
      case .other: found.leftOut.append((text, "this is not a file; left out"))
      }
    }
  }
}

extension DocumentTrack {
  /// What the file says of itself.
  fileprivate mutating func take(
    _ found: AudioMetadata, _ file: String, _ remarks: inout [DocumentRemark]
  ) {
    func text(_ text: String?, _ key: String) -> String? {
      guard let text, !TextRules.isBlank(text) else { return nil }
      do throws(DocumentError) {
        return try Text.verbatim(text, file: file, place: key)
      } catch {
        remarks.add(file, "the \(key) \(error.message); left out")
        return nil
      }
    }
    title = text(found.title, "title")
    artist = text(found.artist, "artist")
    album = text(found.album, "album")
    albumArtist = text(found.albumArtist, "album artist")
    genre = text(found.genre, "genre")
    func number(_ number: Int64?, _ noun: String) -> Int64? {
      guard let number, !(0...NumberRules.greatest ~= number) else { return number }
      remarks.add(file, "the \(noun) cannot be \(number); left out")
      return nil
    }
    year = number(found.year, "year")
    trackNumber = number(found.trackNumber, "track number")
    if let seconds = found.duration, seconds.isFinite, seconds > 0 { duration = seconds }
    if let text = found.isrc, !TextRules.isBlank(text) {
      isrc = SongID.isrc(text)
      if isrc == nil { remarks.add(file, "\"\(text)\" is not an ISRC; left out") }
    }
    take(picture: found.artwork, file, &remarks)
  }
}
