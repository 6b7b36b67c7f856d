import CatalogEngine
import Foundation

/// Reads `iTunes Music Library.xml`, which iTunes and Music export.
enum ITunesLibrary {
  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> Content {
    let root: [String: Any]
    do {
      let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      guard let object = list as? [String: Any] else {
        throw invalid(file, "", "the property list is not a dictionary")
      }
      root = object
    } catch let error as DocumentError {
      throw error
    } catch {
      throw DocumentError(
        code: .unsupportedFormat, file: file,
        message: "the file is not a property list" + reason(of: error),
        advice: "correct it there, or export the library again")
    }
    var reader = Reader(file: file)
    try reader.read(root)
    return reader.content
  }

  /// What Foundation found, and on which line; nothing where it does not say.
  private static func reason(of error: any Error) -> String {
    guard let text = (error as NSError).userInfo["NSDebugDescription"] as? String,
      let first = text.first
    else { return "" }
    return ": " + JSONExcerpt.printable(first.lowercased() + text.dropFirst())
  }

  fileprivate static func invalid(
    _ file: String, _ path: String, _ message: String
  ) -> DocumentError {
    DocumentError(
      code: .wrongType, file: file, path: path.isEmpty ? nil : path, message: message,
      advice: "export the library again")
  }

  private struct Reader {
    let file: String
    var content = Content()
    /// URIs by the library's own numbers.
    private var uris: [Int64: String] = [:]
    private var seen: Set<String> = []
    /// Keys of tracks that nobody here keeps, and how many tracks have each.
    private var unkept: [String: Int] = [:]

    private static let keys: Set<String> = [
      "Track ID", "Persistent ID", "Location", "Name", "Artist", "Album", "Album Artist", "Genre",
      "Year", "Track Number", "Date Added", "Total Time", "Has Video", "Movie",
    ]

    init(file: String) {
      self.file = file
    }

    mutating func read(_ root: [String: Any]) throws(DocumentError) {
      guard let tracks = root["Tracks"] as? [String: Any] else {
        throw invalid(file, "Tracks", "the tracks are missing")
      }
      var numbers: [(number: Int64, key: String)] = []
      for key in tracks.keys {
        guard let number = Int64(key) else {
          throw invalid(file, "Tracks/\(JSONExcerpt.printable(key))", "the key is not a number")
        }
        numbers.append((number, key))
      }
      for (number, key) in numbers.sorted(by: { $0.number < $1.number }) {
        guard let track = tracks[key] as? [String: Any] else {
          throw invalid(file, "Tracks/\(key)", "the track is not a dictionary")
        }
        try add(PlistNode(members: track, path: "Tracks/\(key)", file: file), number)
      }
      remarkUnkept()
      guard root["Playlists"] != nil else { return }
      guard let playlists = root["Playlists"] as? [[String: Any]] else {
        throw invalid(file, "Playlists", "the playlists are not an array of dictionaries")
      }
      for (place, playlist) in playlists.enumerated() {
        try add(playlist: PlistNode(members: playlist, path: "Playlists/\(place)", file: file))
      }
    }

    private mutating func remarkUnkept() {
      guard !unkept.isEmpty else { return }
      let keys = unkept.sorted { $0.key < $1.key }
        .map { "\(JSONExcerpt.printable($0.key)) (\($0.value))" }
      content.remarks.append(
        DocumentRemark(
          place: "\(file): Tracks", message: "not kept: \(keys.joined(separator: ", "))"))
    }

    private mutating func add(_ node: PlistNode, _ number: Int64) throws(DocumentError) {
      guard try node.flag("Has Video") != true, try node.flag("Movie") != true else {
        return content.remark(node, "this is a video; left out")
      }
      let persistentID = try node.text("Persistent ID")
      // Empty where iTunes lost the file.
      let location = try node.text("Location").flatMap { $0.isEmpty ? nil : $0 }
      var uri: String?
      if let location {
        uri = TrackURI.normalized(location)
        if uri == nil { throw node.invalid("Location", "the place is not a URI") }
      }
      if uri == nil, let persistentID { uri = TrackURI.normalized("itunes:\(persistentID)") }
      guard let uri else {
        return content.remark(
          node, "the track has neither a Location nor a Persistent ID; left out")
      }
      if !seen.insert(uri).inserted {
        content.remark(node, "\(uri) is the place of a track before it; both are one")
      }
      for key in node.members.keys where !Self.keys.contains(key) {
        unkept[key, default: 0] += 1
      }
      if location == nil {
        content.remark(node, "the track has no Location: it is known by its Persistent ID")
      }
      var title = try node.text("Name") ?? ""
      if TextRules.isBlank(title) {
        title = TrackURI.name(of: uri)
        content.remark(node, "the track has no name; it is called \(title)")
      }
      var track = DocumentTrack(
        title: title, fileURL: location ?? uri, uri: uri, source: TrackURI.source(of: uri),
        place: node.place)
      track.artist = try node.text("Artist")
      track.album = try node.text("Album")
      track.albumArtist = try node.text("Album Artist")
      track.genre = try node.text("Genre")
      track.year = try node.count("Year")
      track.trackNumber = try node.count("Track Number")
      track.dateAdded = try node.time("Date Added")
      if let milliseconds = try node.count("Total Time") {
        track.duration = Double(milliseconds) / 1_000
      } else {
        content.remark(node, "the track has no length")
      }
      uris[number] = uri
      content.tracks.append(track)
    }

    private mutating func add(playlist node: PlistNode) throws(DocumentError) {
      // All tracks, and lists that iTunes made of them: nobody arranged these.
      for key in ["Master", "Distinguished Kind", "Folder"] where node.members[key] != nil {
        return content.remark(node, "the list is one of iTunes' own (\(key)); left out")
      }
      guard let name = try node.text("Name"), let id = try node.text("Playlist Persistent ID")
      else {
        return content.remark(
          node,
          "the playlist has no name, or no Playlist Persistent ID by which it is known; left out")
      }
      if node.members["Smart Info"] != nil {
        content.remark(node, "the list is smart: its tracks are kept, and its rule is not")
      }
      var entries: [String] = []
      if node.members["Playlist Items"] != nil {
        guard let items = node.members["Playlist Items"] as? [[String: Any]] else {
          throw node.invalid("Playlist Items", "the items are not an array of dictionaries")
        }
        for (place, item) in items.enumerated() {
          let item = PlistNode(
            members: item, path: "\(node.path)/Playlist Items/\(place)", file: file)
          guard let number = try item.count("Track ID") else {
            throw item.invalid("Track ID", "the number of the track is missing")
          }
          if let uri = uris[number] {
            entries.append(uri)
          } else {
            content.remark(
              item, "the track \(number) is not among the tracks that are used; left out")
          }
        }
      }
      content.playlists.append(
        DocumentPlaylist(
          id: NameBasedID.collection("itunes", id),
          name: try Text.name(name, file: file, place: "\(node.path)/Name"),
          description: try node.text("Description"), uris: entries))
    }
  }
}

/// A dictionary of a property list, with its place.
struct PlistNode {
  let members: [String: Any]
  /// `Tracks/1042`
  let path: String
  let file: String

  var place: String { "\(file): \(path)" }

  func text(_ key: String) throws(DocumentError) -> String? {
    guard let value = members[key] else { return nil }
    guard let text = value as? String else { throw invalid(key, "the value is not a string") }
    return try Text.verbatim(text, file: file, place: "\(path)/\(key)")
  }

  /// A whole number from 0 on.
  func count(_ key: String) throws(DocumentError) -> Int64? {
    guard let value = members[key] else { return nil }
    guard let number = value as? NSNumber, let count = Int64(exactly: number.doubleValue),
      0...NumberRules.greatest ~= count
    else { throw invalid(key, "the value is not a whole number from 0 on") }
    return count
  }

  func flag(_ key: String) throws(DocumentError) -> Bool? {
    guard let value = members[key] else { return nil }
    guard let flag = value as? Bool else { throw invalid(key, "the value is not true or false") }
    return flag
  }

  func time(_ key: String) throws(DocumentError) -> Timestamp? {
    guard let value = members[key] else { return nil }
    guard let date = value as? Date else { throw invalid(key, "the value is not a date") }
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard let whole = Int64(exactly: milliseconds),
      Timestamp(milliseconds: whole).milliseconds == whole
    else { throw invalid(key, "the date is not in the years 0 to 9999") }
    return Timestamp(milliseconds: whole)
  }

  func invalid(_ key: String, _ message: String) -> DocumentError {
    ITunesLibrary.invalid(file, "\(path)/\(key)", message)
  }
}

extension Content {
  mutating func remark(_ node: PlistNode, _ message: String) {
    remarks.append(DocumentRemark(place: node.place, message: message))
  }
}
