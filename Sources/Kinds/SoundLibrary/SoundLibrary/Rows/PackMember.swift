import CatalogModel
import Projections

/// An item of a pack, in the table `pack_item`.
struct PackMember: Equatable, Sendable {
  var packID: EntityID
  var itemID: EntityID
  /// From 0 on, in each pack.
  var sortOrder: Int64

  static let table = TypedTable(
    "pack_item", key: ["pack_id", "item_id"],
    indexes: [
      .index("idx_pack_item_pack", on: ["pack_id"]),
      .index("projection_idx_pack_item_item", on: ["item_id"]),
    ],
    Field("pack_id", \PackMember.packID, references: .to("pack", "id", onDelete: .cascade)),
    Field("item_id", \PackMember.itemID, references: .to("library_item", "id", onDelete: .cascade)),
    Field("sort_order", \PackMember.sortOrder), make: PackMember.init)

  /// Finds the packs of an item. An import looks for those of each of its items.
  static let byItem = IndexReference(table: table.description, ordinal: 1)
}
