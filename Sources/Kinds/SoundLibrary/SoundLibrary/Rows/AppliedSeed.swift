import CatalogModel
import Projections

/// The seed document that was imported last, by the id that its revisions share.
struct AppliedSeed: Equatable, Sendable {
  var seedID: String
  var revision: Int64
  var sha256: String
  var importedAt: Timestamp

  static let table = TypedTable(
    "projection_seed", key: ["seed_id"], Field("seed_id", \AppliedSeed.seedID),
    Field("revision", \AppliedSeed.revision), Field("sha256", \AppliedSeed.sha256),
    Field("imported_at", \AppliedSeed.importedAt), make: AppliedSeed.init)
}
