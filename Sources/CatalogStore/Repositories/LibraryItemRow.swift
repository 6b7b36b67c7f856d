public import CatalogModel
import GRDB

public import struct Foundation.UUID

/// A browseable entry as lists show it.
public struct LibraryItemRow: Hashable, Sendable, Identifiable {
  public let id: UUID
  public let kind: Kind
  public let title: String
  public let subtitle: String?
  /// Seconds.
  public let duration: Double?
  public let artworkURL: String?
  public let createdAt: Timestamp
  public let updatedAt: Timestamp
  public let availability: Availability
}

extension LibraryItemRow {
  /// What a query selects of `item`, a row of `library_item`, to make this.
  static let columns = """
    item.id, item.kind, item.title, item.subtitle, item.duration, item.artwork_url,
    item.created_at, item.updated_at, \(Availability.sql) AS availability
    """

  init(_ row: Row) throws {
    guard let id = UUID(uuidString: row["id"]), let kind = Kind(rawValue: row["kind"]),
      let createdAt = Timestamp(row["created_at"] as String),
      let updatedAt = Timestamp(row["updated_at"] as String),
      let availability = Availability(rawValue: row["availability"])
    else {
      throw StoreError(
        .drifted, "a row of library_item was changed by hand: \(row); `catalogctl verify` says more"
      )
    }
    self.init(
      id: id, kind: kind, title: row["title"], subtitle: row["subtitle"],
      duration: row["duration"], artworkURL: row["artwork_url"], createdAt: createdAt,
      updatedAt: updatedAt, availability: availability)
  }
}
