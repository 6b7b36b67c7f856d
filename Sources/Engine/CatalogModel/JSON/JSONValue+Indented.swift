extension JSONValue {
  /// The value for people, and for programs that compare lines: a line for each member and element, with those in one line that are
  /// short. It ends with a line feed.
  public var indented: String { text(depth: 0) + "\n" }

  private func text(depth: Int) -> String {
    if depth > 1, description.utf8.count + depth * 2 <= 90 { return spaced }
    let inner = String(repeating: "  ", count: depth + 1)
    let outer = String(repeating: "  ", count: depth)
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map {
        "\(inner)\(JSONValue.string($0.key)): \($0.value.text(depth: depth + 1))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { inner + $0.text(depth: depth + 1) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
    default: return description
    }
  }

  /// In one line, with spaces.
  private var spaced: String {
    switch self {
    case .object(let members):
      "{"
        + members.map { "\(JSONValue.string($0.key)): \($0.value.spaced)" }.joined(separator: ", ")
        + "}"
    case .array(let elements): "[" + elements.map(\.spaced).joined(separator: ", ") + "]"
    default: description
    }
  }
}
