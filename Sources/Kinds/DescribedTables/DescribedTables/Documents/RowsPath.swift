import CatalogModel

/// The place of a table's rows in a document of JSON.
///
/// `a.b` is a member; `{x}` each member of an object, whose name is the column x; `[]` each element of an array; `[x]` each
/// object of an array, whose member x is the column x; `[x=m.id]` each object, whose member m.id is the column x; `[x, y=b]`
/// each object, of which several members are columns; `[#n]` each element, whose place from 0 is the column n; `@` the value
/// itself. A name with one of these characters is in quotes: `"a.b"`.
package struct RowsPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case member(String)
    case members(column: String)
    case elements
    case elementsByMembers([MemberColumn])
    case elementsByPlace(column: String)
  }

  /// A column that has the value of a member of each object of an array.
  package struct MemberColumn: Hashable, Sendable {
    package var column: String
    /// The names of the members that lead to the value.
    package var member: [String]

    package init(_ column: String, _ member: [String]) {
      self.column = column
      self.member = member
    }
  }

  package let steps: [Step]

  /// The columns that the path gives.
  package var columns: [String] {
    steps.flatMap { step -> [String] in
      switch step {
      case .members(let column), .elementsByPlace(let column): [column]
      case .elementsByMembers(let members): members.map(\.column)
      case .member, .elements: []
      }
    }
  }

  /// Whether the rows are within the elements of another array.
  var isBelowElements: Bool {
    steps.dropLast().contains {
      switch $0 {
      case .elements, .elementsByMembers, .elementsByPlace: true
      case .member, .members: false
      }
    }
  }

  /// The member of an object above the rows that is a column's value, as it is written; nil if the path takes none.
  func member(of column: String) -> String? {
    for case .elementsByMembers(let members) in steps.dropLast() {
      if let found = members.first(where: { $0.column == column }) {
        return found.member.joined(separator: ".")
      }
    }
    return nil
  }

  /// The members on the way, if each step is one; nil otherwise.
  var members: [String]? {
    var members: [String] = []
    for step in steps {
      guard case .member(let name) = step else { return nil }
      members.append(name)
    }
    return members
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
          guard let members = Self.memberColumns(name) else { return nil }
          steps.append(.elementsByMembers(members))
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

  /// Reads the columns within brackets: `id`, `order_id=id`, `shop, number=head.number`.
  ///
  /// - Returns: nil if the text names no column, or no member for one.
  private static func memberColumns(_ text: String) -> [MemberColumn]? {
    var columns: [MemberColumn] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.trimmingSpaces }
      guard let column = sides.first, !column.isEmpty else { return nil }
      guard sides.count > 1 else {
        columns.append(MemberColumn(column, [column]))
        continue
      }
      guard let member = RowsPath(sides[1])?.members, !member.isEmpty else { return nil }
      columns.append(MemberColumn(column, member))
    }
    return columns
  }

  /// The advice for a text that is no path.
  static let advice =
    "write it like products.{sku}, items[], orders[order_id=id].lines[], or a.b: {x} is each member, [] each element"
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
