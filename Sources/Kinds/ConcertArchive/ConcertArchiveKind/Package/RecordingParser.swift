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
    try PackageParser.read(bytes, file: file) { (parser) throws(JSONError) in
      var recording = RecordingFacts(
        identifier: identifier, sourceType: nil, rating: 0, rawRating: 0, reviewCount: 0,
        confidence: 0, highRatings: 0, lowRatings: 0, taper: nil, source: nil, lineage: nil)
      var object = try parser.json.openObject()
      while let key = try parser.json.nextKey(in: &object) {
        switch keys.match(key, in: parser.json) {
        case .rating: recording.rating = try parser.optionalNumber() ?? 0
        case .rawRating: recording.rawRating = try parser.optionalNumber() ?? 0
        case .confidence: recording.confidence = try parser.optionalNumber() ?? 0
        case .reviewCount: recording.reviewCount = try parser.optionalCount() ?? 0
        case .highRatings: recording.highRatings = try parser.optionalCount() ?? 0
        case .lowRatings: recording.lowRatings = try parser.optionalCount() ?? 0
        case .sourceType: recording.sourceType = try parser.optionalText(TextRules.verbatim)
        case .taper: recording.taper = try parser.optionalText(TextRules.verbatim)
        case .source: recording.source = try parser.optionalText(TextRules.verbatim)
        case .lineage: recording.lineage = try parser.optionalText(TextRules.verbatim)
        case nil: try parser.json.skipValue()
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

  private static let keys = JSONKeyTable<Key>()

  /// - Parameter shows: the ids that a collection may list.
  static func read(
    _ bytes: [UInt8], file: String, shows: (String) -> Bool
  ) throws(DocumentError) -> [CollectionFacts] {
    try PackageParser.read(bytes, file: file) { (parser) throws(JSONError) in
      var collections: [CollectionFacts]?
      var seen: Set<String> = []
      var object = try parser.json.openObject()
      while let key = try parser.json.nextKey(in: &object) {
        guard parser.json.decode(key) == "collections" else {
          try parser.json.skipValue()
          continue
        }
        collections = try parser.array { (parser) throws(JSONError) in
          try collection(&parser, &seen, shows)
        }
      }
      guard let collections else { throw parser.missing("collections", at: object.offset) }
      return collections
    }
  }

  private static func collection(
    _ parser: inout PackageParser, _ seen: inout Set<String>, _ shows: (String) -> Bool
  ) throws(JSONError) -> CollectionFacts {
    var id: String?
    var name: String?
    var collection = CollectionFacts(id: "", name: "", description: "", tags: [], showIDs: [])
    var object = try parser.json.openObject()
    while let key = try parser.json.nextKey(in: &object) {
      switch keys.match(key, in: parser.json) {
      case .id:
        let start = parser.json.nextOffset
        let text = try parser.text(TextRules.name)
        guard seen.insert(text).inserted else {
          throw JSONError(
            .duplicateValue, at: start, "is the id of another collection",
            advice: "give each collection its own id")
        }
        id = text
      case .name: name = try parser.text(TextRules.title)
      case .description:
        collection.description = try parser.optionalText(TextRules.verbatim) ?? ""
      case .tags:
        collection.tags = try parser.array { (parser) throws(JSONError) in
          try parser.text(TextRules.name)
        }
      case .showIDs:
        collection.showIDs = try parser.array { (parser) throws(JSONError) in
          let start = parser.json.nextOffset
          let show = try parser.showID()
          guard shows(show) else {
            throw JSONError(
              .invalidValue, at: start, "is not a show of this package",
              advice: PackageParser.halfUnpacked)
          }
          return show
        }
      case nil: try parser.json.skipValue()
      }
    }
    guard let id else { throw parser.missing("id", at: object.offset) }
    guard let name else { throw parser.missing("name", at: object.offset) }
    collection.id = id
    collection.name = name
    return collection
  }
}
