import CatalogModel
import CatalogStore
import Projections

/// What the log says of one pack and its files, by rows that are proved.
///
/// Whatever is downloaded, moved or removed is of such rows: nothing else can be made into them.
struct PackRows: Sendable {
  struct Asset: Hashable, Sendable {
    let id: EntityID
    let address: String
    /// Relative to the catalog's folder.
    let path: String?
    let tag: String?
    let sha256: String?
    let bytes: Int64?

    /// The name of the file in the pack's folder; nil if the path leads elsewhere.
    func fileName(in pack: EntityID) -> String? {
      guard let path, let name = path.split(separator: "/").last.map(String.init),
        path == PackFolders.path(name, of: pack)
      else { return nil }
      return name
    }
  }

  let id: EntityID
  let kind: Kind
  let title: String
  let version: Int64
  let manifestAddress: String
  let state: PackState
  let installedVersion: Int64?
  let lastError: String?
  /// Whether the state row tells of nothing at all.
  let isPristine: Bool
  /// In the order of their ids.
  let assets: [Asset]

  /// Nil where the catalog has no such pack.
  init?(_ id: EntityID, in rows: ProvedRows) throws {
    typealias Tables = SoundLibrarySchema
    guard let pack = try rows.row(in: Tables.pack, key: [.id(id)]),
      let state = try rows.row(in: Tables.packState, key: [.id(id)]),
      case .text(let kindName) = pack[1], let kind = Kind(rawValue: kindName),
      case .text(let title) = pack[2], case .integer(let version) = pack[5],
      case .text(let address) = pack[6], case .text(let name) = state[1]
    else { return nil }
    guard let known = PackState(rawValue: name) else {
      throw StoreError.drifted(
        Tables.packState.name, key: [("pack_id", .text(id.description))], "state", is: .text(name),
        shouldBe: "one of " + PackState.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.id = id
    self.kind = kind
    self.title = title
    self.version = version
    self.manifestAddress = address
    self.state = known
    installedVersion = state[4].number
    lastError = state[5].string
    isPristine = known == .notDownloaded && state[2...5].allSatisfy { $0 == .null }
    assets = try rows.rows(by: Tables.localAssetsByPack, equal: [.id(id)]).compactMap { row in
      guard case .id(let asset) = row[0], case .text(let address) = row[2] else { return nil }
      return Asset(
        id: asset, address: address, path: row[3].string, tag: row[4].string,
        sha256: row[5].string, bytes: row[6].number)
    }
    .sorted { $0.id < $1.id }
  }

  /// All packs of the catalog, in the order of their ids: each has a state from its first event on.
  static func all(in rows: ProvedRows) throws -> [PackRows] {
    let ids = try PackState.allCases.flatMap { state in
      try rows.rows(by: SoundLibrarySchema.packStatesByState, equal: [.text(state.rawValue)])
    }
    .compactMap { row in if case .id(let pack) = row[0] { pack } else { nil } }
    return try ids.sorted().compactMap { try PackRows($0, in: rows) }
  }
}

extension Value {
  fileprivate var number: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  fileprivate var string: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
