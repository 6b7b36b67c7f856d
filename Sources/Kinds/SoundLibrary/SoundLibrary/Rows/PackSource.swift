import CatalogModel
import Projections

/// The source that brought a pack: no other one may change it.
struct PackSource: Equatable, Sendable {
  var packID: EntityID
  var sourceID: Int64

  static let table = TypedTable(
    "projection_pack", key: ["pack_id"], Field("pack_id", \PackSource.packID),
    Field("source_id", \PackSource.sourceID), make: PackSource.init)
}
