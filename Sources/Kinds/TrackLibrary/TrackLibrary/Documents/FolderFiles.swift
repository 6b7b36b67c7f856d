import CatalogEngine

/// The files of a folder and of the folders in it: audio files, documents of tracks, and others.
struct FolderFiles {
  /// Names of audio files below the folder, in the order of their bytes.
  private(set) var audio: [[UInt8]] = []
  /// Names of files that may be documents by their endings, in the order of their bytes.
  private(set) var documents: [[UInt8]] = []
  private var others = Others()
  /// Documents of no format that is known.
  private var unknown = Others()
  private var leftOut: [(name: String, reason: String)] = []

  /// Files by their endings: how many there are of each, and the first of them.
  private struct Others {
    private(set) var endings: [String: (count: Int, example: String)] = [:]

    mutating func add(_ name: String) {
      let ending = AudioFile.ending(of: name).map { "." + $0.lowercased() } ?? ""
      let known = endings[ending]
      endings[ending] = ((known?.count ?? 0) + 1, min(known?.example ?? name, name))
    }
  }

  /// Folders in which systems keep copies, previews and what was thrown away, in lower case.
  private static let systemFolders: Set<String> = [
    "#snapshot", "#recycle", "@eadir", "$recycle.bin", "system volume information", "lost+found",
  ]

  /// - Parameter path: of the folder.
  init(in path: String) throws(DocumentError) {
    try find(Array(path.utf8), [])
    audio.sort { $0.lexicographicallyPrecedes($1) }
    documents.sort { $0.lexicographicallyPrecedes($1) }
  }

  private mutating func find(_ root: [UInt8], _ folder: [UInt8]) throws(DocumentError) {
    let slash = [UInt8(ascii: "/")]
    let path = folder.isEmpty ? root : root + slash + folder
    let entries: [FolderListing.Entry]
    do throws(DocumentError) {
      entries = try FolderListing.entries(of: path)
    } catch {
      guard !folder.isEmpty else { throw error }
      leaveOut(String(decoding: folder, as: UTF8.self), error.message)
      return
    }
    // `._x.mp3` and whatever else begins with a dot is a system's.
    for bytes in entries.map(\.name) where bytes.first != UInt8(ascii: ".") {
      let name = String(decoding: bytes, as: UTF8.self)
      let below = folder.isEmpty ? bytes : folder + slash + bytes
      let text = String(decoding: below, as: UTF8.self)
      switch FolderListing.sort(of: root + slash + below) {
      case .folder:
        if !Self.systemFolders.contains(name.lowercased()) { try find(root, below) }
      case .file:
        if AudioFile.isAudio(name) {
          audio.append(below)
        } else if DocumentSet.endings.contains(AudioFile.ending(of: name)?.lowercased() ?? "") {
          documents.append(below)
        } else {
          others.add(text)
        }
      // A link may lead back to the folder that it is in.
      case .link: leaveOut(text, "a link is not followed")
      case nil: leaveOut(text, "it cannot be read")
      case .other: leaveOut(text, "this is not a file")
      }
    }
  }

  mutating func leaveOut(_ name: String, _ reason: String) {
    leftOut.append((name, "\(reason); left out"))
  }

  /// Notes a document of no format that is known.
  mutating func leaveOut(unknown name: String) { unknown.add(name) }

  /// Lists the files that are not used.
  func remarks(in path: String) -> [DocumentRemark] {
    var remarks = leftOut.sorted { $0.name < $1.name }.map {
      DocumentRemark(place: "\(path)/\($0.name)", message: $0.reason)
    }
    func isAudio(_ ending: String) -> Bool {
      AudioFile.otherFormats.contains(String(ending.dropFirst()))
    }
    let audio = others.endings.filter { isAudio($0.key) }
    let rest = others.endings.filter { !isAudio($0.key) }
    for (files, one, many) in [
      (audio, "is sound in another format", "are sound in other formats"),
      (rest, "is not an audio file", "are not audio files"),
      (unknown.endings, "is of no format that is known", "are of no format that is known"),
    ] where !files.isEmpty {
      let count = files.reduce(0) { $0 + $1.value.count }
      let list = files.sorted { $0.key < $1.key }.map { ending, found in
        "\(ending.isEmpty ? "without an ending" : ending) (\(found.count), such as \(JSONExcerpt.printable(found.example)))"
      }
      remarks.add(
        path,
        (count == 1 ? "1 file \(one)" : "\(count) files \(many)")
          + "; left out: \(list.joined(separator: ", "))")
    }
    return remarks
  }
}
