public import CatalogEngine
import Foundation

/// Reads a file or a folder, of whatever format it is.
public enum TrackDocumentReader {
  /// Larger files are refused before anything of them is read.
  static let fileLimit = 512 << 20

  /// The most entries of a playlist: with more, the event that lists them may be longer than a line of the log may be.
  static let entryLimit = 1_000_000

  /// - Parameters:
  ///   - path: a file; a folder of saved answers, `*.json`; or a folder of audio files.
  ///   - metadata: reads the tags of audio files; nil if they are called by their names.
  ///   - progress: called with how many files were read, of how many; on the thread that calls.
  /// - Throws: `DocumentError` for the first thing that is wrong, by file and place.
  public static func read(
    _ path: String, metadata: (any MetadataReader)? = nil,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(DocumentError) -> TrackDocument {
    let document = try whole(path, metadata, progress)
    try requireEntries(document, file: path, limit: entryLimit)
    return document
  }

  /// - Throws: `DocumentError` if a playlist has more than `limit` entries.
  static func requireEntries(
    _ document: TrackDocument, file: String, limit: Int
  ) throws(DocumentError) {
    for playlist in document.playlists where playlist.uris.count > limit {
      throw DocumentError(
        code: .invalidValue, file: file, path: "the playlist",
        value: "\"\(JSONExcerpt.printable(playlist.name))\"",
        message: "has \(playlist.uris.count) entries; the limit is \(limit)",
        advice: "make several playlists of it")
    }
  }

  private static func whole(
    _ path: String, _ metadata: (any MetadataReader)?, _ progress: (Int, Int) -> Void
  ) throws(DocumentError) -> TrackDocument {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return try folder(path, metadata, progress)
    }
    let document: TrackDocument
    switch ending(of: path) {
    case "m3u", "m3u8": document = try playlist(path)
    case "xml", "plist": document = try iTunes(path)
    default: return try json([path], name: name(of: path), progress)
    }
    progress(1, 1)
    return document
  }

  private static func playlist(_ path: String) throws(DocumentError) -> TrackDocument {
    let bytes = try DocumentFile.load(path, limit: fileLimit, isJSON: false)
    let url = URL(fileURLWithPath: path)
    let content = try M3U.read(
      bytes, file: path, name: NormalForm.nfc(url.deletingPathExtension().lastPathComponent),
      folder: url.deletingLastPathComponent().path, isUTF8: ending(of: path) == "m3u8",
      exists: FileManager.default.fileExists(atPath:))
    return TrackDocument(
      format: .m3u, name: name(of: path), sha256: hash(bytes), content: content)
  }

  private static func iTunes(_ path: String) throws(DocumentError) -> TrackDocument {
    let bytes = try DocumentFile.load(path, limit: fileLimit, isJSON: false)
    return TrackDocument(
      format: .iTunes, name: name(of: path), sha256: hash(bytes),
      content: try ITunesLibrary.read(bytes, file: path))
  }

  // MARK: Folders

  /// A folder in which all files are JSON is a set of saved answers; any other holds audio files.
  private static func folder(
    _ path: String, _ metadata: (any MetadataReader)?, _ progress: (Int, Int) -> Void
  ) throws(DocumentError) -> TrackDocument {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
        .filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw DocumentError(
        code: .fileUnreadable, file: path, message: "the folder cannot be read",
        advice: "check its permissions")
    }
    guard !names.isEmpty, names.allSatisfy({ ending(of: $0) == "json" }) else {
      return try AudioFolder.read(
        URL(fileURLWithPath: path).path, metadata: metadata, progress: progress)
    }
    return try json(names.map { "\(path)/\($0)" }, name: name(of: path), progress)
  }

  // MARK: JSON

  /// Reads files that belong together, all of the format of the first.
  private static func json(
    _ paths: [String], name: String, _ progress: (Int, Int) -> Void
  ) throws(DocumentError) -> TrackDocument {
    var content = Content()
    var found: TrackDocument.Format?
    var sums = ""
    var sum = ""
    for (place, path) in paths.enumerated() {
      let bytes = try DocumentFile.load(path, limit: fileLimit)
      let library = try LibraryJSON.read(bytes, file: path)
      let root = library == nil ? try JSONNode(bytes, file: path) : nil
      var format = TrackDocument.Format.libraryJSON
      if let root { format = try self.format(of: root) }
      guard found == nil || found == format, format != .libraryJSON || paths.count == 1 else {
        throw DocumentError(
          code: .unsupportedFormat, file: path, path: "$",
          message: "this is \(format.rawValue), and the files before it are not",
          advice: "import it alone")
      }
      found = format
      if let library { content = library }
      if let root {
        if format == .appleMusic {
          try ApplePages.read(root, &content)
        } else {
          try SpotifyPages.read(root, &content)
        }
      }
      sum = hash(bytes)
      sums += "\(sum)  \(self.name(of: path))\n"
      progress(place + 1, paths.count)
    }
    content.dropRemarksOfIdentifiedTracks()
    content.lists.complete(&content.playlists)
    content.remarks += content.pages.remarks
    if content.tracks.isEmpty, content.playlists.isEmpty, content.remarks.isEmpty {
      content.remarks = [DocumentRemark(place: name, message: "there are no tracks")]
    }
    var document = TrackDocument(
      format: found ?? .spotify, name: name,
      sha256: paths.count == 1 ? sum : hash(Array(sums.utf8)), content: content)
    if found == .libraryJSON { document.libraryFile = paths.first }
    return document
  }

  private static func format(of root: JSONNode) throws(DocumentError) -> TrackDocument.Format {
    if let message = ServerError.message(of: root) {
      throw DocumentError(
        code: .unsupportedFormat, file: root.file, path: "$",
        message: "the server answered with an error: \(message)",
        advice: "ask it again, and save what it answers then")
    }
    if ApplePages.isPage(root) { return .appleMusic }
    if SpotifyPages.isPage(root) { return .spotify }
    throw DocumentError(
      code: .unsupportedFormat, file: root.file, path: "$",
      message: "the document is of no format that is known",
      advice: "import library.json, an answer of the Spotify Web API or of the Apple Music API")
  }

  // MARK: Names

  private static func ending(of path: String) -> String {
    URL(fileURLWithPath: path).pathExtension.lowercased()
  }

  private static func name(of path: String) -> String {
    NormalForm.nfc(URL(fileURLWithPath: path).lastPathComponent)
  }

  private static func hash(_ bytes: [UInt8]) -> String {
    ContentHash.hex(of: bytes)
  }
}

extension TrackDocument {
  init(format: Format, name: String, sha256: String, content: Content) {
    self.init(
      format: format, name: name, sha256: sha256, tracks: content.tracks,
      playlists: content.playlists, remarks: content.remarks)
  }
}
