/// The order of a list. Items that are equal in it are ordered by id, always ascending.
public struct Sort: Hashable, Sendable {
  public enum Key: String, CaseIterable, Hashable, Sendable {
    /// By folded words: case, accents and punctuation do not count.
    case title
    case created
    case updated
    /// Items without a duration come last in either direction.
    case duration

    /// The column of `library_item` that has it; titles are sorted by another.
    var column: String {
      switch self {
      case .title: "title"
      case .created: "created_at"
      case .updated: "updated_at"
      case .duration: "duration"
      }
    }
  }

  public var key: Key
  public var isDescending: Bool

  public init(_ key: Key, descending: Bool = false) {
    self.key = key
    isDescending = descending
  }

  public static let title = Sort(.title)
  public static let created = Sort(.created)
  public static let updated = Sort(.updated)
  public static let duration = Sort(.duration)

  public static func descending(_ key: Key) -> Sort {
    Sort(key, descending: true)
  }
}
