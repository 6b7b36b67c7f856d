/// A value of a dimension: data, never an enum.
public struct TagValue: Hashable, Sendable {
  public let id: Int64
  public let name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }
}
