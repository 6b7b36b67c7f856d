import CatalogModel
import Projections

/// The manifest of a pack that was applied last: the next one must not be older.
struct AppliedManifest: Equatable, Sendable {
  var packID: EntityID
  var version: Int64
  var sha256: String
  var totalBytes: Int64
  var assets: Int64

  static let table = TypedTable(
    "projection_manifest", key: ["pack_id"], Field("pack_id", \AppliedManifest.packID),
    Field("version", \AppliedManifest.version), Field("sha256", \AppliedManifest.sha256),
    Field("total_bytes", \AppliedManifest.totalBytes), Field("assets", \AppliedManifest.assets),
    make: AppliedManifest.init)
}
