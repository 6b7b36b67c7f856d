public import CatalogModel
import CatalogStore

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
  /// What a query selects first of `item`, a row of `library_item`, to make this.
  static let columns = """
    item.id, item.kind, item.title, item.subtitle, item.duration, item.artwork_url,
    item.created_at, item.updated_at, \(Availability.sql) AS availability
    """

  static let origin = StoredRow.Origin("library_item", ("id", 0))

  init(_ row: StoredRow) throws {
    self.init(
      id: UUID(try row.id(0)), kind: try row.name(1), title: try row.text(2),
      subtitle: try row.optionalText(3), duration: try row.optionalReal(4),
      artworkURL: try row.optionalText(5), createdAt: try row.time(6), updatedAt: try row.time(7),
      availability: try row.name(8))
  }
}
