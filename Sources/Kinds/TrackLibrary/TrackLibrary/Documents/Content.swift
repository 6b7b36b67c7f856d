import CatalogEngine

/// The tracks, playlists and remarks that a reader gathers.
struct Content {
  var tracks: [DocumentTrack] = []
  var playlists: [DocumentPlaylist] = []
  var tags: [DocumentTag] = []
  var songs: [DocumentSong] = []
  var remarks: [DocumentRemark] = []
  /// The parts of longer lists that there are.
  var pages = SavedPages()
  /// Playlists whose tracks are on several pages.
  var lists = PagedPlaylists()
  private var common: [Common: (count: Int, first: String)] = [:]

  /// A remark that is true of many entries: one line says it of all of them.
  enum Common: Int, CaseIterable {
    case withoutLength, withoutLocation, withoutName, played, albumsAlone

    /// - Parameter count: how many, at least 1.
    fileprivate func message(_ count: Int, _ first: String) -> String {
      let what = count == 1 ? "a track has" : "\(count) tracks have"
      let whose = count == 1 ? "its" : "their"
      let place = count == 1 ? "(\(first))" : "(the first is \(first))"
      return switch self {
      case .withoutLength: "\(what) no length \(place)"
      case .withoutLocation:
        "\(what) no Location and "
          + (count == 1 ? "is known by its Persistent ID" : "are known by their Persistent IDs")
          + " \(place)"
      case .withoutName: "\(what) no name here \(place): \(whose) place is a name if none is known"
      case .played:
        "when the tracks were played is not kept (\(count) \(count == 1 ? "time" : "times"))"
      case .albumsAlone:
        count == 1
          ? "an album has no tracks here (\(first)); left out"
          : "\(count) albums have no tracks here (the first is \(first)); left out"
      }
    }
  }

  mutating func remark(_ node: JSONNode, _ message: String) {
    remarks.add(node.place, message)
  }

  /// - Parameter path: the place of an entry in the document.
  mutating func note(_ common: Common, _ path: String) {
    self.common[common, default: (0, path)].count += 1
  }

  /// Lists what is true of many entries.
  ///
  /// - Parameter place: the document.
  mutating func remarkCommon(_ place: String) {
    for (common, found) in common.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      remarks.add(place, common.message(found.count, found.first))
    }
    common = [:]
  }

  /// Adds what another file of the same document has, but for the parts of lists.
  mutating func append(_ other: Content) {
    tracks += other.tracks
    playlists += other.playlists
    tags += other.tags
    songs += other.songs
    remarks += other.remarks
    for (common, found) in other.common {
      let first = self.common[common]?.first ?? found.first
      self.common[common] = ((self.common[common]?.count ?? 0) + found.count, first)
    }
  }

  // MARK: What cannot be used

  /// The value that `read` finds; nil, with a remark, if it cannot be used.
  mutating func usable<Value>(_ read: () throws(DocumentError) -> Value?) -> Value? {
    do throws(DocumentError) {
      return try read()
    } catch {
      leaveOut(error)
      return nil
    }
  }

  /// A text as the document says it: empty if it is blank; nil if it is null, missing, or cannot be used.
  mutating func text(_ node: JSONNode?) -> String? {
    guard let node, let text = usable({ () throws(DocumentError) in try node.text() }) else {
      return nil
    }
    return TextRules.isBlank(text) ? "" : text
  }

  mutating func count(_ node: JSONNode?) -> Int64? {
    usable { () throws(DocumentError) in try node?.count() }
  }

  /// A length, written in milliseconds.
  mutating func seconds(_ node: JSONNode?) -> Double? {
    usable { () throws(DocumentError) in try node?.milliseconds() }
  }

  mutating func time(_ node: JSONNode?) -> Timestamp? {
    usable { () throws(DocumentError) in try node?.foreignTime() }
  }

  mutating func elements(_ node: JSONNode?) -> [JSONNode]? {
    usable { () throws(DocumentError) in try node?.elements() }
  }

  /// The name of a playlist.
  mutating func name(_ node: JSONNode?) -> String? {
    usable { () throws(DocumentError) -> String? in
      guard let node else { return nil }
      return try Text.name(try node.text(), file: node.file, place: node.path)
    }
  }

  /// The title of a track; nil, which is noted, if it says nothing.
  ///
  /// - Parameter path: the place of the track in the document.
  mutating func title(_ text: String?, _ path: String) -> String? {
    guard let text, !text.isEmpty else {
      note(.withoutName, path)
      return nil
    }
    return text
  }

  mutating func isrc(_ node: JSONNode?) -> String? {
    guard let node, let text = text(node), !text.isEmpty else { return nil }
    let isrc = SongID.isrc(text)
    if isrc == nil { remark(node, "\(node.value) is not an ISRC; left out") }
    return isrc
  }

  /// Lists what an error is about: it is left out, and the rest of the document is used.
  mutating func leaveOut(_ error: DocumentError) {
    let place = error.path.map { "\(error.file): \($0)" } ?? error.file
    let what = error.value.map { "\($0) " } ?? ""
    remarks.add(place, "\(what)\(error.message); left out")
  }
}
