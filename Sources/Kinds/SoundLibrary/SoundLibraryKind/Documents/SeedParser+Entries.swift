import CatalogModel

extension SeedParser {
  mutating func musicEntries() throws(JSONError) -> [SeedDocument.Music] {
    var entries: [SeedDocument.Music] = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) {
      let entry = try item(of: .music, place: .music(entries.count))
      guard let playlistID = entry.playlistID else {
        throw missing(SeedItemKey.appleMusicPlaylistId, at: entry.offset)
      }
      entries.append(
        SeedDocument.Music(
          item: entry.item, playlistID: playlistID, useSnapshot: entry.useSnapshot))
    }
    return entries
  }

  mutating func packEntries() throws(JSONError) -> [SeedDocument.Pack] {
    var entries: [SeedDocument.Pack] = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) { entries.append(try pack(index: entries.count)) }
    return entries
  }

  private mutating func pack(index: Int) throws(JSONError) -> SeedDocument.Pack {
    var id: EntityID?
    var kind: PackKind?
    var title: String?
    var description: String?
    var artworkURL: String?
    var version: Int64?
    var manifestURL: String?
    var items: [SeedDocument.Item] = []
    // What an item's tags mean depends on the pack's kind, and keys come in any order.
    var itemsOffset: Int?
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      switch try packKeys.require(key, in: json) {
      case .id: id = try entityID(\.packIDs, what: "pack")
      case .kind: kind = try packKind()
      case .title: title = try text(TextRules.title)
      case .description: description = try optionalText(TextRules.verbatim)
      case .artworkUrl: artworkURL = try optionalText(TextRules.title)
      case .version: version = try integer(atLeast: 1)
      case .manifestUrl: manifestURL = try text(TextRules.webAddress)
      case .items:
        if let kind {
          items = try packItems(of: kind, pack: index)
        } else {
          itemsOffset = json.position
          try json.skipValue()
        }
      }
    }
    guard let id else { throw missing(SeedPackKey.id, at: object.offset) }
    guard let kind else { throw missing(SeedPackKey.kind, at: object.offset) }
    guard let title else { throw missing(SeedPackKey.title, at: object.offset) }
    guard let version else { throw missing(SeedPackKey.version, at: object.offset) }
    guard let manifestURL else { throw missing(SeedPackKey.manifestUrl, at: object.offset) }
    if let itemsOffset {
      let end = json.position
      json.position = itemsOffset
      items = try packItems(of: kind, pack: index)
      json.position = end
    }
    return SeedDocument.Pack(
      id: id, kind: kind, title: title, description: description, artworkURL: artworkURL,
      version: version, manifestURL: manifestURL, items: items, place: .pack(index))
  }

  private mutating func packKind() throws(JSONError) -> PackKind {
    let start = json.nextOffset
    guard let kind = PackKind(rawValue: try json.readString()) else {
      let known = PackKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
      throw JSONError(
        .invalidValue, at: start, "is not a kind of pack", advice: "write \(known)")
    }
    return kind
  }

  private mutating func packItems(
    of kind: PackKind, pack: Int
  ) throws(JSONError) -> [SeedDocument.Item] {
    var items: [SeedDocument.Item] = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) {
      let place = DocumentPlace.packItem(pack: pack, item: items.count)
      items.append(try item(of: kind.itemKind, place: place).item)
    }
    return items
  }

  /// An item, and what only a music entry has besides.
  private struct Entry {
    let item: SeedDocument.Item
    let playlistID: String?
    let useSnapshot: Bool
    let offset: Int
  }

  private mutating func item(
    of kind: Kind, place: DocumentPlace
  ) throws(JSONError) -> Entry {
    var id: EntityID?
    var title: String?
    var subtitle: String?
    var duration: Double?
    var artworkURL: String?
    var isVisible = true
    var tags = TagSet()
    var playlistID: String?
    var useSnapshot = false
    var object = try json.openObject()
    while let text = try json.nextKey(in: &object) {
      let key = try itemKeys.require(text, in: json)
      if key.isOnlyForMusic, kind != .music {
        throw JSONError(
          .unknownKey, at: text.offset, "is a key of music entries, not of a pack's items",
          advice: "remove it, or move the entry to music")
      }
      switch key {
      case .id: id = try entityID(\.itemIDs, what: "item")
      case .title: title = try self.text(TextRules.title)
      case .subtitle: subtitle = try optionalText(TextRules.verbatim)
      case .duration: duration = try self.duration()
      case .artworkUrl: artworkURL = try optionalText(TextRules.title)
      case .isVisible: isVisible = try json.readBool()
      case .tags: tags = try self.tags(of: kind)
      case .appleMusicPlaylistId: playlistID = try self.playlistID()
      case .useSnapshot: useSnapshot = try json.readBool()
      }
    }
    guard let id else { throw missing(SeedItemKey.id, at: object.offset) }
    guard let title else { throw missing(SeedItemKey.title, at: object.offset) }
    return Entry(
      item: SeedDocument.Item(
        id: id, title: title, subtitle: subtitle, duration: duration, artworkURL: artworkURL,
        isVisible: isVisible, tags: tags, place: place),
      playlistID: playlistID, useSnapshot: useSnapshot, offset: object.offset)
  }

  /// Seconds, or null.
  private mutating func duration() throws(JSONError) -> Double? {
    if try json.readNull() { return nil }
    let start = json.nextOffset
    let seconds = try json.readDouble()
    guard seconds >= 0 else {
      throw JSONError(
        .invalidValue, at: start, "is a negative duration",
        advice: "write seconds, 0 or more, or null")
    }
    guard seconds <= Double(NumberRules.greatest) else {
      throw JSONError(
        .invalidValue, at: start, "is too large for a duration",
        advice: "write seconds from 0 to \(NumberRules.greatest), or null")
    }
    // -0.0 is not below zero, but would be written as another number than 0.
    return seconds == 0 ? 0 : seconds
  }

  private mutating func playlistID() throws(JSONError) -> String {
    let start = json.nextOffset
    let id = try text(TextRules.name)
    guard playlistIDs.insert(id).inserted else {
      throw JSONError(
        .duplicateValue, at: start, "is the playlist of another music entry of this document",
        advice: "give each music entry its own playlist")
    }
    return id
  }
}
