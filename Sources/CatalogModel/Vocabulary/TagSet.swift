/// The tag values that one source gives one item, by dimension.
///
/// Names of a dimension are unique and sorted by their UTF-8 bytes, so that equal sets have equal
/// events.
package struct TagSet: Hashable, Sendable {
  /// Indexed by `Dimension.ordinal`; always as long as `Dimension.all`.
  private var names: [[String]]

  package init() {
    names = Array(repeating: [], count: Dimension.all.count)
  }

  package subscript(dimension: Dimension) -> [String] {
    get { names[dimension.ordinal] }
    set { names[dimension.ordinal] = Self.canonical(newValue) }
  }

  package var isEmpty: Bool {
    names.allSatisfy(\.isEmpty)
  }

  /// Calls `body` for every value, dimensions in their order, names in theirs.
  package func forEach(_ body: (Dimension, String) throws -> Void) rethrows {
    for dimension in Dimension.all {
      for name in names[dimension.ordinal] { try body(dimension, name) }
    }
  }

  private static func canonical(_ names: [String]) -> [String] {
    guard names.count > 1 else { return names }
    var sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    // `String ==` holds canonically equivalent strings equal; names are NFC here, where that is
    // the same as equality of bytes.
    sorted = sorted.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    return sorted
  }
}
