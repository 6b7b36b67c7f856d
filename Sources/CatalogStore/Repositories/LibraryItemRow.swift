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
  /// What a query selects first of `item`, a row of `library_item`, to make this.
  static let columns = """
    item.id, item.kind, item.title, item.subtitle, item.duration, item.artwork_url,
    item.created_at, item.updated_at, \(Availability.sql) AS availability
    """

  init(_ row: Row) throws {
    // By place: to find a column by its name takes longer than to read it.
    guard let id = UUID(uuidString: row[0]), let kind = Kind(rawValue: row[1]),
      let createdAt = Timestamp(row[6] as String), let updatedAt = Timestamp(row[7] as String),
      let availability = Availability(rawValue: row[8]), let duration = Self.duration(row[4])
    else {
      throw StoreError(
        .drifted, "a row of library_item was changed by hand: \(row); `catalogctl verify` says more"
      )
    }
    self.init(
      id: id, kind: kind, title: row[2], subtitle: row[3], duration: duration, artworkURL: row[5],
      createdAt: createdAt, updatedAt: updatedAt, availability: availability)
  }

  /// Nil for what is neither a number nor NULL; GRDB reads it as 0 or ends the process, as the row comes.
  private static func duration(_ value: DatabaseValue) -> Double?? {
    value.isNull ? .some(nil) : Double.fromDatabaseValue(value).map(Optional.some)
  }
}
