import CatalogModel

extension SeedParser {
  mutating func musicEntries() -> [SeedDocument.Music] {
    var entries: [SeedDocument.Music] = []
    guard var array = document.elements() else { return entries }
    // Places are counted by themselves: an entry with a fault is not among the entries.
    var index = 0
    while document.hasNext(in: &array) {
      if let entry = item(of: .music, place: .music(index)), let playlistID = entry.playlistID {
        entries.append(
          SeedDocument.Music(
            item: entry.item, playlistID: playlistID, useSnapshot: entry.useSnapshot))
      }
      index += 1
    }
    return entries
  }

  mutating func packEntries() -> [SeedDocument.Pack] {
    var entries: [SeedDocument.Pack] = []
    guard var array = document.elements() else { return entries }
    var index = 0
    while document.hasNext(in: &array) {
      if let pack = pack(index: index) { entries.append(pack) }
      index += 1
    }
    return entries
  }

  private mutating func pack(index: Int) -> SeedDocument.Pack? {
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
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, packKeys) {
      switch key {
      case .id: id = document.id(unique: &packIDs, of: "pack")
      case .kind:
        kind = document.word(among: PackKind.allCases.map(\.rawValue), "is not a kind of pack")
          .flatMap(PackKind.init(rawValue:))
      case .title: title = document.text(TextRules.title)
      case .description: description = document.optionalText(TextRules.verbatim)
      case .artworkUrl: artworkURL = document.optionalText(TextRules.title)
      case .version: version = document.integer(atLeast: 1)
      case .manifestUrl: manifestURL = document.text(TextRules.webAddress)
      case .items:
        if let kind {
          items = packItems(of: kind, pack: index)
        } else {
          itemsOffset = document.nextOffset
          document.skip()
        }
      }
    }
    if let itemsOffset {
      // Not `reading(at:)`: a copy of the ids for each pack would take time by the square of the document's length.
      let end = document.json.position
      document.json.position = itemsOffset
      items = packItems(of: kind, pack: index)
      document.json.position = end
    }
    guard let id, let kind, let title, let version, let manifestURL else { return nil }
    return SeedDocument.Pack(
      id: id, kind: kind, title: title, description: description, artworkURL: artworkURL,
      version: version, manifestURL: manifestURL, items: items, place: .pack(index))
  }

  /// - Parameter kind: nil if the document does not say it rightly: then tags cannot be judged.
  private mutating func packItems(of kind: PackKind?, pack: Int) -> [SeedDocument.Item] {
    var items: [SeedDocument.Item] = []
    guard var array = document.elements() else { return items }
    var index = 0
    while document.hasNext(in: &array) {
      let place = DocumentPlace.packItem(pack: pack, item: index)
      if let entry = item(of: kind?.itemKind, place: place) { items.append(entry.item) }
      index += 1
    }
    return items
  }

  /// An item, and what only a music entry has besides.
  private struct Entry {
    let item: SeedDocument.Item
    let playlistID: String?
    let useSnapshot: Bool
  }

  private mutating func item(of kind: Kind?, place: DocumentPlace) -> Entry? {
    var id: EntityID?
    var title: String?
    var subtitle: String?
    var duration: Double?
    var artworkURL: String?
    var isVisible = true
    var tags = TagSet()
    var playlistID: String?
    var useSnapshot = false
    guard var object = document.object() else { return nil }
    let isMusic = kind == .music
    let keys = isMusic ? musicKeys : itemKeys
    while let key = document.next(in: &object, keys) {
      if key.isOnlyForMusic, !isMusic {
        document.note(
          .unknownKey, at: document.keyOffset, "is a key of music entries, not of a pack's items",
          advice: "remove it, or move the entry to music")
        document.skip()
        continue
      }
      switch key {
      case .id: id = document.id(unique: &itemIDs, of: "item")
      case .title: title = document.text(TextRules.title)
      case .subtitle: subtitle = document.optionalText(TextRules.verbatim)
      case .duration: duration = self.duration()
      case .artworkUrl: artworkURL = document.optionalText(TextRules.title)
      case .isVisible:
        let start = document.nextOffset
        isVisible = document.flag() ?? true
        if isMusic, !isVisible {
          document.note(
            .invalidValue, at: start, "hides a music entry, which is always visible",
            advice: "remove the key")
        }
      case .tags:
        if let kind { tags = document.tags(of: kind) } else { document.skip() }
      case .appleMusicPlaylistId: playlistID = self.playlistID()
      case .useSnapshot: useSnapshot = document.flag() ?? false
      }
    }
    guard let id, let title else { return nil }
    return Entry(
      item: SeedDocument.Item(
        id: id, title: title, subtitle: subtitle, duration: duration, artworkURL: artworkURL,
        isVisible: isVisible, tags: tags, place: place),
      playlistID: playlistID, useSnapshot: useSnapshot)
  }

  /// Seconds, or null.
  private mutating func duration() -> Double? {
    if document.null() { return nil }
    let start = document.nextOffset
    guard let seconds = document.double() else { return nil }
    if seconds < 0 {
      document.note(
        .invalidValue, at: start, "is a negative duration",
        advice: "write seconds, 0 or more, or null")
    } else if seconds > Double(NumberRules.greatest) {
      document.note(
        .invalidValue, at: start, "is too large for a duration",
        advice: "write seconds from 0 to \(NumberRules.greatest), or null")
    }
    // -0.0 is not below zero, but would be written as another number than 0.
    return seconds == 0 ? 0 : seconds
  }

  private mutating func playlistID() -> String? {
    let start = document.nextOffset
    guard let id = document.text(TextRules.name) else { return nil }
    if !playlistIDs.insert(id).inserted {
      document.note(
        .duplicateValue, at: start, "is the playlist of another music entry of this document",
        advice: "give each music entry its own playlist")
    }
    return id
  }
}
