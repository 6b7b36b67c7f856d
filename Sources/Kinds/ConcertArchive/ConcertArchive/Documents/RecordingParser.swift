import CatalogModel

/// Reads `recordings/IDENTIFIER.json`. The identifier is the file's name.
enum RecordingParser {
  private enum Key: String, CaseIterable {
    case rating, confidence, taper, source, lineage
    case rawRating = "raw_rating"
    case reviewCount = "review_count"
    case highRatings = "high_ratings"
    case lowRatings = "low_ratings"
    case sourceType = "source_type"
  }

  private static let keys = JSONKeyTable<Key>()

  static func read(
    _ bytes: [UInt8], file: String, identifier: String
  ) throws(DocumentError) -> RecordingFacts {
    try DocumentReader.read(bytes, file: file, rules: PackageFormat.rules) { document in
      var recording = RecordingFacts(
        identifier: identifier, rating: 0, rawRating: 0, reviewCount: 0, confidence: 0,
        highRatings: 0, lowRatings: 0)
      guard var object = document.object() else { return nil }
      while let key = document.next(in: &object, keys) {
        switch key {
        case .rating: recording.rating = document.optionalNumber() ?? 0
        case .rawRating: recording.rawRating = document.optionalNumber() ?? 0
        case .confidence: recording.confidence = document.optionalNumber() ?? 0
        case .reviewCount: recording.reviewCount = document.optionalInteger(atLeast: 0) ?? 0
        case .highRatings: recording.highRatings = document.optionalInteger(atLeast: 0) ?? 0
        case .lowRatings: recording.lowRatings = document.optionalInteger(atLeast: 0) ?? 0
        case .sourceType: recording.sourceType = document.optionalText(TextRules.verbatim)
        case .taper: recording.taper = document.optionalText(TextRules.verbatim)
        case .source: recording.source = document.optionalText(TextRules.verbatim)
        case .lineage: recording.lineage = document.optionalText(TextRules.verbatim)
        }
      }
      return recording
    }
  }
}

/// Reads `collections.json`.
enum CollectionsParser {
  private enum Key: String, CaseIterable {
    case id, name, description, tags
    case showIDs = "show_ids"
  }

  private enum RootKey: String, CaseIterable {
    case collections
  }

  private static let rootKeys = JSONKeyTable<RootKey>(required: [.collections])
  private static let keys = JSONKeyTable<Key>(required: [.id, .name])

  /// - Parameter shows: the ids that a collection may list.
  static func read(
    _ bytes: [UInt8], file: String, shows: (String) -> Bool
  ) throws(DocumentError) -> [CollectionFacts] {
    try DocumentReader.read(bytes, file: file, rules: PackageFormat.rules) { document in
      var collections: [CollectionFacts] = []
      var seen: Set<String> = []
      guard var object = document.object() else { return nil }
      while document.next(in: &object, rootKeys) != nil {
        collections = document.optionalList { collection(&$0, &seen, shows) }
      }
      return collections
    }
  }

  private static func collection(
    _ document: inout DocumentReader, _ seen: inout Set<String>, _ shows: (String) -> Bool
  ) -> CollectionFacts? {
    var id: String?
    var name: String?
    var collection = CollectionFacts(id: "", name: "", description: "", tags: [], showIDs: [])
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, keys) {
      switch key {
      case .id: id = self.id(&document, &seen)
      case .name: name = document.text(TextRules.title)
      case .description:
        collection.description = document.optionalText(TextRules.verbatim) ?? ""
      case .tags: collection.tags = document.optionalList { $0.text(TextRules.name) }
      case .showIDs: collection.showIDs = document.optionalList { show(&$0, shows) }
      }
    }
    guard let id, let name else { return nil }
    collection.id = id
    collection.name = name
    return collection
  }

  private static func id(_ document: inout DocumentReader, _ seen: inout Set<String>) -> String? {
    let start = document.nextOffset
    guard let id = document.text(TextRules.name) else { return nil }
    if !seen.insert(id).inserted {
      document.note(
        .duplicateValue, at: start, "is the id of another collection",
        advice: "give each collection its own id")
    }
    return id
  }

  private static func show(_ document: inout DocumentReader, _ shows: (String) -> Bool) -> String? {
    let start = document.nextOffset
    guard let show = document.showID() else { return nil }
    if !shows(show) {
      document.note(
        .invalidValue, at: start, "is not a show of this package",
        advice: PackageFormat.halfUnpacked)
    }
    return show
  }
}
