import CatalogModel
import Projections

/// A value of a dimension. Each dimension has a table of its own.
struct DimensionValue: Equatable, Sendable {
  var id: Int64
  var name: String
  var sortOrder: Int64?
  /// Whether a document named it: a value that only a person named is not one of the system.
  var isSystem: Bool
  var createdAt: Timestamp

  static func table(of dimension: TagDimension) -> TypedTable<DimensionValue> {
    tables[dimension.ordinal]
  }

  private static let tables = TagDimension.all.map { dimension in
    TypedTable(
      dimension.table, key: ["id"], indexes: [.lookup(["name"])],
      Field("id", \DimensionValue.id),
      Field("name", \DimensionValue.name, unique: true, isName: true),
      Field("sort_order", \DimensionValue.sortOrder),
      Field("is_system", \DimensionValue.isSystem, default: .integer(1)),
      Field(
        "created_at", \DimensionValue.createdAt, sql: "TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP"),
      make: DimensionValue.init)
  }
}
