public import CatalogModel
import GRDB
import Projections

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
    guard
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT \(LibraryItemRow.columns), item.is_visible, numbered.number
          FROM library_item AS item JOIN projection_item AS numbered ON numbered.item_id = item.id
          WHERE item.id = ?
          """, arguments: [id.description])
    else { throw StoreError.noItem(id) }
    let item = try LibraryItemRow(row)
    return ItemDetail(
      item: item, isVisible: row["is_visible"],
      dimensions: try tags(of: row["number"], item.kind, database),
      pack: try PackWithState.fetch(
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
        [id.description]
      ).first,
      audio: try audio(id, database),
      playlistID: try String.fetchOne(
        database,
        sql: "SELECT apple_music_playlist_id FROM music_playlist_ref WHERE item_id = ?",
        arguments: [id.description]))
  }

  private static func tags(
    of number: Int64, _ kind: Kind, _ database: Database
  ) throws -> [DimensionTags] {
    var sources: [String: [Int64: [String]]] = [:]
    for row in try Row.fetchAll(
      database,
      sql: """
        SELECT tagging.tags, source.name FROM projection_tagging AS tagging
        JOIN projection_source AS source ON source.id = tagging.source_id
        WHERE tagging.item_number = ? ORDER BY source.name
        """, arguments: [number])
    {
      guard let tags = TagList.tags(in: row[0] as String) else {
        throw StoreError.changedByHand("projection_tagging")
      }
      for tag in tags {
        sources[tag.dimension.table, default: [:]][tag.value, default: []].append(row[1])
      }
    }
    var suppressed: [String: Set<Int64>] = [:]
    for row in try Row.fetchAll(
      database,
      sql: "SELECT dimension, value_id FROM projection_suppression WHERE item_number = ?",
      arguments: [number])
    {
      suppressed[row[0], default: []].insert(row[1])
    }
    return try TagDimension.all(of: kind).map { dimension in
      let given = sources[dimension.table] ?? [:]
      let taken = suppressed[dimension.table] ?? []
      func tags(_ ids: some Sequence<Int64>) throws -> [Tag] {
        try ids.compactMap { id in
          try String.fetchOne(
            database, sql: "SELECT name FROM \(dimension.table) WHERE id = ?", arguments: [id]
          ).map { Tag(value: TagValue(id: id, name: $0), sources: given[id] ?? []) }
        }
        .sorted { $0.value.name.utf8.lexicographicallyPrecedes($1.value.name.utf8) }
      }
      return DimensionTags(
        dimension: dimension, tags: try tags(given.keys.filter { !taken.contains($0) }),
        suppressed: try tags(taken))
    }
  }

  private static func audio(_ id: EntityID, _ database: Database) throws -> LocalAudio? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT asset.local_path, audio.codec, audio.sample_rate, audio.channels, audio.loopable
        FROM item_local_audio AS audio JOIN local_asset AS asset ON asset.id = audio.asset_id
        WHERE audio.item_id = ?
        """, arguments: [id.description]
    ).map { row in
      LocalAudio(
        path: row[0], codec: row[1], sampleRate: row[2], channels: row[3], isLoopable: row[4])
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

  /// The item now and after each change; throws `notFound` where there is none.
  public func observeItemDetail(itemId: UUID) -> CatalogObservation<ItemDetail> {
    reader.observe { try ItemDetail.fetch(EntityID(itemId), $0) }
  }
}

extension StoreError {
  static func noItem(_ id: EntityID) -> StoreError {
    StoreError(.notFound, "there is no item \(id); `catalogctl search WORDS` finds items")
  }
}
