package import CatalogModel

/// A value of a dimension, as an item carries it.
package struct ItemTag: Hashable, Sendable {
  package let dimension: TagDimension
  package let value: Int64

  package init(dimension: TagDimension, value: Int64) {
    self.dimension = dimension
    self.value = value
  }

  /// Reads a row of `projection_item_tag`.
  package init?(row: [Value]) {
    guard case .text(let table) = row[2], case .integer(let value) = row[3],
      let dimension = TagDimension.all.first(where: { $0.table == table })
    else { return nil }
    self.init(dimension: dimension, value: value)
  }
}
