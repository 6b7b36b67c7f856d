import CatalogEngine
import Foundation

/// Reads `iTunes Music Library.xml`, which iTunes and Music export.
enum ITunesLibrary {
  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> Content {
    let root: [String: Any]
    do {
      // Foundation refuses a whole list for one date without a zone.
      let data = Data(try PlistText.repaired(bytes, file: file))
      let list = try PropertyListSerialization.propertyList(from: data, format: nil)
      guard let object = list as? [String: Any], object["Tracks"] is [String: Any] else {
        throw DocumentError(
          code: .unsupportedFormat, file: file, path: "Tracks",
          message: "this is not a library of iTunes: it has no dictionary of tracks",
          advice: "export the library again")
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
    reader.read(root)
    return reader.content
  }

  /// What Foundation found, and on which line; nothing where it does not say.
  private static func reason(of error: any Error) -> String {
    guard let text = (error as NSError).userInfo["NSDebugDescription"] as? String,
      let first = text.first
    else { return "" }
    return ": " + JSONExcerpt.words(first.lowercased() + text.dropFirst())
  }

  private struct Reader {
    let file: String
    var content = Content()
    /// The entries that the library's own numbers mean; a track without an identity has none.
    var entries: [Int64: ListEntry] = [:]
    var seen: Set<String> = []
    var listIDs: Set<String> = []
    /// Keys of tracks that nobody here keeps, and how many tracks have each.
    var unkept: [String: Int] = [:]

    private static let keys: Set<String> = [
      "Track ID", "Persistent ID", "Location", "Name", "Artist", "Album", "Album Artist", "Genre",
      "Year", "Track Number", "Date Added", "Total Time", "Has Video", "Movie",
    ]

    mutating func read(_ root: [String: Any]) {
      let tracks = root["Tracks"] as? [String: Any] ?? [:]
      var numbers: [(number: Int64, key: String)] = []
      for key in tracks.keys.sorted() {
        if let number = Int64(key) {
          numbers.append((number, key))
        } else {
          remark("Tracks/\(JSONExcerpt.printable(key))", "the key is not a number; left out")
        }
      }
      for (number, key) in numbers.sorted(by: { $0.number < $1.number }) {
        guard let track = tracks[key] as? [String: Any] else {
          remark("Tracks/\(key)", "the track is not a dictionary; left out")
          continue
        }
        add(PlistNode(members: track, path: "Tracks/\(key)", file: file), number)
      }
      content.remarkCommon("\(file): Tracks")
      remarkUnkept()
      guard let playlists = root["Playlists"] else { return }
      guard let playlists = playlists as? [Any] else {
        return remark("Playlists", "the playlists are not an array; left out")
      }
      for (place, playlist) in playlists.enumerated() {
        guard let members = playlist as? [String: Any] else {
          remark("Playlists/\(place)", "the playlist is not a dictionary; left out")
          continue
        }
        add(playlist: PlistNode(members: members, path: "Playlists/\(place)", file: file))
      }
    }

    private mutating func remark(_ path: String, _ message: String) {
      content.remarks.add("\(file): \(path)", message)
    }

    private mutating func remarkUnkept() {
      guard !unkept.isEmpty else { return }
      let keys = unkept.sorted { $0.key < $1.key }
        .map { "\(JSONExcerpt.printable($0.key)) (\($0.value))" }
      remark("Tracks", "not kept: \(keys.joined(separator: ", "))")
    }

    /// Endings of books, booklets and apps, which iTunes keeps among the tracks.
    private static let others: Set<String> = ["pdf", "epub", "ibooks", "ipa", "itlp", "ite"]

    private mutating func add(_ node: PlistNode, _ number: Int64) {
      guard flag(node, "Has Video") != true, flag(node, "Movie") != true else {
        entries[number] = .other
        return content.remark(node, "this is a video; left out")
      }
      let persistentID = text(node, "Persistent ID").flatMap { $0.isEmpty ? nil : $0 }
      // Empty where iTunes lost the file.
      let location = text(node, "Location").flatMap { $0.isEmpty ? nil : $0 }
      var uri = location.flatMap(TrackURI.normalized)
      if let location, uri == nil {
        content.remark(
          node, "\(JSONExcerpt.printable(location)) is not a URI: the Location is left out")
      }
      if let ending = uri.flatMap(AudioFile.ending)?.lowercased(), Self.others.contains(ending) {
        entries[number] = .other
        return content.remark(node, "this is not a track but a file .\(ending); left out")
      }
      let isPlaced = uri != nil
      if uri == nil, let persistentID { uri = TrackURI.normalized("itunes:\(persistentID)") }
      guard let uri else {
        return content.remark(
          node, "the track has neither a Location nor a Persistent ID; left out")
      }
      if !seen.insert(TrackURI.key(of: uri)).inserted {
        content.remark(node, "\(uri) is the place of a track before it; both are one")
      }
      for key in node.members.keys where !Self.keys.contains(key) {
        unkept[key, default: 0] += 1
      }
      if location == nil { content.note(.withoutLocation, node.path) }
      var track = DocumentTrack(
        title: content.title(text(node, "Name"), node.path),
        fileURL: isPlaced ? location.flatMap(TrackURI.address) ?? uri : uri, uri: uri,
        source: TrackURI.source(of: uri), place: node.place)
      track.artist = text(node, "Artist")
      track.album = text(node, "Album")
      track.albumArtist = text(node, "Album Artist")
      track.genre = text(node, "Genre")
      track.year = count(node, "Year")
      track.trackNumber = count(node, "Track Number")
      track.dateAdded = content.usable { () throws(DocumentError) in try node.time("Date Added") }
      track.duration = count(node, "Total Time").map { Double($0) / 1_000 }
      if track.duration == nil { content.note(.withoutLength, node.path) }
      entries[number] = .track(uri)
      content.tracks.append(track)
    }

    private mutating func add(playlist node: PlistNode) {
      // All tracks, and lists that iTunes made of them: nobody arranged these.
      for key in ["Master", "Distinguished Kind", "Folder"] where isTrue(node, key) {
        return content.remark(
          node,
          key == "Folder"
            ? "this is a folder of lists and not a list; left out"
            : "the list is one of iTunes' own (\(key)); left out")
      }
      let name = content.usable { () throws(DocumentError) -> String? in
        guard let name = try node.text("Name") else { return nil }
        return try Text.name(name, file: file, place: "\(node.path)/Name")
      }
      let id = text(node, "Playlist Persistent ID").flatMap { $0.isEmpty ? nil : $0 }
      guard name != nil || id != nil else {
        return content.remark(
          node,
          "the playlist has neither a name nor a Playlist Persistent ID by which it is known; left out"
        )
      }
      if let rule = node.members["Smart Info"] as? Data, !rule.isEmpty {
        content.remark(node, "the list is smart: its tracks are kept, and its rule is not")
      }
      var key = id ?? "name:\(name ?? "")"
      if id != nil, !listIDs.insert(key).inserted {
        content.remark(node, "a list before it has the same Playlist Persistent ID; both stay")
        var number = 2
        while !listIDs.insert("\(key)\n\(number)").inserted { number += 1 }
        key = "\(key)\n\(number)"
      }
      let entries = entries(of: node)
      var playlist = DocumentPlaylist(
        id: NameBasedID.collection("itunes", key), name: name, address: "itunes:playlist:\(key)",
        description: text(node, "Description"), uris: entries.uris, part: entries.part)
      playlist.isKnownByName = id == nil
      content.playlists.append(playlist)
    }

    private mutating func entries(of node: PlistNode) -> [ListEntry] {
      guard let items = node.members["Playlist Items"] else { return [] }
      guard let items = items as? [Any] else {
        content.remark(node, "the items are not an array; left out")
        return [.unread]
      }
      var found: [ListEntry] = []
      for (place, item) in items.enumerated() {
        let item = PlistNode(
          members: item as? [String: Any] ?? [:], path: "\(node.path)/Playlist Items/\(place)",
          file: file)
        guard let number = count(item, "Track ID") else {
          content.remark(item, "the number of the track is missing; left out")
          found.append(.unread)
          continue
        }
        let entry = entries[number] ?? .unread
        found.append(entry)
        if entry.uri == nil {
          content.remark(
            item, "the track \(number) is not among the tracks that are used; left out")
        }
      }
      return found
    }

    // MARK: Values

    /// A text as it is said: empty if it is blank; nil if it is missing or cannot be used.
    private mutating func text(_ node: PlistNode, _ key: String) -> String? {
      content.usable { () throws(DocumentError) in try node.text(key) }
        .map { TextRules.isBlank($0) ? "" : $0 }
    }

    private mutating func count(_ node: PlistNode, _ key: String) -> Int64? {
      content.usable { () throws(DocumentError) in try node.count(key) }
    }

    private mutating func flag(_ node: PlistNode, _ key: String) -> Bool? {
      content.usable { () throws(DocumentError) in try node.flag(key) }
    }

    /// Whether a mark of a list is set: true, or a number of which 0 is none.
    private mutating func isTrue(_ node: PlistNode, _ key: String) -> Bool {
      guard let value = node.members[key] else { return false }
      if let flag = value as? Bool { return flag }
      if let number = value as? NSNumber { return number.doubleValue != 0 }
      return flag(node, key) ?? false
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
    if let text = value as? String {
      // What `PlistText` made of a date that Foundation does not read.
      guard let time = Timestamp(foreign: text.trimmed()) else {
        throw invalid(key, "\"\(JSONExcerpt.printable(text))\" is not a date")
      }
      return time
    }
    guard let date = value as? Date else { throw invalid(key, "the value is not a date") }
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard let whole = Int64(exactly: milliseconds),
      Timestamp(milliseconds: whole).milliseconds == whole
    else { throw invalid(key, "the date is not in the years 0 to 9999") }
    return Timestamp(milliseconds: whole)
  }

  private func invalid(_ key: String, _ message: String) -> DocumentError {
    DocumentError(
      code: .wrongType, file: file, path: "\(path)/\(key)", message: message,
      advice: "export the library again")
  }
}

extension Content {
  mutating func remark(_ node: PlistNode, _ message: String) {
    remarks.add(node.place, message)
  }
}
