import CatalogModel
public import CatalogStore
import GRDB
import Support

public import struct Foundation.UUID

/// A pack with its visible items, in the pack's order.
public struct PackDetail: Hashable, Sendable {
  public let pack: PackWithState
  public let items: [LibraryItemRow]
}

/// Reads packs and their state.
public struct PackRepository: Sendable {
  private let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// The packs of a kind by title.
  ///
  /// - Throws: `StoreError` with `invalidRequest` for music, which comes in no packs.
  public func listPacks(kind: Kind) async throws -> [PackWithState] {
    try await reader.read { try Self.packs($0, kind) }
  }

  /// - Throws: `StoreError` with `notFound`.
  public func packDetail(packId: UUID) async throws -> PackDetail {
    try await reader.read { try Self.detail($0, EntityID(packId)) }
  }

  /// Whether some version of the pack can be played, whatever becomes of a newer one.
  ///
  /// - Throws: `StoreError` with `notFound`.
  public func isPackInstalled(packId: UUID) async throws -> Bool {
    try await reader.read { try Self.pack($0, EntityID(packId)).isInstalled }
  }

  public func observePacks(kind: Kind) -> CatalogObservation<[PackWithState]> {
    reader.observe { try Self.packs($0, kind) }
  }

  public func observePack(packId: UUID) -> CatalogObservation<PackDetail> {
    reader.observe { try Self.detail($0, EntityID(packId)) }
  }

  private static func packs(_ database: Database, _ kind: Kind) throws -> [PackWithState] {
    guard kind != .music else {
      throw StoreError(
        .invalidRequest, "packs hold no music; choose atmosphere or sfx")
    }
    return try PackWithState.fetch(database, kind: kind)
  }

  private static func pack(_ database: Database, _ id: EntityID) throws -> PackWithState {
    guard
      let pack = try PackWithState.find(database, where: "pack.id = ?", [id.description])
    else {
      throw StoreError(.notFound, "there is no pack \(id); \(do: .listPacks) lists them")
    }
    return pack
  }

  private static func detail(_ database: Database, _ id: EntityID) throws -> PackDetail {
    PackDetail(
      pack: try pack(database, id),
      items: try database.rows(
        of: LibraryItemRow.origin,
        """
        SELECT \(LibraryItemRow.columns) FROM pack_item AS member
        CROSS JOIN library_item AS item ON item.id = member.item_id
        WHERE member.pack_id = ? AND item.is_visible = 1 ORDER BY member.sort_order
        """, [id.description], LibraryItemRow.init))
  }
}
