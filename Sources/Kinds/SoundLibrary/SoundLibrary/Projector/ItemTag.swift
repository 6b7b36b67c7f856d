import CatalogModel
package import Projections

/// A value of a dimension, as an item carries it.
package struct ItemTag: Hashable, Comparable, Sendable {
  package let dimension: TagDimension
  package let value: Int64

  package init(dimension: TagDimension, value: Int64) {
    self.dimension = dimension
    self.value = value
  }

  /// Reads a row of `projection_suppression` or `projection_pack_tag`.
  package init?(suppression row: [Value]) {
    self.init(table: row[1], value: row[2])
  }

  private init?(table: Value, value: Value) {
    guard case .text(let table) = table, case .integer(let value) = value,
      let dimension = TagDimension.all.first(where: { $0.table == table })
    else { return nil }
    self.init(dimension: dimension, value: value)
  }

  /// In the order of dimensions and of ids.
  package static func < (left: ItemTag, right: ItemTag) -> Bool {
    left.dimension != right.dimension
      ? left.dimension.ordinal < right.dimension.ordinal : left.value < right.value
  }
}
