import CatalogModel

/// A value by the name that a person writes.
public struct TagName: Hashable, Sendable {
  public let dimension: TagDimension
  public let name: String

  public init(_ dimension: TagDimension, _ name: String) {
    self.dimension = dimension
    self.name = name
  }
}
