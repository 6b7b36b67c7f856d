/// How many events there are of each type, in the order in which the types appeared first.
///
/// ```swift
/// let counts: EventCounts = ["track.added": 12, "playlist.created": 1]
/// counts.total            // 13
/// counts["track.added"]   // 12
/// counts["track.removed"] // 0
/// ```
public struct EventCounts: RandomAccessCollection, Hashable, Sendable {
  private var types: [String] = []
  private var counts: [Int] = []

  public init() {}

  /// - Parameter types: the type of each event.
  public init(of types: some Sequence<String>) {
    for type in types { add(type) }
  }

  package mutating func add(_ type: String, _ count: Int = 1) {
    // Events of one type follow each other, mostly.
    if let place = types.lastIndex(of: type) {
      counts[place] += count
    } else {
      types.append(type)
      counts.append(count)
    }
  }

  /// Adds the counts of another import.
  public mutating func add(_ others: EventCounts) {
    for other in others { add(other.type, other.count) }
  }

  /// Counts with some types first, in the order of these.
  public func ordered(by first: [String]) -> EventCounts {
    var ordered = EventCounts()
    for type in first where self[type] > 0 { ordered.add(type, self[type]) }
    for other in self where !first.contains(other.type) { ordered.add(other.type, other.count) }
    return ordered
  }

  /// The counts in the order of the types' names.
  package var byName: [Element] { sorted { $0.type < $1.type } }

  /// The counts, the most frequent type first.
  package var byFrequency: [Element] { sorted { ($1.count, $0.type) < ($0.count, $1.type) } }

  /// The events of all types.
  public var total: Int { counts.reduce(0, +) }

  /// 0 for a type of which there is no event.
  public subscript(type: String) -> Int { types.firstIndex(of: type).map { counts[$0] } ?? 0 }

  public var startIndex: Int { 0 }
  public var endIndex: Int { types.count }
  public subscript(place: Int) -> (type: String, count: Int) { (types[place], counts[place]) }

  private var byType: [String: Int] { Dictionary(uniqueKeysWithValues: zip(types, counts)) }

  /// Equal if each type has as many events, in whatever order.
  public static func == (left: EventCounts, right: EventCounts) -> Bool {
    left.byType == right.byType
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(byType) }
}

extension EventCounts: Encodable {
  /// An object with a member for each type.
  public func encode(to encoder: any Encoder) throws { try byType.encode(to: encoder) }
}

extension EventCounts: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Int)...) {
    for (type, count) in elements { add(type, count) }
  }
}
