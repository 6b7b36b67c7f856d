extension SeedParser {
  /// The listed vocabularies, indexed by ordinal. Their order gives `sort_order`, so a name that
  /// stands twice has no place and is refused.
  mutating func dimensions() throws(JSONError) -> [[String]] {
    var vocabularies = TagDimension.all.map { _ in [String]() }
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      guard let dimension = TagDimension.all.first(where: { json.matches(key, $0.keyBytes) }) else {
        throw JSONError(
          .unknownKey, at: key.offset, "is no dimension",
          advice: NearMiss.advice(for: json.decode(key), among: TagDimension.all.map(\.key)))
      }
      vocabularies[dimension.ordinal] = try vocabulary()
    }
    return vocabularies
  }

  private mutating func vocabulary() throws(JSONError) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) {
      let start = json.nextOffset
      let name = try text(TextRules.tagName)
      guard seen.insert(name).inserted else {
        throw JSONError(
          .duplicateValue, at: start, "stands twice in this list",
          advice: "keep one; the order of the list is the order of the values")
      }
      names.append(name)
    }
    return names
  }

  /// The tags of an item; a name that stands twice in one list is one tag.
  mutating func tags(of kind: Kind) throws(JSONError) -> TagSet {
    let dimensions = TagDimension.all(of: kind)
    var tags = TagSet()
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      guard let dimension = dimensions.first(where: { json.matches(key, $0.tagKeyBytes) }) else {
        throw unknownTagKey(key, kind: kind)
      }
      var names: [String] = []
      var array = try json.openArray()
      while try json.hasNext(in: &array) { names.append(try text(TextRules.tagName)) }
      tags[dimension] = names
    }
    return tags
  }

  private func unknownTagKey(_ key: JSONText, kind: Kind) -> JSONError {
    let word = json.decode(key)
    let known = TagDimension.all(of: kind).map(\.tagKey)
    let article = kind == .atmosphere ? "an" : "a"
    if TagDimension.all.contains(where: { $0.tagKey == word }) {
      return JSONError(
        .unknownKey, at: key.offset,
        "is a dimension that \(article) \(kind.rawValue) item does not have",
        advice: "it has \(known.joined(separator: ", "))")
    }
    if let dimension = TagDimension.named(word), dimension.kinds.contains(kind) {
      return JSONError(
        .unknownKey, at: key.offset, "is no key of an item's tags",
        advice: "write \"\(dimension.tagKey)\" here")
    }
    return JSONError(
      .unknownKey, at: key.offset, "is no dimension of \(article) \(kind.rawValue) item",
      advice: NearMiss.advice(for: word, among: known))
  }
}
