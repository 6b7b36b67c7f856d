import CatalogModel
import Projections

/// A file of a pack that was downloaded, in the table `local_asset`.
struct LocalAsset: Hashable, Sendable {
  var id: EntityID
  var packID: EntityID
  var address: String
  /// Relative to the catalog's folder.
  var path: String?
  var etag: String?
  var sha256: String?
  var bytes: Int64?
  var createdAt: Timestamp

  static let table = TypedTable(
    "local_asset", key: ["id"],
    indexes: [.index("projection_idx_local_asset_pack", on: ["pack_id"])],
    Field("id", \LocalAsset.id, sql: "TEXT PRIMARY KEY"),
    Field("pack_id", \LocalAsset.packID, references: .to("pack", "id", onDelete: .cascade)),
    Field("remote_url", \LocalAsset.address), Field("local_path", \LocalAsset.path),
    Field("etag", \LocalAsset.etag), Field("sha256", \LocalAsset.sha256),
    Field("bytes_total", \LocalAsset.bytes), Field("created_at", \LocalAsset.createdAt),
    make: LocalAsset.init)
}
