import CatalogModel

extension SeedParser {
  /// The listed vocabularies, indexed by ordinal. Their order gives `sort_order`, so a name that
  /// stands twice has no place and is refused.
  mutating func dimensions() throws(JSONError) -> [[String]] {
    var vocabularies = TagDimension.all.map { _ in [String]() }
    var object = try json.openObject()
    while let key = try json.nextKey(in: &object) {
      guard let dimension = TagDimension.all.first(where: { json.matches(key, $0.keyBytes) }) else {
        throw JSONError(
          .unknownKey, at: key.offset, "is not a dimension",
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
          .duplicateValue, at: start, "appears twice in this list",
          advice: "keep one; the order of the list is the order of the values")
      }
      names.append(name)
    }
    return names
  }
}
