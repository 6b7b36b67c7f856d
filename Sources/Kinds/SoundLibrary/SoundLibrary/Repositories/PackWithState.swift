public import CatalogModel
import CatalogStore
import GRDB

public import struct Foundation.UUID

/// A downloadable pack and what has become of it here.
public struct PackWithState: Hashable, Sendable, Identifiable {
  public typealias State = PackState

  public let id: UUID
  public let kind: Kind
  public let title: String
  public let description: String?
  public let artworkURL: String?
  /// The newest version that is known.
  public let version: Int
  public let manifestURL: String
  public let createdAt: Timestamp
  /// Visible items.
  public let itemCount: Int

  public let state: State
  public let bytesTotal: Int64?
  public let bytesDownloaded: Int64?
  /// The version that can be played here; nil if none is installed.
  public let installedVersion: Int?
  public let lastError: String?
  public let stateChangedAt: Timestamp

  /// An older version stays playable while a newer one is downloaded, or failed to be.
  public var isInstalled: Bool { installedVersion != nil }
  public var isUpdateAvailable: Bool { installedVersion.map { $0 < version } ?? false }
}

extension PackWithState {
  /// The packs of a kind by title.
  static func fetch(_ database: Database, kind: Kind) throws -> [PackWithState] {
    // Nearly all items are visible: it is less work to count all members, and those that are not.
    try fetch(
      database, where: "pack.kind = ?", [kind.rawValue],
      with: """
        WITH hidden AS MATERIALIZED (\(HiddenItems.sql)), of_hidden AS MATERIALIZED (
          SELECT member.pack_id, count(*) AS count
          FROM hidden CROSS JOIN pack_item AS member USING (item_id) GROUP BY 1)
        """,
      itemCount: """
        (SELECT count(*) FROM pack_item AS member WHERE member.pack_id = pack.id)
        - coalesce((SELECT count FROM of_hidden WHERE pack_id = pack.id), 0)
        """)
  }

  /// One pack; nil if there is none.
  ///
  /// - Parameter condition: on `pack`, a row of that table, that holds for one at most.
  static func find(
    _ database: Database, where condition: String, _ arguments: StatementArguments
  ) throws -> PackWithState? {
    try fetch(
      database, where: condition, arguments,
      // If there is no hidden item at all, no member need be looked at: numbers begin with 1.
      itemCount: """
        CASE WHEN (SELECT sum(visible) FROM projection_kind) = (SELECT max(number) FROM projection_item)
        THEN (SELECT count(*) FROM pack_item AS member WHERE member.pack_id = pack.id)
        ELSE (
          SELECT count(*) FROM pack_item AS member JOIN projection_item AS item USING (item_id)
          WHERE member.pack_id = pack.id AND item.is_visible = 1)
        END
        """
    ).first
  }

  private static func fetch(
    _ database: Database, where condition: String, _ arguments: StatementArguments,
    with tables: String = "", itemCount: String
  ) throws -> [PackWithState] {
    try database.rows(
      of: StoredRow.Origin("pack", ("id", 0)),
      """
      \(tables) SELECT pack.id, pack.kind, pack.title, pack.description, pack.artwork_url, pack.version,
        pack.manifest_url, pack.created_at, state.state, state.bytes_total, state.bytes_downloaded,
        state.installed_version, state.last_error, state.updated_at,
        \(itemCount) AS item_count
      FROM pack JOIN pack_state AS state ON state.pack_id = pack.id
      WHERE \(condition) ORDER BY pack.title, pack.id
      """, arguments, PackWithState.init)
  }

  private init(_ row: StoredRow) throws {
    let state = row.part(StoredRow.Origin("pack_state", ("pack_id", 0)))
    self.init(
      id: UUID(try row.id(0)), kind: try row.name(1), title: try row.text(2),
      description: try row.optionalText(3), artworkURL: try row.optionalText(4),
      version: Int(try row.amount(5)), manifestURL: try row.text(6), createdAt: try row.time(7),
      itemCount: try row.count(14), state: try state.name(8),
      bytesTotal: try state.optionalAmount(9), bytesDownloaded: try state.optionalAmount(10),
      installedVersion: try state.optionalAmount(11).map { Int($0) },
      lastError: try state.optionalText(12), stateChangedAt: try state.time(13))
  }
}
