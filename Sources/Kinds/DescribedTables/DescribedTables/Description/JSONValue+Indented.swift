import CatalogModel

extension JSONValue {
  /// The value for a person: a member a line, and short arrays and objects in one line.
  package var indented: String { text(depth: 0) + "\n" }

  private func text(depth: Int) -> String {
    let line = description
    if line.utf8.count + depth * 2 <= 90, depth > 1 { return spaced }
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
    default: return line
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
