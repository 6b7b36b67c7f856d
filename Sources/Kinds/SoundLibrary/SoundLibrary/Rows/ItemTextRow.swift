import Projections

/// The folded words of an item: the full-text index has them, and lists are sorted by those of the title.
struct ItemTextRow: Equatable, Sendable {
  var number: Int64
  var title: String
  var titleVariants: String
  var subtitle: String

  static let table = TypedTable(
    "projection_item_text", key: ["number"],
    indexes: [.index("projection_idx_item_text_title", on: ["title"])],
    Field("number", \ItemTextRow.number), Field("title", \ItemTextRow.title),
    Field("title_variants", \ItemTextRow.titleVariants),
    Field("subtitle", \ItemTextRow.subtitle), make: ItemTextRow.init)
}
