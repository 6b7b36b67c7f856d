import CatalogModel

extension DocumentReader {
  /// Reads the tags of an item; a name that is twice in one list is one tag.
  mutating func tags(of kind: Kind) -> TagSet {
    let dimensions = TagDimension.all(of: kind)
    var tags = TagSet()
    guard var object = object() else { return tags }
    while let key = nextKey(in: &object) {
      guard let dimension = dimensions.first(where: { json.matches(key, $0.tagKeyBytes) }) else {
        note(unknownTagKey: key, kind: kind)
        skip()
        continue
      }
      tags[dimension] = list { $0.text(TextRules.tagName) }
    }
    return tags
  }

  private mutating func note(unknownTagKey key: JSONText, kind: Kind) {
    let word = json.decode(key)
    let known = TagDimension.all(of: kind).map(\.tagKey)
    let article = kind == .atmosphere ? "an" : "a"
    if TagDimension.all.contains(where: { $0.tagKey == word }) {
      note(
        .unknownKey, at: key.offset,
        "is a dimension that \(article) \(kind.rawValue) item does not have",
        advice: "it has \(known.joined(separator: ", "))")
    } else if let dimension = TagDimension.named(word), dimension.kinds.contains(kind) {
      note(
        .unknownKey, at: key.offset, "is not a key of an item's tags",
        advice: "write \"\(dimension.tagKey)\" here")
    } else {
      note(
        .unknownKey, at: key.offset, "is not a dimension of \(article) \(kind.rawValue) item",
        advice: NearMiss.advice(for: word, among: known))
    }
  }
}
