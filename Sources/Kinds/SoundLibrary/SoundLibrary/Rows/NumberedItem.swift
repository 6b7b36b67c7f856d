import CatalogModel
import Projections

/// The dense number of an item, since implicit rowids are not stable under VACUUM. The table is narrow, so that an index
/// reads quickly what it asks of each item.
struct NumberedItem: Equatable, Sendable {
  var number: Int64
  var itemID: EntityID
  var sourceID: Int64
  var kind: Kind
  var isVisible: Bool

  static let table = TypedTable(
    "projection_item", key: ["number"],
    indexes: [.lookup(["item_id"]), .index("projection_idx_item_source", on: ["source_id"])],
    Field("number", \NumberedItem.number),
    Field("item_id", \NumberedItem.itemID, unique: true, names: "library_item"),
    Field("source_id", \NumberedItem.sourceID, names: "projection_source"),
    Field("kind", \NumberedItem.kind), Field("is_visible", \NumberedItem.isVisible),
    make: NumberedItem.init)

  static let byItem = IndexReference(table: table.description, ordinal: 0)
}
