package import GRDB

extension Statement {
  /// Hands over each row.
  package func forEachRow(
    of origin: StoredRow.Origin, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Void
  ) throws {
    // GRDB's row is one object for all: it costs nothing, and nothing is read through it.
    let rows = try Row.fetchCursor(self, arguments: arguments)
    let row = StoredRow(sqliteStatement, origin)
    while try rows.next() != nil { try body(row) }
  }

  /// What `body` makes of each row.
  func rows<Element>(
    of origin: StoredRow.Origin, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    try forEachRow(of: origin, arguments) { elements.append(try body($0)) }
    return elements
  }

  /// What `body` makes of the first row; nil if there is none.
  package func firstRow<Element>(
    of origin: StoredRow.Origin, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Element
  ) throws -> Element? {
    let rows = try Row.fetchCursor(self, arguments: arguments)
    // The statement is reset with its cursor: the row is read before.
    return try withExtendedLifetime(rows) {
      try rows.next() == nil ? nil : body(StoredRow(sqliteStatement, origin))
    }
  }
}

extension Database {
  /// Hands over each row of a query.
  package func forEachRow(
    of origin: StoredRow.Origin, _ sql: String, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Void
  ) throws {
    try makeStatement(sql: sql).forEachRow(of: origin, arguments, body)
  }

  /// What `body` makes of each row of a query.
  package func rows<Element>(
    of origin: StoredRow.Origin, _ sql: String, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Element
  ) throws -> [Element] {
    try makeStatement(sql: sql).rows(of: origin, arguments, body)
  }

  /// What `body` makes of a query's first row; nil if there is none. The connection keeps the statement: a question of one row is
  /// often asked of many, and takes less time than its preparation.
  package func firstRow<Element>(
    of origin: StoredRow.Origin, _ sql: String, _ arguments: StatementArguments = [],
    _ body: (StoredRow) throws -> Element
  ) throws -> Element? {
    try cachedStatement(sql: sql).firstRow(of: origin, arguments, body)
  }

  /// Whether a query has any row.
  package func hasRow(_ sql: String, _ arguments: StatementArguments = []) throws -> Bool {
    try cachedStatement(sql: sql).firstRow(of: StoredRow.Origin(""), arguments) { _ in true }
      ?? false
  }
}
