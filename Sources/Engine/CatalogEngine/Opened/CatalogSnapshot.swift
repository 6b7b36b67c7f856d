import CatalogStore
import GRDB
public import Projections

/// The rows of a catalog at one moment. Good for the call that handed it out.
public struct CatalogSnapshot {
  private let database: Database

  init(_ database: Database) {
    self.database = database
  }

  /// The row with this key; nil if there is none.
  public func row<Row>(of table: TypedTable<Row>, key: any ColumnValue...) throws -> Row? {
    try row(of: table, key: key.map(\.columnValue))
  }

  func row<Row>(of table: TypedTable<Row>, key: [Value]) throws -> Row? {
    let description = table.description
    return try rows(
      as: table,
      of: "SELECT \(description.columnList) FROM \(description.sqlName) "
        + "WHERE \(description.keyCondition)",
      values: key
    ).first
  }

  /// Rows in the order of their keys.
  ///
  /// - Parameters:
  ///   - condition: SQL that the rows fulfil, with a `?` for each argument.
  ///   - limit: the most rows; nil for all.
  public func rows<Row>(
    of table: TypedTable<Row>, where condition: String = "true",
    _ arguments: [any ColumnValue] = [], limit: Int? = nil
  ) throws -> [Row] {
    let description = table.description
    return try rows(
      as: table,
      of: "SELECT \(description.columnList) FROM \(description.sqlName) WHERE \(condition) "
        + "ORDER BY \(description.keyList)" + (limit.map { " LIMIT \($0)" } ?? ""),
      arguments)
  }

  /// The rows of a query of your own.
  ///
  /// ```swift
  /// struct Loan { var title: String; var readers: Int
  ///   static let shape = TypedTable(
  ///     "loan", key: ["title"], Field("title", \Loan.title), Field("readers", \Loan.readers), make: Loan.init)
  /// }
  /// let loans = try rows.rows(as: Loan.shape, of: "SELECT title, count(*) FROM book GROUP BY title")
  /// ```
  ///
  /// - Parameters:
  ///   - shape: the columns of the query, in their order; a table, or the description of one that no schema has.
  ///   - sql: one statement that only reads, with a `?` for each argument.
  /// - Throws: `StoreError`: `database` where SQLite does not take the statement, `drifted` if a cell is not what
  ///   its column holds.
  public func rows<Row>(
    as shape: TypedTable<Row>, of sql: String, _ arguments: [any ColumnValue] = []
  ) throws -> [Row] {
    try rows(as: shape, of: sql, values: arguments.map(\.columnValue))
  }

  func rows<Row>(
    as shape: TypedTable<Row>, of sql: String, values: [Value]
  ) throws -> [Row] {
    try PreparedStatement(database, sql, values).all {
      try shape.row($0.row(of: shape.description))
    }
  }
}
