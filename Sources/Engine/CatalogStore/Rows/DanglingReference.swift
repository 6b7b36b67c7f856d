package import GRDB
package import Projections

/// A row that refers to a row which does not exist.
package struct DanglingReference: Hashable, Sendable, CustomStringConvertible {
  package let table: String
  package let key: [StoredValue]
  private let keyColumns: [String]
  private let parent: String
  private let parentColumns: [String]
  let values: [StoredValue]

  /// - Parameter statement: is at a row that `query` selects.
  private init(_ reference: TableReference, _ statement: PreparedStatement) {
    let child = reference.child
    table = child.name
    keyColumns = child.key.map { child.columns[$0].name }
    parent = reference.parent.name
    parentColumns = reference.parentColumns.map { reference.parent.columns[$0].name }
    key = child.key.indices.map { StoredValue(statement.cell($0)) }
    values = reference.columns.indices.map {
      StoredValue(statement.cell(child.key.count + $0))
    }
  }

  package var description: String {
    "\(table)[\(Self.text(keyColumns, key))] refers to \(parent)[\(Self.text(parentColumns, values))], "
      + "which does not exist"
  }

  private static func text(_ columns: [String], _ values: [StoredValue]) -> String {
    zip(columns, values).map { "\($0)=\($1)" }.joined(separator: ", ")
  }

  // MARK: Finding

  /// Finds the rows of a whole database that refer to rows which do not exist.
  ///
  /// - Parameter limit: the most that are returned.
  package static func all(
    of schema: Schema, in database: Database, limit: Int
  ) throws -> [DanglingReference] {
    var found: [DanglingReference] = []
    for reference in schema.references where found.count < limit {
      try forEach(of: reference, in: database) {
        found.append($0)
        return found.count < limit
      }
    }
    return found
  }

  /// - Parameter body: called with each; returns whether to continue.
  static func forEach(
    of reference: TableReference, in database: Database,
    _ body: (DanglingReference) throws -> Bool
  ) throws {
    let statement = try PreparedStatement(database, query(reference))
    while try statement.step() {
      guard try body(DanglingReference(reference, statement)) else { return }
    }
  }

  /// The first row that refers to a row with these values, if no such row exists.
  static func first(
    _ reference: TableReference, to values: [Value], in database: Database
  ) throws -> DanglingReference? {
    let names = reference.columns.map { "child.\(reference.child.columns[$0].sqlName)" }
    let statement = try PreparedStatement(
      database,
      query(reference) + names.map { " AND \($0) = ?" }.joined() + " LIMIT 1")
    try statement.bind(values)
    return try statement.step() ? DanglingReference(reference, statement) : nil
  }

  /// Selects the key and the referring columns of the rows that refer to no row.
  private static func query(_ reference: TableReference) -> String {
    let child = reference.child
    let columns = reference.columns.map { "child.\(child.columns[$0].sqlName)" }
    let selected = child.key.map { "child.\(child.columns[$0].sqlName)" } + columns
    let present = columns.map { "\($0) IS NOT NULL" }
    let equal = zip(reference.parentColumns, columns).map {
      "parent.\(reference.parent.columns[$0].sqlName) = \($1)"
    }
    return """
      SELECT \(selected.joined(separator: ", ")) FROM \(child.sqlName) AS child
      WHERE \(present.joined(separator: " AND ")) AND NOT EXISTS (
        SELECT 1 FROM \(reference.parent.sqlName) AS parent WHERE \(equal.joined(separator: " AND ")))
      """
  }
}
