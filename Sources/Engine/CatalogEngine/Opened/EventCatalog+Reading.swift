public import CatalogStore
import GRDB
public import Projections

extension EventCatalog {
  /// The row with this key; nil where there is none.
  public func row<Row>(of table: TypedTable<Row>, key: any ColumnValue...) async throws -> Row? {
    try await rows(of: table, where: table.keyCondition, key).first
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
  /// - Throws: `StoreError` with `drifted` where a row was changed by hand to what its columns do not hold.
  public func rows<Row>(
    of table: TypedTable<Row>, where condition: String = "true",
    _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) async throws -> [Row] {
    let query = TableQuery(table, condition, arguments.map(\.columnValue), limit)
    return try await ProjectionReader(opened.projection).read { try query.rows($0) }
  }

  /// The rows now, and after each change of the database, by whatever process, that changes them.
  public func observe<Row: Equatable>(
    _ table: TypedTable<Row>, where condition: String = "true", _ arguments: [any ColumnValue] = [],
    limit: Int? = nil
  ) -> CatalogObservation<[Row]> {
    let query = TableQuery(table, condition, arguments.map(\.columnValue), limit)
    let reader = ProjectionReader(opened.projection)
    return reader.observe { try await reader.read { try query.rows($0) } }
  }
}

/// A question for rows of one table.
private struct TableQuery<Row: Sendable>: Sendable {
  private let table: TypedTable<Row>
  private let sql: String
  private let arguments: [Value]

  init(_ table: TypedTable<Row>, _ condition: String, _ arguments: [Value], _ limit: Int?) {
    self.table = table
    self.arguments = arguments
    let description = table.description
    sql =
      "SELECT \(description.columnList) FROM \(description.name) WHERE \(condition) "
      + "ORDER BY \(description.keyList)" + (limit.map { " LIMIT \($0)" } ?? "")
  }

  func rows(_ database: Database) throws -> [Row] {
    let statement = try PreparedStatement(database, sql)
    for (place, argument) in arguments.enumerated() {
      try statement.bind(argument, at: place + 1)
    }
    var rows: [Row] = []
    while try statement.step() {
      rows.append(
        try table.row(
          try table.description.columns.indices.map {
            try statement.value($0, in: table.description)
          }))
    }
    return rows
  }
}

extension TypedTable {
  fileprivate var keyCondition: String {
    description.key.map { "\(description.columns[$0].name) = ?" }.joined(separator: " AND ")
  }
}
