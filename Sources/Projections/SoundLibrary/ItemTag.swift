package import CatalogModel

/// A value of a dimension, as an item carries it.
package struct ItemTag: Hashable, Comparable, Sendable {
  /// A `TagDimension` is many references to copy and to compare; a rebuild makes millions of these.
  private let ordinal: Int
  package let value: Int64

  package var dimension: TagDimension { TagDimension.all[ordinal] }

  package init(dimension: TagDimension, value: Int64) {
    ordinal = dimension.ordinal
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
    left.ordinal != right.ordinal ? left.ordinal < right.ordinal : left.value < right.value
  }
}
