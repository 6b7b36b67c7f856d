/// A collection that a package removes, or from which it takes shows.
public struct LostCollection: Hashable, Sendable {
  public let id: String
  public let name: String
  /// Shows that it has before the import.
  public let shows: Int
  /// Those that it loses: all of them if it is removed.
  public let lostShows: Int
  public let isRemoved: Bool
}
