import CatalogModel
public import CatalogStore
import GRDB
import Projections
import Support

public import struct Foundation.UUID

/// Everything that the catalog says of one item.
public struct ItemDetail: Hashable, Sendable {
  /// A value that an item has, and who says so.
  public struct Tag: Hashable, Sendable {
    public let value: TagValue
    /// `seed:<seedId>`, `manifest:<packId>` or `person`, in the order of the alphabet; may be empty for
    /// a tag that is suppressed.
    public let sources: [String]
  }

  public struct DimensionTags: Hashable, Sendable {
    public let dimension: TagDimension
    /// By name.
    public let tags: [Tag]
    /// What a person took from the item, whatever sources give it.
    public let suppressed: [Tag]
  }

  /// The installed audio of an item.
  public struct LocalAudio: Hashable, Sendable {
    /// Relative to the catalog's folder; nil while it is not downloaded.
    public let path: String?
    public let codec: String?
    /// In Hz.
    public let sampleRate: Int?
    public let channels: Int?
    public let isLoopable: Bool
  }

  public let item: LibraryItemRow
  public let isVisible: Bool
  /// One for each dimension that the kind has.
  public let dimensions: [DimensionTags]
  /// The pack that brings the audio; where several do, the one that is installed, or else the one that
  /// is furthest on its way. Nil for music.
  public let pack: PackWithState?
  public let audio: LocalAudio?
  /// The Apple Music playlist of a music entry.
  public let playlistID: String?

  public var availability: Availability { item.availability }
}

extension ItemDetail {
  static func fetch(_ id: EntityID, _ database: Database) throws -> ItemDetail {
    let found = try database.firstRow(
      of: LibraryItemRow.origin,
      """
      SELECT \(LibraryItemRow.columns), item.is_visible, numbered.number
      FROM library_item AS item JOIN projection_item AS numbered ON numbered.item_id = item.id
      WHERE item.id = ?
      """, [id.description]
    ) { (item: try LibraryItemRow($0), isVisible: try $0.flag(9), number: try $0.integer(10)) }
    guard let found else { throw StoreError.noItem(id) }
    return ItemDetail(
      item: found.item, isVisible: found.isVisible,
      dimensions: try tags(of: found.number, found.item.kind, database),
      pack: try PackWithState.find(
        database,
        where: """
          pack.id = (
            SELECT member.pack_id FROM pack_item AS member
            JOIN pack_state AS state ON state.pack_id = member.pack_id
            LEFT JOIN item_local_audio AS audio ON audio.item_id = member.item_id
            LEFT JOIN local_asset AS asset ON asset.id = audio.asset_id
            WHERE member.item_id = ?
            ORDER BY asset.pack_id IS NOT member.pack_id,
              CASE state.state WHEN 'downloading' THEN 0 WHEN 'failed' THEN 1 ELSE 2 END,
              member.pack_id
            LIMIT 1)
          """,
        [id.description]),
      audio: try audio(id, database),
      playlistID: try database.firstRow(
        of: StoredRow.Origin("music_playlist_ref", ("item_id", 1)),
        "SELECT apple_music_playlist_id, item_id FROM music_playlist_ref WHERE item_id = ?",
        [id.description]
      ) { try $0.text(0) })
  }

  private static func tags(
    of number: Int64, _ kind: Kind, _ database: Database
  ) throws -> [DimensionTags] {
    var sources: [String: [Int64: [String]]] = [:]
    try database.forEachRow(
      of: StoredRow.Origin("projection_tagging", ("item_number", 2), ("source_id", 3)),
      """
      SELECT tagging.tags, source.name, tagging.item_number, tagging.source_id
      FROM projection_tagging AS tagging
      JOIN projection_source AS source ON source.id = tagging.source_id
      WHERE tagging.item_number = ? ORDER BY source.name
      """, [number]
    ) { row in
      let source = try row.part(StoredRow.Origin("projection_source", ("id", 3))).text(1)
      for tag in try row.tags(0) {
        sources[tag.dimension.table, default: [:]][tag.value, default: []].append(source)
      }
    }
    var suppressed: [String: Set<Int64>] = [:]
    try database.forEachRow(
      of: ItemFacts.suppressions,
      "SELECT item_number, dimension, value_id FROM projection_suppression WHERE item_number = ?",
      [number]
    ) { suppressed[try $0.dimension(1).table, default: []].insert(try $0.integer(2)) }
    return try TagDimension.all(of: kind).map { dimension in
      let given = sources[dimension.table] ?? [:]
      let taken = suppressed[dimension.table] ?? []
      func tags(_ ids: some Sequence<Int64>) throws -> [Tag] {
        try ids.compactMap { id in
          try database.firstRow(
            of: TagValue.origin(dimension), "SELECT id, name FROM \(dimension.table) WHERE id = ?",
            [id], TagValue.init
          ).map { Tag(value: $0, sources: given[id] ?? []) }
        }
        .sorted { $0.value.name.utf8.lexicographicallyPrecedes($1.value.name.utf8) }
      }
      return DimensionTags(
        dimension: dimension, tags: try tags(given.keys.filter { !taken.contains($0) }),
        suppressed: try tags(taken))
    }
  }

  private static func audio(_ id: EntityID, _ database: Database) throws -> LocalAudio? {
    try database.firstRow(
      of: StoredRow.Origin("item_local_audio", ("item_id", 5)),
      """
      SELECT asset.local_path, audio.codec, audio.sample_rate, audio.channels, audio.loopable,
        audio.item_id, asset.id
      FROM item_local_audio AS audio JOIN local_asset AS asset ON asset.id = audio.asset_id
      WHERE audio.item_id = ?
      """, [id.description]
    ) { row in
      LocalAudio(
        path: try row.part(StoredRow.Origin("local_asset", ("id", 6))).optionalInstalledPath(0),
        codec: try row.optionalText(1), sampleRate: try row.optionalAmount(2).map { Int($0) },
        channels: try row.optionalAmount(3).map { Int($0) }, isLoopable: try row.flag(4))
    }
  }
}

extension LibraryRepository {
  /// One item with its tags, its pack and whether it can be played; hidden ones too.
  ///
  /// - Throws: `StoreError` with `notFound`.
  public func fetchItemDetail(itemId: UUID) async throws -> ItemDetail {
    try await reader.read { try ItemDetail.fetch(EntityID(itemId), $0) }
  }

  /// The item now and after each change; throws `notFound` if there is none.
  public func observeItemDetail(itemId: UUID) -> CatalogObservation<ItemDetail> {
    reader.observe { try ItemDetail.fetch(EntityID(itemId), $0) }
  }
}

extension StoreError {
  static func noItem(_ id: EntityID) -> StoreError {
    StoreError(.notFound, "there is no item \(id); \(do: .searchItems) finds items")
  }
}
