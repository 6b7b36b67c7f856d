import CatalogModel

/// What the parsers of all sorts of documents share: values that are held to a rule.
protocol DocumentParser {
  var json: JSONReader { get set }
}

extension DocumentParser {
  /// Reads a string and holds it to a rule.
  mutating func text(
    _ rule: (String) throws(TextProblem) -> String
  ) throws(JSONError) -> String {
    let start = json.nextOffset
    let text = try json.readString()
    do throws(TextProblem) {
      return try rule(text)
    } catch {
      throw JSONError(.invalidValue, at: start, error.message, advice: error.advice)
    }
  }

  mutating func optionalText(
    _ rule: (String) throws(TextProblem) -> String
  ) throws(JSONError) -> String? {
    try json.readNull() ? nil : try text(rule)
  }

  /// Reads a whole number up to `NumberRules.greatest`.
  mutating func integer(atLeast bound: Int64) throws(JSONError) -> Int64 {
    let start = json.nextOffset
    let advice = "write a whole number from \(bound) to \(NumberRules.greatest)"
    let value = try json.readInt64(advice: advice)
    guard value >= bound, value <= NumberRules.greatest else {
      throw JSONError(
        .invalidValue, at: start, value < bound ? "is too small" : "is too large", advice: advice)
    }
    return value
  }

  /// Reads a UUID that may stand once in `seen`.
  mutating func entityID(
    _ seen: WritableKeyPath<Self, Set<EntityID>>, what: String
  ) throws(JSONError) -> EntityID {
    let start = json.nextOffset
    let text = try json.readText()
    let found =
      text.hasEscapes
      ? EntityID(utf8: json.decodedBytes(text)) : EntityID(utf8: json.raw(text))
    guard let id = found else {
      throw JSONError(
        .invalidValue, at: start, "is not a UUID",
        advice: "write it as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in hexadecimal digits")
    }
    guard self[keyPath: seen].insert(id).inserted else {
      throw JSONError(
        .duplicateValue, at: start, "is the id of another \(what) of this document",
        advice: "give each \(what) its own UUID")
    }
    return id
  }

  func missing(_ key: some RawRepresentable<String>, at offset: Int) -> JSONError {
    JSONError(
      .missingKey, at: offset, showsValue: false, "the key \"\(key.rawValue)\" is missing",
      advice: "add it")
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
        .unknownKey, at: key.offset, "is not a key of an item's tags",
        advice: "write \"\(dimension.tagKey)\" here")
    }
    return JSONError(
      .unknownKey, at: key.offset, "is not a dimension of \(article) \(kind.rawValue) item",
      advice: NearMiss.advice(for: word, among: known))
  }
}
