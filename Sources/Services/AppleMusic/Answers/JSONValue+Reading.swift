import CatalogModel

extension JSONValue {
  /// The text; nil if this is no string.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The text of a string or a number.
  var scalar: String? {
    guard case .number(let text) = self else { return text }
    return text
  }

  /// The elements; nil if this is no array.
  var elements: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }
}
