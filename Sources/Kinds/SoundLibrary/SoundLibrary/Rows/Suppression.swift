import Projections

/// A tag that a person took from an item, whatever sources give it.
struct Suppression: Equatable, Sendable {
  var itemNumber: Int64
  var tag: ItemTag

  static let table = TypedTable(
    "projection_suppression", key: ["item_number", "dimension", "value_id"],
    indexes: [
      .lookup(["item_number"]),
      .index("projection_idx_suppression_value", on: ["dimension", "value_id"]),
    ],
    Field("item_number", \Suppression.itemNumber),
    Field("dimension", \Suppression.tag.dimension), Field("value_id", \Suppression.tag.value),
    make: { Suppression(itemNumber: $0, tag: ItemTag(dimension: $1, value: $2)) })

  static let byItem = IndexReference(table: table.description, ordinal: 0)
  static let byValue = IndexReference(table: table.description, ordinal: 1)
}
