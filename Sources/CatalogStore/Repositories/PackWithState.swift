public import CatalogModel
import GRDB

public import struct Foundation.UUID

/// A downloadable pack and what has become of it here.
public struct PackWithState: Hashable, Sendable, Identifiable {
  public enum State: String, CaseIterable, Hashable, Sendable {
    case notDownloaded = "not_downloaded"
    case downloading
    case downloaded
    case failed
  }

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
  /// The version that can be played here; nil where none is installed.
  public let installedVersion: Int?
  public let lastError: String?
  public let stateChangedAt: Timestamp

  /// An older version stays playable while a newer one is downloaded, or failed to be.
  public var isInstalled: Bool { installedVersion != nil }
  public var isUpdateAvailable: Bool { installedVersion.map { $0 < version } ?? false }
}

extension PackWithState {
  /// - Parameter condition: on `pack`, a row of that table.
  static func fetch(
    _ database: Database, where condition: String, _ arguments: StatementArguments
  ) throws -> [PackWithState] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT pack.*, state.state, state.bytes_total, state.bytes_downloaded,
          state.installed_version, state.last_error, state.updated_at,
          (SELECT count(*) FROM pack_item AS member
           JOIN library_item AS item ON item.id = member.item_id
           WHERE member.pack_id = pack.id AND item.is_visible = 1) AS item_count
        FROM pack JOIN pack_state AS state ON state.pack_id = pack.id
        WHERE \(condition) ORDER BY pack.title, pack.id
        """, arguments: arguments
    ).map(PackWithState.init)
  }

  private init(_ row: Row) throws {
    guard let id = UUID(uuidString: row["id"]), let kind = Kind(rawValue: row["kind"]),
      let createdAt = Timestamp(row["created_at"] as String),
      let state = State(rawValue: row["state"]),
      let stateChangedAt = Timestamp(row["updated_at"] as String)
    else {
      throw StoreError(
        .drifted, "a row of pack was changed by hand: \(row); `catalogctl verify` says more")
    }
    self.init(
      id: id, kind: kind, title: row["title"], description: row["description"],
      artworkURL: row["artwork_url"], version: row["version"], manifestURL: row["manifest_url"],
      createdAt: createdAt, itemCount: row["item_count"], state: state,
      bytesTotal: row["bytes_total"], bytesDownloaded: row["bytes_downloaded"],
      installedVersion: row["installed_version"], lastError: row["last_error"],
      stateChangedAt: stateChangedAt)
  }
}
