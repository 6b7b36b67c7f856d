import CatalogModel
import CatalogStore

/// A value of a dimension: data, never an enum.
public struct TagValue: Hashable, Sendable {
  public let id: Int64
  public let name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }
}

extension TagValue {
  static func origin(_ dimension: TagDimension) -> StoredRow.Origin {
    StoredRow.Origin(dimension.table, ("id", 0))
  }

  /// Reads id and name, the first two columns.
  init(_ row: StoredRow) throws {
    self.init(id: try row.integer(0), name: try row.text(1))
  }
}
