import CatalogModel

/// A value of a dimension, as an item carries it.
struct ItemTag: Hashable, Comparable, Sendable {
  let dimension: TagDimension
  let value: Int64

  /// In the order of dimensions and of ids.
  static func < (left: ItemTag, right: ItemTag) -> Bool {
    left.dimension != right.dimension
      ? left.dimension.ordinal < right.dimension.ordinal : left.value < right.value
  }
}
