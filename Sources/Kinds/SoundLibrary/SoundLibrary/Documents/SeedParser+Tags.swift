import CatalogModel

extension SeedParser {
  /// The listed vocabularies, indexed by ordinal. Their order gives `sort_order`, so a name that
  /// is twice in a list has no place and is refused.
  mutating func dimensions() -> [[String]] {
    var vocabularies = TagDimension.all.map { _ in [String]() }
    guard var object = document.object() else { return vocabularies }
    while let key = document.nextKey(in: &object) {
      guard
        let dimension = TagDimension.all.first(where: { document.json.matches(key, $0.keyBytes) })
      else {
        let word = document.json.decode(key)
        document.note(
          .unknownKey, at: key.offset, "is not a dimension",
          advice: NearMiss.advice(for: word, among: TagDimension.all.map(\.key)))
        document.skip()
        continue
      }
      vocabularies[dimension.ordinal] = vocabulary()
    }
    return vocabularies
  }

  private mutating func vocabulary() -> [String] {
    var seen: Set<String> = []
    return document.list { document in
      let start = document.nextOffset
      guard let name = document.text(TextRules.tagName) else { return nil }
      if !seen.insert(name).inserted {
        document.note(
          .duplicateValue, at: start, "appears twice in this list",
          advice: "keep one; the order of the list is the order of the values")
      }
      return name
    }
  }
}
