public import CatalogModel
package import GRDB

public import struct Foundation.UUID

/// A browseable entry as lists show it.
public struct LibraryItemRow: Hashable, Sendable {
  public let id: UUID
  public let kind: Kind
  public let title: String
  public let subtitle: String?
  /// Seconds.
  public let duration: Double?
  public let artworkURL: String?
  public let createdAt: Timestamp
  public let updatedAt: Timestamp
}

/// The order of a list. Equal titles are ordered by id.
public enum Sort: String, CaseIterable, Hashable, Sendable {
  case title
}

/// Reads browseable entries.
public struct LibraryRepository: Sendable {
  private let reader: any DatabaseReader

  package init(_ reader: any DatabaseReader) {
    self.reader = reader
  }

  /// The visible items of a kind that pass the filters.
  ///
  /// - Throws: `StoreError` with `invalidRequest` where a filter names a dimension that the kind does
  ///   not have.
  public func fetchItems(
    kind: Kind, filters: Filters = Filters(), sort: Sort = .title
  ) async throws -> [LibraryItemRow] {
    try filters.check(for: kind)
    return try await reader.read { database in
      var sql = """
        SELECT id, kind, title, subtitle, duration, artwork_url, created_at, updated_at
        FROM library_item WHERE kind = ? AND is_visible = 1
        """
      var arguments: StatementArguments = [kind.rawValue]
      if let condition = filters.condition {
        sql += " AND " + condition.sql
        arguments += StatementArguments(condition.arguments)
      }
      sql += " ORDER BY title, id"
      return try Row.fetchAll(database, sql: sql, arguments: arguments).map(LibraryItemRow.init)
    }
  }

  /// The values of a dimension by name; names that the dimension lacks are missing in the result.
  public func tagValues(named names: [String], in dimension: TagDimension) async throws
    -> [TagValue]
  {
    try await reader.read { database in
      try names.compactMap { name in
        try Row.fetchOne(
          database, sql: "SELECT id, name FROM \(dimension.table) WHERE name = ?",
          arguments: [name]
        ).map { TagValue(id: $0[0], name: $0[1]) }
      }
    }
  }
}

extension LibraryItemRow {
  init(_ row: Row) throws {
    guard let id = UUID(uuidString: row[0]), let kind = Kind(rawValue: row[1]),
      let createdAt = Timestamp(row[6] as String), let updatedAt = Timestamp(row[7] as String)
    else {
      throw StoreError(
        .drifted, "a row of library_item was changed by hand: \(row); `catalogctl verify` says more"
      )
    }
    self.init(
      id: id, kind: kind, title: row[2], subtitle: row[3], duration: row[4], artworkURL: row[5],
      createdAt: createdAt, updatedAt: updatedAt)
  }
}
