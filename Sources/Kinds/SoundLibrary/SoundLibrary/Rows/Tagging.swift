import Projections

/// The tags that one source gives one item. The join tables have the union over all sources.
struct Tagging: Equatable, Sendable {
  var itemNumber: Int64
  var sourceID: Int64
  var list: TagList

  static let table = TypedTable(
    "projection_tagging", key: ["item_number", "source_id"], indexes: [.lookup(["item_number"])],
    Field("item_number", \Tagging.itemNumber), Field("source_id", \Tagging.sourceID),
    Field("tags", \Tagging.list), make: Tagging.init)

  static let byItem = IndexReference(table: table.description, ordinal: 0)
}
