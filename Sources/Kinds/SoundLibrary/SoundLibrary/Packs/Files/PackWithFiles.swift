import CatalogModel
import CatalogStore
import Projections

/// What the log says of one pack and its files, by rows that are proved.
///
/// Whatever is downloaded, moved or removed is of such rows: nothing else can be made into them.
struct PackWithFiles: Sendable {
  private let pack: PackRow
  private let status: PackStateRow
  /// In the order of their ids.
  let assets: [LocalAsset]

  var id: EntityID { pack.id }
  var kind: PackKind { pack.kind }
  var title: String { pack.title }
  var version: Int64 { pack.version }
  var manifestAddress: String { pack.manifestURL }
  var state: PackState { status.state }
  var installedVersion: Int64? { status.installedVersion }
  var lastError: String? { status.lastError }
  /// Whether the state is that of a pack which was never downloaded, or was deleted.
  var isPristine: Bool {
    status == PackStateRow(packID: status.packID, updatedAt: status.updatedAt)
  }

  /// Nil where the catalog has no such pack.
  init?(_ id: EntityID, in rows: ProvedRows) throws {
    guard let pack = try rows.row(of: PackRow.table, key: id),
      let status = try rows.row(of: PackStateRow.table, key: id)
    else { return nil }
    self.pack = pack
    self.status = status
    assets = try rows.rows(of: LocalAsset.table, where: \.packID, is: id)
  }

  /// All packs of the catalog, in the order of their ids: each has a state from its first event on.
  static func all(in rows: ProvedRows) throws -> [PackWithFiles] {
    let states = try PackState.allCases.flatMap { state in
      try rows.rows(of: PackStateRow.table, where: \.state, is: state)
    }
    return try states.map(\.packID).sorted().compactMap { try PackWithFiles($0, in: rows) }
  }
}

extension LocalAsset {
  /// The name of the file in the pack's folder; nil if the path leads elsewhere.
  var fileName: String? {
    guard let path, let name = path.split(separator: "/").last.map(String.init),
      path == PackFolders.path(name, of: packID)
    else { return nil }
    return name
  }
}
