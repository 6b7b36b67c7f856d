public import CatalogStore
import GRDB
public import Projections

extension EventCatalog {
  /// Reads as often as `body` likes from one snapshot of the rows: what others change meanwhile is not in it.
  ///
  /// ```swift
  /// let (book, readers) = try await shelf.read { rows in
  ///   (try rows.row(of: Book.table, key: id), try rows.rows(of: Reader.table))
  /// }
  /// ```
  ///
  /// - Throws: what `body` throws; `StoreError` with `drifted` if a row was changed by hand to what its columns do
  ///   not hold.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (CatalogSnapshot) throws -> Result
  ) async throws -> Result {
    try await ProjectionReader(opened.projection).read { try body(CatalogSnapshot($0)) }
  }

  /// What `body` reads now, and after each change of the database, by whatever process, that changes it.
  public func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (CatalogSnapshot) throws -> Element
  ) -> CatalogObservation<Element> {
    let reader = ProjectionReader(opened.projection)
    return reader.observe { try await reader.read { try body(CatalogSnapshot($0)) } }
  }

  /// The row with this key; nil if there is none.
  public func row<Row>(of table: TypedTable<Row>, key: any ColumnValue...) async throws -> Row? {
    let key = key.map(\.columnValue)
    return try await read { try $0.row(of: table, key: key) }
  }

  /// Rows in the order of their keys.
  ///
  /// ```swift
  /// let lent = try await shelf.rows(of: Book.table, where: "reader IS NOT NULL AND title >= ?", ["M"])
  /// ```
  ///
  /// - Parameters:
  ///   - condition: SQL that the rows fulfil, with a `?` for each argument.
  ///   - limit: the most rows; nil for all.
  /// - Throws: `StoreError` with `drifted` if a row was changed by hand to what its columns do not hold.
  public func rows<Row>(
    of table: TypedTable<Row>, where condition: String = "true",
    _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) async throws -> [Row] {
    try await read { try $0.rows(of: table, where: condition, arguments, limit: limit) }
  }

  /// The rows now, and after each change of the database, by whatever process, that changes them.
  public func observe<Row: Equatable>(
    _ table: TypedTable<Row>, where condition: String = "true", _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) -> CatalogObservation<[Row]> {
    observe { try $0.rows(of: table, where: condition, arguments, limit: limit) }
  }
}
