package import GRDB
package import Projections

/// One way in which a table differs from what it should be.
package struct RowDifference: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The row should be there and is not.
    case missing
    /// The row is there and should not be.
    case unexpected
    /// A column holds another value.
    case changed(column: String, is: StoredValue, shouldBe: StoredValue)
  }

  package let table: String
  /// The key's columns with their values, in key order.
  package let key: [StoredValue]
  package let keyColumns: [String]
  /// The names of the row's columns.
  package let columns: [String]
  /// The row in column order: as it should be where it is missing or changed, as it is where it should
  /// not be.
  package let row: [StoredValue]
  package let kind: Kind

  /// The column that holds another value; nil if only one side has the row.
  package var changedColumn: String? {
    if case .changed(let column, _, _) = kind { column } else { nil }
  }

  /// `book[id='…']`
  package var place: String {
    let key = zip(keyColumns, key).map { "\($0)=\($1)" }.joined(separator: ", ")
    return "\(table)[\(key)]"
  }
}

/// A row that differs: as it is, and as it should be; nil if that side lacks it.
package struct DifferingRow: Sendable {
  package let live: [StoredValue]?
  package let expected: [StoredValue]?

  /// A difference for each column that changed; one if only one side has the row.
  package func differences(in table: TableDescription) -> [RowDifference] {
    let row = expected ?? live ?? []
    func difference(_ kind: RowDifference.Kind) -> RowDifference {
      RowDifference(
        table: table.name, key: table.key.map { row[$0] },
        keyColumns: table.key.map { table.columns[$0].name }, columns: table.columns.map(\.name),
        row: row, kind: kind)
    }
    guard let live, let expected else { return [difference(live == nil ? .missing : .unexpected)] }
    return table.columns.indices.filter { live[$0] != expected[$0] }.map { place in
      difference(
        .changed(
          column: table.columns[place].name, is: live[place], shouldBe: expected[place]))
    }
  }
}

/// Compares two databases table by table, walking both in key order at once.
package struct RowComparison {
  /// Every difference, in key order, is handed to `report`.
  package static func compare(
    _ table: TableDescription, live: Database, expected: Database,
    report: (RowDifference) throws -> Void
  ) throws {
    let sql = "SELECT \(table.columnList) FROM \(table.sqlName) ORDER BY \(table.keyList)"
    let (live, expected) = (
      try PreparedStatement(live, sql), try PreparedStatement(expected, sql)
    )
    try forEachRow(of: table, live: live, expected: expected) { row in
      for difference in row.differences(in: table) { try report(difference) }
    }
  }

  /// Hands over the rows that differ, of two statements over the columns of a table in key order.
  package static func forEachRow(
    of table: TableDescription, live: PreparedStatement, expected: PreparedStatement,
    _ body: (DifferingRow) throws -> Void
  ) throws {
    func next(_ statement: PreparedStatement) throws -> [StoredValue]? {
      guard try statement.step() else { return nil }
      return table.columns.indices.map { StoredValue(statement.cell($0)) }
    }
    try forEachRow(
      of: table, live: { try next(live) }, expected: { try next(expected) }, body: body)
  }

  /// Hands over the rows that differ, of rows that come in key order, one a call; nil ends them.
  static func forEachRow(
    of table: TableDescription, live nextLive: () throws -> [StoredValue]?,
    expected nextExpected: () throws -> [StoredValue]?, body: (DifferingRow) throws -> Void
  ) throws {
    var live = try nextLive()
    var expected = try nextExpected()
    while live != nil || expected != nil {
      let order = order(live, expected, by: table.key)
      let row = DifferingRow(
        live: order == .after ? nil : live, expected: order == .before ? nil : expected)
      if row.live != row.expected { try body(row) }
      if order != .after { live = try nextLive() }
      if order != .before { expected = try nextExpected() }
    }
  }

  private enum Order {
    case before
    case same
    case after
  }

  /// The order of two rows by their keys; a side that has ended is after the other.
  private static func order(
    _ left: [StoredValue]?, _ right: [StoredValue]?, by key: [Int]
  ) -> Order {
    guard let left else { return .after }
    guard let right else { return .before }
    for place in key {
      if left[place].isBefore(right[place]) { return .before }
      if right[place].isBefore(left[place]) { return .after }
    }
    return .same
  }
}
