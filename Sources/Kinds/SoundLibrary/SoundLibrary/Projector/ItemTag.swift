import CatalogModel

/// A value of a dimension, as an item carries it.
package struct ItemTag: Hashable, Comparable, Sendable {
  package let dimension: TagDimension
  package let value: Int64

  package init(dimension: TagDimension, value: Int64) {
    self.dimension = dimension
    self.value = value
  }

  /// In the order of dimensions and of ids.
  package static func < (left: ItemTag, right: ItemTag) -> Bool {
    left.dimension != right.dimension
      ? left.dimension.ordinal < right.dimension.ordinal : left.value < right.value
  }
}
