import CatalogModel
import Projections

/// A tag that a manifest gives to its whole pack, and so to the items that join the pack later.
struct PackTag: Equatable, Sendable {
  var packID: EntityID
  var tag: ItemTag

  static let table = TypedTable(
    "projection_pack_tag", key: ["pack_id", "dimension", "value_id"],
    indexes: [
      .lookup(["pack_id"]),
      .index("projection_idx_pack_tag_value", on: ["dimension", "value_id"]),
    ],
    Field("pack_id", \PackTag.packID), Field("dimension", \PackTag.tag.dimension),
    Field("value_id", \PackTag.tag.value),
    make: { PackTag(packID: $0, tag: ItemTag(dimension: $1, value: $2)) })

  static let byPack = IndexReference(table: table.description, ordinal: 0)
  static let byValue = IndexReference(table: table.description, ordinal: 1)
}
