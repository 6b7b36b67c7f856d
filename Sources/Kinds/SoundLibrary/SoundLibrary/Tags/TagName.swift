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

/// The tags that somebody names for an item, once its kind is known: which dimension is meant may depend on it.
package typealias ItemTagNames = @Sendable (Kind) throws -> [TagName]

/// A name that means no value of a dimension.
struct UnknownTagName: Error {
  let dimension: TagDimension
  let name: String
}
