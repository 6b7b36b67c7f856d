public import CatalogModel

extension Kind: PayloadValue {}

extension PackKind: PayloadValue {}

/// Its key.
extension TagDimension: PayloadValue {
  public static var schema: JSONValue {
    .members(["enum": .array(all.map { .string($0.key) })])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> TagDimension {
    let key = try String.read(value)
    guard let dimension = named(key) else {
      throw PayloadReader.Problem(
        path: "", message: "\"\(JSONExcerpt.printable(key))\" is not a dimension")
    }
    return dimension
  }

  public static func read(canonical line: inout CanonicalLineReader) -> TagDimension? {
    String.read(canonical: &line).flatMap(named)
  }

  public func write(to data: inout PayloadWriter) { key.write(to: &data) }
}

/// Names by dimension. Dimensions without names are left out.
extension TagSet: PayloadValue {
  public static var schema: JSONValue {
    .members([
      "type": .string("object"), "additionalProperties": .bool(false),
      "properties": .object(
        TagDimension.all.map { JSONValue.Member(key: $0.key, value: [String].schema) }),
    ])
  }

  /// Names in any order, repeated ones counted once: a set is a set however it is written.
  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> TagSet {
    var data = try PayloadReader(value, path: "")
    var tags = TagSet()
    for dimension in TagDimension.all {
      if let names = try data.stringsIfPresent(dimension.key) { tags[dimension] = names }
    }
    try data.finish()
    return tags
  }

  public func write(to data: inout PayloadWriter) { data.write { $0.tags(self) } }

  public static var isLimited: Bool { true }

  public func excess(isNew: Bool) -> PayloadReader.Problem? {
    guard holdsNames(beyond: TextRules.nameLimit) else { return nil }
    return PayloadReader.Problem(
      path: "", message: "has a name of more than \(TextRules.nameLimit) bytes")
  }
}
