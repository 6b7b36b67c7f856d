import CatalogModel
import Projections

/// The state of a pack on this machine, in the table `pack_state`: each pack has a row from its first event on.
struct PackStateRow: Equatable, Sendable {
  var packID: EntityID
  var state: PackState = .notDownloaded
  var bytesTotal: Int64?
  var bytesDownloaded: Int64?
  var installedVersion: Int64?
  var lastError: String?
  var updatedAt: Timestamp

  static let table = TypedTable(
    "pack_state", key: ["pack_id"], indexes: [.index("idx_pack_state_state", on: ["state"])],
    Field(
      "pack_id", \PackStateRow.packID, names: "pack",
      sql: "TEXT PRIMARY KEY REFERENCES pack(id) ON DELETE CASCADE"),
    Field(
      "state", \PackStateRow.state,
      sql: "TEXT NOT NULL CHECK(state IN ('not_downloaded','downloading','downloaded','failed'))"),
    Field("bytes_total", \PackStateRow.bytesTotal),
    Field("bytes_downloaded", \PackStateRow.bytesDownloaded),
    Field("installed_version", \PackStateRow.installedVersion),
    Field("last_error", \PackStateRow.lastError),
    Field("updated_at", \PackStateRow.updatedAt, isChangeStamp: true), make: PackStateRow.init)
}
