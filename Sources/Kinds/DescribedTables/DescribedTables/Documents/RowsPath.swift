import CatalogModel

/// The place of a table's rows in a document of JSON.
///
/// `a.b` is a member; `{x}` each member of an object, whose name is the column x; `[]` each element of an array; `[x]` each
/// object of an array, whose member x is the column x; `[#n]` each element, whose place from 0 is the column n; `@` the
/// value itself. A name with one of these characters is in quotes: `"a.b"`.
package struct RowsPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case member(String)
    case members(column: String)
    case elements
    case elementsByMember(column: String)
    case elementsByPlace(column: String)
  }

  package let steps: [Step]

  /// The columns that the path gives.
  package var columns: [String] {
    steps.compactMap {
      switch $0 {
      case .members(let column), .elementsByMember(let column), .elementsByPlace(let column): column
      case .member, .elements: nil
      }
    }
  }

  /// Reads a path.
  ///
  /// - Returns: nil if it is none.
  package init?(_ text: String) {
    var steps: [Step] = []
    var rest = Substring(text).unicodeScalars[...]
    func take(until end: Unicode.Scalar) -> String? {
      guard let close = rest.firstIndex(of: end) else { return nil }
      defer { rest = rest[rest.index(after: close)...] }
      return String(rest[..<close])
    }
    if text == "@" || text.isEmpty {
      self.steps = []
      return
    }
    var needsDot = false
    while let first = rest.first {
      switch first {
      case "[":
        rest = rest.dropFirst()
        guard let name = take(until: "]") else { return nil }
        if name.isEmpty {
          steps.append(.elements)
        } else if name.hasPrefix("#") {
          guard name.count > 1 else { return nil }
          steps.append(.elementsByPlace(column: String(name.dropFirst())))
        } else {
          steps.append(.elementsByMember(column: name))
        }
        needsDot = true
        continue
      case ".":
        guard needsDot, rest.count > 1 else { return nil }
        rest = rest.dropFirst()
      default:
        if needsDot { return nil }
      }
      guard let next = rest.first else { return nil }
      switch next {
      case "{":
        rest = rest.dropFirst()
        guard let name = take(until: "}"), !name.isEmpty else { return nil }
        steps.append(.members(column: name))
      case "\"":
        rest = rest.dropFirst()
        guard let name = take(until: "\"") else { return nil }
        steps.append(.member(name))
      default:
        let name = rest.prefix { !".[]{}\"".unicodeScalars.contains($0) }
        guard !name.isEmpty else { return nil }
        rest = rest[name.endIndex...]
        steps.append(.member(String(name)))
      }
      needsDot = true
    }
    self.steps = steps
  }

  /// The advice for a text that is no path.
  static let advice =
    "write it like products.{sku}, items[], or a.b: {x} is each member, [] each element"
}
