import CatalogEngine
import Foundation

/// Finds audio files below a folder.
enum AudioFolder {
  /// Folders in which systems keep copies, previews and what was thrown away, in lower case.
  private static let systemFolders: Set<String> = [
    "#snapshot", "#recycle", "@eadir", "$recycle.bin", "system volume information", "lost+found",
  ]

  /// Endings of what is imported by itself.
  private static let documents: Set<String> = ["json", "m3u", "m3u8", "plist", "xml"]

  /// - Parameter path: of the folder; absolute.
  static func read(
    _ path: String, metadata: (any MetadataReader)?, progress: (Int, Int) -> Void
  ) throws(DocumentError) -> TrackDocument {
    var found = Found()
    try find(path, "", &found)
    let names = found.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var document = TrackDocument(
      format: .folder, name: NormalForm.nfc(URL(fileURLWithPath: path).lastPathComponent),
      sha256: "", remarks: found.remarks(in: path))
    for (place, name) in names.enumerated() {
      let file = path + "/" + name
      guard let uri = TrackURI.file(path: file) else {
        throw DocumentError(
          code: .invalidValue, file: file, message: "the name is not the name of a file",
          advice: "rename it")
      }
      let base = NormalForm.nfc(String(name.split(separator: "/").last ?? ""))
      var track = DocumentTrack(
        title: AudioFile.title(of: base), fileURL: uri, uri: uri, source: "local", place: file)
      do {
        if let found = try metadata?.metadata(ofFile: file) {
          try track.take(found, file, &document.remarks)
        }
      } catch let error as DocumentError {
        throw error
      } catch {
        document.remarks.append(
          DocumentRemark(place: file, message: "its tags cannot be read: \(error)"))
      }
      document.tracks.append(track)
      progress(place + 1, names.count)
    }
    // Of the names: what is in the files nobody read.
    let list = names.map { $0 + "\n" }.joined()
    document.sha256 = ContentHash.hex(of: list.utf8)
    return document
  }

  /// What is in a folder, and below it.
  private struct Found {
    var names: [String] = []
    /// Files of other formats, by their names.
    var others: [String] = []
    var leftOut: [(name: String, reason: String)] = []

    func remarks(in path: String) -> [DocumentRemark] {
      var remarks = leftOut.sorted { $0.name < $1.name }.map {
        DocumentRemark(place: "\(path)/\($0.name)", message: $0.reason)
      }
      if let example = others.min() {
        remarks.append(
          DocumentRemark(
            place: path,
            message:
              others.count == 1
              ? "\(example) is not an audio file; left out"
              : "\(others.count) files are not audio files (\(example), …); left out"
          ))
      }
      if names.isEmpty {
        remarks.append(DocumentRemark(place: path, message: "there are no tracks"))
      }
      return remarks
    }
  }

  private static func find(
    _ root: String, _ folder: String, _ found: inout Found
  ) throws(DocumentError) {
    let path = folder.isEmpty ? root : root + "/" + folder
    let entries: [String]
    do {
      entries = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw DocumentError(
        code: .fileUnreadable, file: path, message: "the folder cannot be read",
        advice: "check its permissions")
    }
    // `._x.mp3` and whatever else begins with a dot is a system's.
    for name in entries where !name.hasPrefix(".") {
      let below = folder.isEmpty ? name : folder + "/" + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: root + "/" + below)
      switch attributes?[.type] as? FileAttributeType {
      case .typeDirectory:
        if !systemFolders.contains(name.lowercased()) { try find(root, below, &found) }
      case .typeRegular:
        if AudioFile.isAudio(name) {
          found.names.append(below)
        } else if documents.contains(URL(fileURLWithPath: name).pathExtension.lowercased()) {
          found.leftOut.append(
            (below, "this may be a document of tracks; import it by its own name"))
        } else {
          found.others.append(below)
        }
      // A link may lead back to where it is.
      case .typeSymbolicLink: found.leftOut.append((below, "a link is not followed; left out"))
      case nil:
        found.leftOut.append(
          (below, "it cannot be read, perhaps because its name is not UTF-8; left out"))
      default: found.leftOut.append((below, "this is not a file; left out"))
      }
    }
  }
}

extension DocumentTrack {
  /// What the file says of itself.
  fileprivate mutating func take(
    _ found: AudioMetadata, _ file: String, _ remarks: inout [DocumentRemark]
  ) throws(DocumentError) {
    func text(_ text: String?, _ key: String) throws(DocumentError) -> String? {
      guard let text, !TextRules.isBlank(text) else { return nil }
      return try Text.verbatim(text, file: file, place: key)
    }
    title = try text(found.title, "title") ?? title
    artist = try text(found.artist, "artist")
    album = try text(found.album, "album")
    albumArtist = try text(found.albumArtist, "album artist")
    genre = try text(found.genre, "genre")
    func number(_ number: Int64?, _ noun: String) -> Int64? {
      guard let number, !(0...NumberRules.greatest ~= number) else { return number }
      remarks.append(
        DocumentRemark(place: file, message: "the \(noun) cannot be \(number); left out"))
      return nil
    }
    year = number(found.year, "year")
    trackNumber = number(found.trackNumber, "track number")
    if let seconds = found.duration, seconds.isFinite, seconds > 0 { duration = seconds }
    if let text = found.isrc, !TextRules.isBlank(text) {
      isrc = SongID.isrc(text)
      if isrc == nil {
        remarks.append(DocumentRemark(place: file, message: "\"\(text)\" is not an ISRC; left out"))
      }
    }
    if let picture = found.artwork, !picture.isEmpty {
      if picture.count <= Artwork.limit {
        artwork = picture
      } else {
        remarks.append(
          DocumentRemark(
            place: file,
            message: "the picture has \(picture.count) bytes, more than \(Artwork.limit); left out")
        )
      }
    }
  }
}
