import CatalogEngine
import CatalogStore
import Projections

/// Writes the statements about rows of one table.
struct StatementWriter {
  private let table: TableDescription
  let origin: TableOrigin
  /// The places of the columns that the database has.
  let places: [Int]
  let key: [Int]

  init(_ table: TableDescription, _ origin: TableOrigin) {
    (self.table, self.origin) = (table, origin)
    places = table.columns.indices.filter { origin.columns[$0] != nil }
    key = origin.isKeyless ? places : table.key
  }

  /// Whether a row that is added again has the number that it had, since its key is that number, as far as is known.
  var keepsRowIDs: Bool { table.key.count == 1 && table.columns[table.key[0]].type == .integer }

  /// Rows by their values, each with its number, in the order of the first ones.
  func equalRows(_ rows: [[StoredValue]]) -> [EqualRows] {
    var found: [[StoredValue]: Int] = [:]
    var equal: [EqualRows] = []
    for row in rows {
      let values = places.map { row[$0] }
      let isFirst = origin.addedKey.map { origin.numberAmongEqual(row[$0]) == 1 } ?? false
      if let place = found[values] {
        equal[place].count += 1
        equal[place].areAll = equal[place].areAll || isFirst
      } else {
        found[values] = equal.count
        equal.append(EqualRows(row: row, count: 1, areAll: isFirst))
      }
    }
    return equal
  }

  /// - Returns: nil if only columns differ that the database does not have.
  func update(from before: [StoredValue], to after: [StoredValue]) -> String? {
    let changed = places.filter { before[$0] != after[$0] }
    guard !changed.isEmpty else { return nil }
    let values = changed.map { "\(name($0)) = \(after[$0].scriptLiteral)" }
    return
      "UPDATE OR ABORT \(tableName) SET \(values.joined(separator: ", ")) WHERE \(condition(before, key + changed.filter(isExpected)));"
  }

  func delete(_ row: [StoredValue]) -> String {
    "DELETE FROM \(tableName) WHERE \(condition(row, key + places.filter(isExpected)));"
  }

  /// Removes as many of the rows that are equal.
  ///
  /// If they can differ in columns that are not known here, the statement removes all of them or the script fails: nothing tells
  /// which of them is meant.
  func delete(_ rows: EqualRows) -> String {
    guard !rows.areAll, !origin.isPartial, origin.hasRowIDs != false, let rowID else {
      return delete(rows.row)
    }
    return
      "DELETE FROM \(tableName) WHERE \(rowID) IN (SELECT \(rowID) FROM \(tableName) WHERE \(condition(rows.row, places)) LIMIT \(rows.count));"
  }

  /// Whether a statement names the value of a column beside the key that it expects.
  private func isExpected(_ place: Int) -> Bool {
    !key.contains(place) && !origin.stale.contains(place)
  }

  func insert(_ row: [StoredValue]) -> String {
    let columns = places.map(name).joined(separator: ", ")
    let values = places.map { row[$0].scriptLiteral }.joined(separator: ", ")
    // A column can say that it replaces another row.
    let start = "INSERT OR ABORT INTO \(tableName) (\(columns))"
    guard !origin.isKeyless else { return "\(start) SELECT \(values) WHERE 1;" }
    return
      "\(start) SELECT \(values) WHERE NOT EXISTS (SELECT 1 FROM \(tableName) WHERE \(condition(row, key)));"
  }

  private func condition(_ row: [StoredValue], _ places: [Int]) -> String {
    let tests = places.map { place in
      let test = "\(name(place)) IS \(row[place].scriptLiteral)"
      // A column's own order may take capital letters for small ones; and of two rows without a key one can have 1, the other 1.0.
      return switch row[place] {
      case .text, .malformed: "\(test) COLLATE BINARY"
      case .integer where origin.isKeyless: "\(test) AND typeof(\(name(place))) = 'integer'"
      case .real where origin.isKeyless: "\(test) AND typeof(\(name(place))) = 'real'"
      case .null, .integer, .real, .blob: test
      }
    }
    guard tests.count > Self.flat else { return tests.joined(separator: " AND ") }
    // SQLite reads no expression that is nested 1,000 times, and `a AND b AND c` is nested twice.
    return stride(from: 0, to: tests.count, by: Self.flat).map { start in
      let group = tests[start..<min(start + Self.flat, tests.count)]
      return "(\(group.joined(separator: " AND ")))"
    }.joined(separator: " AND ")
  }

  /// The most conditions that are not put in groups.
  private static let flat = 50

  /// The name of the row's number that no column has.
  private var rowID: String? {
    let names = (origin.columns.compactMap(\.self) + origin.missing).map { $0.lowercased() }
    return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
  }

  private var tableName: String { SQLName.alwaysQuoted(origin.name) }
  private func name(_ place: Int) -> String { SQLName.alwaysQuoted(origin.columns[place] ?? "") }
}
