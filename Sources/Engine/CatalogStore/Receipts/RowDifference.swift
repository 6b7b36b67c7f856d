import CatalogModel
import Foundation
package import GRDB
package import Projections
import Support

/// A value as SQLite stores it, whatever its column's description says.
package enum StoredValue: Hashable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// A text whose bytes are not UTF-8.
  case malformed([UInt8])
  case blob([UInt8])

  /// A value of the row on which a statement stands.
  package init(_ statement: Statement, at place: Int) {
    self.init(statement.sqliteStatement, at: place)
  }

  init(_ statement: OpaquePointer, at place: Int) {
    self.init(PreparedStatement.cell(place, of: statement))
  }

  package init(_ cell: PreparedStatement.Cell) {
    switch cell {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes):
      self =
        String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .malformed(Array(bytes))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }

  /// A projector's value, as SQLite stores it, which has one zero.
  package init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real + 0)
      case .text(let text): .text(text)
      case .id(let id): .text(id.description)
      case .time(let time): .text(time.description)
      case .blob(let bytes): .blob(bytes)
      }
  }

  /// As SQL writes it: `NULL`, `3`, `1.5`, `'Forest'`, `CAST(x'ff' AS TEXT)`, `x'00ff'`.
  package var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): "'\(text.replacing(scalar: "'", with: "''"))'"
    case .malformed(let bytes): "CAST(x'\(Hex.string(bytes))' AS TEXT)"
    case .blob(let bytes): "x'\(Hex.string(bytes))'"
    }
  }

  /// Equal in storage class and bytes: canonically equivalent texts are two values to SQLite.
  package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.malformed(let left), .malformed(let right)): left == right
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let integer): hasher.combine(integer)
    case .real(let real): hasher.combine(real)
    case .text(let text): text.hashBytes(into: &hasher)
    case .malformed(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }

  /// SQLite's order: NULL, numbers, text by bytes, blobs by bytes.
  func isBefore(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.integer(let left), .real(let right)): Double(left) < right
    case (.real(let left), .integer(let right)): left < Double(right)
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.text(let left), .malformed(let right)): left.utf8.lexicographicallyPrecedes(right)
    case (.malformed(let left), .text(let right)): left.lexicographicallyPrecedes(right.utf8)
    case (.malformed(let left), .malformed(let right)): left.lexicographicallyPrecedes(right)
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    default: storageClass < other.storageClass
    }
  }

  private var storageClass: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text, .malformed: 2
    case .blob: 3
    }
  }
}

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
