import CatalogEngine
import Foundation

/// Reads `library.json`, in which a music player kept its library before it had a database.
///
/// It is a document of our own: it is refused whole, with all its faults. Keys that are not kept are listed.
struct LibraryJSON {
  private enum Key: String, CaseIterable {
    case tracks, collections, tags, songs

    /// Those by which a library is known.
    static let lists: Set<Key> = [.tracks, .collections]
  }

  private enum TrackKey: String, CaseIterable {
    case id, title, artist, album, albumArtist, duration, fileURL, artworkURL, artworkData, genre
    case year, trackNumber, isrc, appleMusicID, dateAdded, uri
  }

  private enum CollectionKey: String, CaseIterable {
    case id, name, trackIDs, description, artworkURL
  }

  private static let keys = JSONKeyTable<Key>(required: Key.lists)
  private static let trackKeys = JSONKeyTable<TrackKey>(
    required: [.id, .title, .duration, .fileURL])
  private static let collectionKeys = JSONKeyTable<CollectionKey>(
    required: [.id, .name, .trackIDs])

  private let file: String
  private var content = Content()
  private var trackIDs: Set<EntityID> = []
  private var collectionIDs: Set<EntityID> = []
  private var uris: [EntityID: String] = [:]
  private var songs = LibraryJSONSongs()

  /// - Returns: what a document of its own has, but for its hash; nil if it is of another format, or not JSON.
  /// - Throws: `DocumentError` with all faults of a library.
  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> Content? {
    var isLibrary = false
    do throws(DocumentError) {
      let rules = DocumentReader.Rules(refusesUnknownKeys: false, omitsNull: true)
      return try DocumentReader.read(bytes, file: file, rules: rules) { document -> Content?? in
        isLibrary = Self.isLibrary(document, file: file)
        guard isLibrary else { return .some(nil) }
        var library = LibraryJSON(file: file)
        return library.content(&document)
      }
    } catch {
      guard isLibrary else { return nil }
      throw error
    }
  }

  /// Whether a document has both lists; one is enough in a file of the app's name.
  private static func isLibrary(_ document: DocumentReader, file: String) -> Bool {
    var document = document
    guard document.nextIsObject, var object = document.object() else { return false }
    var found: Set<Key> = []
    var lists = 0
    while let key = document.next(in: &object, keys) {
      if Key.lists.contains(key) {
        found.insert(key)
        if document.nextIsArray { lists += 1 }
      }
      document.skip()
    }
    return found.count == 2 || isNamed(file) && lists > 0
  }

  /// Checks that a document which is not strict JSON, but can be read as that of another program, is not a library: one of
  /// our own is refused.
  ///
  /// - Parameter root: the document, as far as it could be read.
  /// - Throws: `DocumentError` if it is one, with the byte at which the JSON goes wrong.
  static func refuseUnread(
    _ root: JSONNode, _ bytes: [UInt8], file: String
  ) throws(DocumentError) {
    let lists = Key.lists.filter { root[$0.rawValue]?.isArray ?? false }
    guard lists.count == 2 || isNamed(file) && !lists.isEmpty else { return }
    _ = try JSONValue.parse(bytes, file: file)
  }

  private static func isNamed(_ file: String) -> Bool {
    URL(fileURLWithPath: file).lastPathComponent == "library.json"
  }

  private mutating func content(_ document: inout DocumentReader) -> Content? {
    // A list names tracks, and may come before them; songs name tags.
    var collections: Int?
    var songs: Int?
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.keys) {
      switch key {
      case .tracks: tracks(&document)
      case .collections:
        collections = document.nextOffset
        document.skip()
      case .tags: content.tags = self.songs.tags(&document)
      case .songs:
        songs = document.nextOffset
        document.skip()
      }
    }
    if let songs {
      document.reading(at: songs) { content.songs = self.songs.songs(&$0) }
    }
    if let collections {
      document.reading(at: collections) { self.collections(&$0) }
    }
    content.remarks += document.ignoredNames.map { ignored in
      let near = ignored.nearMiss.map { "; did you mean \"\($0)\"?" } ?? ""
      return DocumentRemark(
        place: "\(file): \(ignored.path)",
        message: "the key \"\(ignored.name)\" is not kept (\(ignored.count) times in the file)"
          + near)
    }
    return content
  }

  // MARK: Tracks

  private mutating func tracks(_ document: inout DocumentReader) {
    guard var array = document.elements() else { return }
    var index = 0
    while document.hasNext(in: &array) {
      if let track = track(&document, place: "$.tracks[\(index)]") { content.tracks.append(track) }
      index += 1
    }
  }

  private mutating func track(
    _ document: inout DocumentReader, place path: String
  ) -> DocumentTrack? {
    let place = "\(file): \(path)"
    var track = DocumentTrack(title: "", fileURL: "", uri: "", source: "", place: place)
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.trackKeys) {
      switch key {
      case .id: track.id = document.id(unique: &trackIDs, of: "track")
      case .title: track.title = document.text(TextRules.verbatim) ?? ""
      case .artist: track.artist = document.text(TextRules.verbatim)
      case .album: track.album = document.text(TextRules.verbatim)
      case .albumArtist: track.albumArtist = document.text(TextRules.verbatim)
      case .duration: track.duration = document.number()
      case .fileURL:
        guard let (text, uri) = address(&document) else { continue }
        track.fileURL = text
        if track.uri.isEmpty { track.uri = uri }
      case .uri: if let uri = identity(&document) { track.uri = uri }
      case .artworkURL: track.artworkURL = document.text(TextRules.verbatim)
      case .artworkData: track.take(picture: data(&document), place, &content.remarks)
      case .genre: track.genre = document.text(TextRules.verbatim)
      case .year: track.year = document.integer(atLeast: 0)
      case .trackNumber: track.trackNumber = document.integer(atLeast: 0)
      case .isrc:
        track.isrc = document.text(
          as: SongID.isrc, "is not an ISRC", advice: "write it as QMFM11100001")
      case .appleMusicID:
        track.appleMusicID = document.text(
          as: SongID.appleMusic, "is not an id of Apple Music's catalog", advice: "write its digits"
        )
      case .dateAdded: track.dateAdded = time(&document)
      }
    }
    guard let id = track.id else { return nil }
    track.source = TrackURI.source(of: track.uri)
    uris[id] = track.uri
    return track
  }

  private func address(_ document: inout DocumentReader) -> (text: String, uri: String)? {
    let start = document.nextOffset
    guard let text = document.text(TextRules.verbatim) else { return nil }
    guard let uri = TrackURI.uri(ofAddress: text) else {
      document.note(
        .invalidValue, at: start, "is neither a URI nor an absolute path",
        advice: "write it as file:///Music/a.mp3")
      return nil
    }
    return (text, uri)
  }

  /// Reads a URI that is normalised.
  private func identity(_ document: inout DocumentReader) -> String? {
    let start = document.nextOffset
    guard let text = document.text(TextRules.verbatim) else { return nil }
    guard TrackURI.normalized(text) == text else {
      document.note(
        .invalidValue, at: start, "is not a normalised URI",
        advice: TrackURI.normalized(text).map { "write it as \($0)" }
          ?? "write it as file:///Music/a.mp3")
      return nil
    }
    return text
  }

  private func time(_ document: inout DocumentReader) -> Timestamp? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    guard let time = Timestamp(text), "\(time)" == text else {
      document.note(
        .invalidValue, at: start, "is not a time", advice: "write it as 2026-01-31T12:00:00.000Z")
      return nil
    }
    return time
  }

  private func data(_ document: inout DocumentReader) -> [UInt8]? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    guard let data = Data(base64Encoded: text) else {
      document.note(
        .invalidValue, at: start, "is not base64", advice: "write it as RFC 4648 has it")
      return nil
    }
    return Array(data)
  }

  // MARK: Collections

  private mutating func collections(_ document: inout DocumentReader) {
    guard var array = document.elements() else { return }
    var index = 0
    while document.hasNext(in: &array) {
      if let playlist = collection(&document, place: "$.collections[\(index)]") {
        content.playlists.append(playlist)
      }
      index += 1
    }
  }

  private mutating func collection(
    _ document: inout DocumentReader, place path: String
  ) -> DocumentPlaylist? {
    var id: EntityID?
    var name: String?
    var description: String?
    var artworkURL: String?
    var entries: [ListEntry] = []
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.collectionKeys) {
      switch key {
      case .id: id = document.id(unique: &collectionIDs, of: "collection")
      case .name: name = document.text(TextRules.name)
      case .description: description = document.text(TextRules.verbatim)
      case .artworkURL: artworkURL = document.text(TextRules.verbatim)
      case .trackIDs:
        guard var array = document.elements() else { continue }
        var index = 0
        while document.hasNext(in: &array) {
          if let track = document.id() {
            if let uri = uris[track] {
              entries.append(.track(uri))
            } else {
              entries.append(.unread)
              content.remarks.add(
                "\(file): \(path).trackIDs[\(index)]",
                "the library has no track \(track); left out")
            }
          }
          index += 1
        }
      }
    }
    guard let id, let name else { return nil }
    return DocumentPlaylist(
      id: id, name: name, description: description, artworkURL: artworkURL, uris: entries.uris,
      part: entries.part)
  }
}
