import CatalogModel
import Projections

/// A value that an item shows: some source gives it, and no person took it away. Each dimension has a table of its own.
struct ShownTag: Equatable, Sendable {
  var itemID: EntityID
  var value: Int64

  static func table(of dimension: TagDimension) -> TypedTable<ShownTag> {
    tables[dimension.ordinal]
  }

  /// The items that show a value.
  static func byValue(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: table(of: dimension).description, ordinal: 0)
  }

  private static let tables = TagDimension.all.map { dimension in
    TypedTable(
      dimension.joinTable, key: ["item_id", dimension.joinColumn],
      indexes: [.index(dimension.joinIndex, on: [.ascending(dimension.joinColumn)])],
      Field("item_id", \ShownTag.itemID, names: "library_item"),
      Field(dimension.joinColumn, \ShownTag.value, names: dimension.table), make: ShownTag.init)
  }
}
