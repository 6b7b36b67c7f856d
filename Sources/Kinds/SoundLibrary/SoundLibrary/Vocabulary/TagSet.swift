/// The tag values that one source gives one item, by dimension.
///
/// Names of a dimension are unique and sorted by their UTF-8 bytes, so that equal sets have equal
/// events.
public struct TagSet: Hashable, Sendable {
  private struct Entry: Hashable {
    let dimension: TagDimension
    let name: String
  }

  /// Sorted by dimension, then by name. One flat array rather than one a dimension: a catalog holds
  /// several sets an item, and allocations are what they cost.
  private var entries: [Entry] = []

  /// No values.
  public init() {}

  /// The names of a dimension, sorted by their bytes.
  public subscript(dimension: TagDimension) -> [String] {
    get { entries.filter { $0.dimension == dimension }.map(\.name) }
    set {
      let before = entries.firstIndex { $0.dimension.ordinal >= dimension.ordinal } ?? entries.count
      let after = entries.firstIndex { $0.dimension.ordinal > dimension.ordinal } ?? entries.count
      let names = Self.canonical(newValue)
      entries.replaceSubrange(
        before..<after, with: names.map { Entry(dimension: dimension, name: $0) })
    }
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// How many values the set has, over all dimensions.
  public var count: Int { entries.count }

  /// Whether any name has more bytes of UTF-8 than that.
  func holdsNames(beyond limit: Int) -> Bool {
    for entry in entries where entry.name.utf8.count > limit { return true }
    return false
  }

  /// Calls `body` for every value, dimensions in their order, names in theirs.
  public func forEachValue(_ body: (TagDimension, String) throws -> Void) rethrows {
    for entry in entries { try body(entry.dimension, entry.name) }
  }

  /// Adds a value if it comes behind all values that the set has; otherwise changes nothing and
  /// returns false. For readers of canonical events, which hold their values in order.
  mutating func appendInOrder(_ name: String, of dimension: TagDimension) -> Bool {
    if let last = entries.last {
      guard last.dimension.ordinal <= dimension.ordinal else { return false }
      if last.dimension == dimension, !Self.precedes(last.name, name) { return false }
    } else {
      // One allocation for most sets.
      entries.reserveCapacity(6)
    }
    entries.append(Entry(dimension: dimension, name: name))
    return true
  }

  private static func canonical(_ names: [String]) -> [String] {
    if zip(names, names.dropFirst()).allSatisfy({ precedes($0, $1) }) { return names }
    // Neighbours are compared by bytes: `String ==` would hold canonically equivalent spellings
    // equal and drop one.
    return names.sorted(by: precedes).reduce(into: []) { unique, name in
      if let last = unique.last, !precedes(last, name) { return }
      unique.append(name)
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
