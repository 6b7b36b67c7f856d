import CatalogEngine
import Foundation

/// Files and folders that are read together.
struct DocumentSet {
  private struct FoundDocument {
    var path: String
    var format: TrackDocument.Format
    var name: String
    /// The lines that `sha256sum` prints for the files.
    var sums = ""
    var sha256: String?
    var libraryFile: String?
  }

  private var found: [FoundDocument] = []
  /// The content of each of `found`.
  private var contents: [Content] = []
  private var pages = SavedPages()
  private var lists = PagedPlaylists()
  private let names = FolderNames()
  /// The files that are named by themselves: their folders leave them to that.
  private let named: Set<String>
  /// The documents that were read.
  private var files: Set<String> = []
  /// Standard input, and the ending of a file with its content; nil if it is not read.
  private var input: (bytes: [UInt8], ending: String)?

  /// - Parameter paths: all files and folders that are to be read.
  init(_ paths: [String]) {
    named = Set(paths.map(Self.standard))
  }

  /// Reads a file, or all of a folder.
  ///
  /// - Parameter errors: of the files that are refused.
  mutating func read(
    _ path: String, _ metadata: (any MetadataReader)?, _ progress: (Int, Int) -> Void,
    _ errors: inout [DocumentError]
  ) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    do throws(DocumentError) {
      if path == "-" {
        try standardInput()
        progress(1, 1)
        return
      }
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        try folder(path, metadata, progress, &errors)
        return
      }
      try document(path, of: path)
      progress(1, 1)
    } catch {
      errors.append(error)
    }
  }

  /// The documents that were read, with the playlists whose pages were in several files.
  consuming func documents() -> [TrackDocument] {
    lists.complete(&contents)
    if let last = found.lastIndex(where: { $0.format == .spotify || $0.format == .appleMusic }) {
      contents[last].remarks += pages.remarks
    }
    distinguish()
    return zip(found, contents).map { found, content in
      var content = content
      content.remarkCommon(found.path)
      if content.tracks.isEmpty, content.playlists.isEmpty, content.tags.isEmpty,
        content.songs.isEmpty, content.remarks.isEmpty
      {
        content.remarks.add(found.path, "there are no tracks")
      }
      return TrackDocument(
        path: found.path, format: found.format, name: found.name,
        libraryFile: found.libraryFile,
        sha256: found.sha256 ?? Self.hash(Array(found.sums.utf8)), tracks: content.tracks,
        playlists: content.playlists, tags: content.tags, songs: content.songs,
        remarks: content.remarks)
    }
  }

  /// Gives playlists names that were imported with another one of their name, and have no id of their own: all stay.
  private mutating func distinguish() {
    var places: [EntityID: [(document: Int, playlist: Int)]] = [:]
    for (document, content) in contents.enumerated() {
      for (place, playlist) in content.playlists.enumerated() where playlist.isKnownByName {
        places[playlist.id, default: []].append((document, place))
      }
    }
    for same in places.values where same.count > 1 {
      // Whatever the order in which the files are named, the same playlist has the same name.
      let ordered = same.sorted {
        (found[$0.document].path, $0.playlist) < (found[$1.document].path, $1.playlist)
      }
      for (number, (document, place)) in ordered.enumerated() {
        contents[document].playlists[place].hasNamesake = true
        guard number > 0 else { continue }
        let playlist = contents[document].playlists[place]
        let (name, id) = playlist.besides(found[document].format.idSource, number: number + 1)
        contents[document].playlists[place].id = id
        contents[document].playlists[place].name = name
        contents[document].remarks.add(
          found[document].path,
          "another list is called \(playlist.name ?? "") too; this one is \(name)")
      }
    }
  }

  // MARK: Formats

  private mutating func add(_ document: FoundDocument, _ content: Content) {
    found.append(document)
    contents.append(content)
  }

  /// Adds a document that is one file.
  private mutating func add(
    _ path: String, _ format: TrackDocument.Format, _ bytes: [UInt8], _ content: Content
  ) {
    add(
      FoundDocument(
        path: path, format: format, name: Self.name(of: path), sha256: Self.hash(bytes)),
      content)
  }

  /// Endings of the documents that are looked for in folders.
  static let endings: Set<String> = ["csv", "json", "m3u", "m3u8", "plist", "pls", "xml", "xspf"]

  /// Those of formats in which much else is written.
  private static let general: Set<String> = ["csv", "json", "plist", "xml"]

  /// Reads a file by its ending.
  ///
  /// - Parameter path: the file itself, or the folder that it is in.
  private mutating func document(_ file: String, of path: String) throws(DocumentError) {
    switch input?.ending ?? Self.ending(of: file) {
    case "m3u", "m3u8": try list(file, .m3u, M3U.read)
    case "pls": try list(file, .pls, PLS.read)
    case "xspf": try list(file, .xspf, XSPF.read)
    case "csv": try list(file, .csv, TrackTable.read)
    case "xml", "plist": try iTunes(file)
    default: try json(file, of: path)
    }
  }

  private mutating func standardInput() throws(DocumentError) {
    let name = DocumentFile.standardInputName
    let bytes = try DocumentFile.loadStandardInput(limit: TrackDocumentReader.fileLimit)
    guard let ending = FileContent.ending(of: try DocumentText.utf8(bytes, file: name)) else {
      throw DocumentError(
        code: .unsupportedFormat, file: name, message: "its first line does not say its format",
        advice: "save it to a file with the ending of its format")
    }
    input = (bytes, ending)
    defer { input = nil }
    try document(name, of: name)
  }

  private func load(_ file: String, isJSON: Bool) throws(DocumentError) -> [UInt8] {
    if let input { return input.bytes }
    return try DocumentFile.load(file, limit: TrackDocumentReader.fileLimit, isJSON: isJSON)
  }

  /// Reads one playlist that is a file.
  private mutating func list(
    _ path: String, _ format: TrackDocument.Format,
    _ read: ([UInt8], ListFile) throws(DocumentError) -> Content
  ) throws(DocumentError) {
    var bytes: [UInt8] = []
    do throws(DocumentError) {
      bytes = try load(path, isJSON: false)
    } catch  where error.code == .fileEmpty {
      // A list without a track.
    }
    add(path, format, bytes, try read(bytes, ListFile(path, names)))
  }

  private mutating func iTunes(_ path: String) throws(DocumentError) {
    let bytes = try load(path, isJSON: false)
    add(path, .iTunes, bytes, try ITunesLibrary.read(bytes, file: path))
  }

  /// Reads a folder and the folders in it: all documents, and the audio files as a document of their own. A file that is
  /// refused is left out with a line, and keeps none beside it out.
  private mutating func folder(
    _ path: String, _ metadata: (any MetadataReader)?, _ progress: (Int, Int) -> Void,
    _ errors: inout [DocumentError]
  ) throws(DocumentError) {
    var files = try FolderFiles(in: path)
    let (before, total) = (found.count, files.documents.count + files.audio.count)
    var refused: [DocumentError] = []
    // Whether a file of the folder is read, here or by its own name.
    var isUsed = !files.audio.isEmpty
    for (place, bytes) in files.documents.enumerated() {
      let name = String(decoding: bytes, as: UTF8.self)
      let file = "\(path)/\(name)"
      if !bytes.elementsEqual(name.utf8) {
        files.leaveOut(name, "the name is not UTF-8")
      } else if named.contains(Self.standard(file))
        || !self.files.insert(Self.standard(file)).inserted
      {
        isUsed = true
      } else {
        do throws(DocumentError) {
          try document(file, of: path)
          isUsed = true
        } catch
          where error.code == .unsupportedFormat && Self.general.contains(Self.ending(of: name))
        {
          files.leaveOut(unknown: name)
        } catch {
          refused.append(error)
        }
      }
      progress(place + 1, total)
    }
    if !isUsed, !refused.isEmpty {
      errors += refused
      return
    }
    if !files.audio.isEmpty || found.count == before {
      let folder = URL(fileURLWithPath: path).path
      let (content, sha256) = try AudioFolder.read(
        folder, typed: path, files.audio, metadata: metadata
      ) { done, _ in progress(files.documents.count + done, total)
      }
      add(
        FoundDocument(path: path, format: .folder, name: Self.name(of: folder), sha256: sha256),
        content)
    }
    for error in refused { contents[contents.count - 1].leaveOut(error) }
    contents[contents.count - 1].remarks += files.remarks(in: path)
  }

  // MARK: JSON

  /// - Parameter path: the file itself, or the folder that it is in.
  private mutating func json(_ file: String, of path: String) throws(DocumentError) {
    let bytes = try load(file, isJSON: true)
    try FileContent.requireJSON(bytes, file: file)
    let sum = Self.hash(bytes)
    if let content = try LibraryJSON.read(bytes, file: file) {
      return add(
        FoundDocument(
          path: path, format: .libraryJSON, name: Self.name(of: file), sha256: sum,
          libraryFile: input == nil ? file : nil), content)
    }
    let root = try JSONNode(
      try DocumentText.utf8(bytes, file: file), file: file, isForeign: true)
    try LibraryJSON.refuseUnread(root, bytes, file: file)
    let format = try Self.format(of: root)
    // The files of a folder are one document for each format.
    let known = found.firstIndex { $0.path == path && $0.format == format && $0.sha256 == nil }
    let place = known ?? found.count
    // A playlist may have its pages in several documents.
    var content = Content()
    (content.lists, content.pages) = (lists, pages)
    content.lists.document = place
    if format == .appleMusic {
      try ApplePages.read(root, &content)
    } else {
      try SpotifyPages.read(root, &content)
    }
    (lists, pages) = (content.lists, content.pages)
    if known == nil {
      add(
        FoundDocument(
          path: path, format: format, name: Self.name(of: path),
          sha256: path == file ? sum : nil), Content())
    }
    contents[place].append(content)
    let name =
      path == file ? Self.name(of: file) : NormalForm.nfc(String(file.dropFirst(path.count + 1)))
    found[place].sums += "\(sum)  \(name)\n"
  }

  private static func format(of root: JSONNode) throws(DocumentError) -> TrackDocument.Format {
    if let message = ServerError.message(of: root) {
      throw DocumentError(
        code: .invalidValue, file: root.file, path: "$",
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
    URL(fileURLWithPath: DocumentName.plain(path)).pathExtension.lowercased()
  }

  private static func standard(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  private static func name(of path: String) -> String {
    NormalForm.nfc(URL(fileURLWithPath: path).lastPathComponent)
  }

  private static func hash(_ bytes: [UInt8]) -> String {
    ContentHash.hex(of: bytes)
  }
}
