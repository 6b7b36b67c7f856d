import CatalogModel
import Projections

/// A pack of sounds, in the table `pack`.
struct PackRow: Equatable, Sendable {
  var id: EntityID
  var kind: PackKind
  var title: String
  var description: String?
  var artworkURL: String?
  /// The greater one of the seed's version and the manifest's.
  var version: Int64
  var manifestURL: String
  var createdAt: Timestamp

  static let table = TypedTable(
    "pack", key: ["id"],
    Field("id", \PackRow.id, sql: "TEXT PRIMARY KEY"),
    Field("kind", \PackRow.kind, sql: "TEXT NOT NULL CHECK(kind IN ('atmosphere','sfx'))"),
    Field("title", \PackRow.title, isName: true),
    Field("description", \PackRow.description),
    Field("artwork_url", \PackRow.artworkURL), Field("version", \PackRow.version),
    Field("manifest_url", \PackRow.manifestURL), Field("created_at", \PackRow.createdAt),
    make: PackRow.init)
}
