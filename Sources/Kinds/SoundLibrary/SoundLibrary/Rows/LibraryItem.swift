import CatalogModel
import Projections

/// An entry of the library, in the table `library_item`.
struct LibraryItem: Equatable, Sendable {
  var id: EntityID
  var kind: Kind
  var title: String
  var subtitle: String?
  /// In seconds.
  var duration: Double?
  var artworkURL: String?
  var isVisible: Bool
  var createdAt: Timestamp
  var updatedAt: Timestamp

  static let table = TypedTable(
    "library_item", key: ["id"], indexes: [.index("idx_library_item_kind", on: ["kind"])],
    Field("id", \LibraryItem.id, sql: "TEXT PRIMARY KEY"),
    Field(
      "kind", \LibraryItem.kind,
      sql: "TEXT NOT NULL CHECK(kind IN ('music','atmosphere','sfx'))"),
    Field("title", \LibraryItem.title, isName: true),
    Field("subtitle", \LibraryItem.subtitle), Field("duration", \LibraryItem.duration),
    Field("artwork_url", \LibraryItem.artworkURL),
    Field("is_visible", \LibraryItem.isVisible, default: .integer(1)),
    Field("created_at", \LibraryItem.createdAt),
    Field("updated_at", \LibraryItem.updatedAt, isChangeStamp: true), make: LibraryItem.init)
}
