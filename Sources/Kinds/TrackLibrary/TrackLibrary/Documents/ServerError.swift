import CatalogEngine

/// What a server said instead of an answer.
enum ServerError {
  /// - Parameter root: a whole document: `{"error": {…}}` of Spotify, `{"errors": […]}` of Apple Music.
  /// - Returns: nil for a document that holds something else.
  static func message(of root: JSONNode) -> String? {
    guard root["data"] == nil, root["items"] == nil, root["tracks"] == nil else { return nil }
    return message(of: root["errors"]) ?? root["error"].flatMap { words(of: $0, ["message"]) }
  }

  /// - Parameter errors: the member `errors` of an answer of Apple Music.
  static func message(of errors: JSONNode?) -> String? {
    guard let first = try? errors?.elements().first else { return nil }
    return words(of: first, ["title", "detail"])
  }

  private static func words(of error: JSONNode, _ keys: [String]) -> String {
    let words = (["status"] + keys).compactMap { key -> String? in
      switch error[key]?.value {
      case .string(let text), .number(let text): JSONExcerpt.words(text)
      default: nil
      }
    }
    return words.isEmpty
      ? JSONExcerpt.printable(error.value.description) : words.joined(separator: " ")
  }
}
