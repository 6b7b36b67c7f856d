package import CatalogEngine
package import CatalogStore
package import Projections

/// Statements that make a change in another program's database, for its owner to run.
///
/// Each statement names the values that it expects, and is followed by one that notes if another number of rows matched. If
/// one did, or a statement failed, the last statement but one fails, and with it all of them.
package struct SQLScript {
  /// A row as it is, and as it is to be; nil if it is not there.
  package typealias Change = (before: [StoredValue]?, after: [StoredValue]?)

  private var deletes: [Statement] = []
  private var updates: [Statement] = []
  private var inserts: [Statement] = []
  private var tables: Set<String> = []

  private struct Statement {
    let sql: String
    var rows = 1
  }

  package init() {}

  /// Whether nothing is to be changed.
  package var isEmpty: Bool { deletes.isEmpty && updates.isEmpty && inserts.isEmpty }

  /// Adds the changes of rows of a table.
  package mutating func add(
    _ changes: [Change], of table: TableDescription, in origin: TableOrigin
  ) {
    tables.insert(origin.name.lowercased())
    let writer = StatementWriter(table, origin)
    guard !origin.isKeyless else { return addWhole(changes, writer) }
    for change in changes {
      switch change {
      case (let before?, let after?):
        writer.update(from: before, to: after).map { updates.append(Statement(sql: $0)) }
      case (let before?, nil): deletes.append(Statement(sql: writer.delete(before)))
      case (nil, let after?): inserts.append(Statement(sql: writer.insert(after)))
      case (nil, nil): break
      }
    }
  }

  /// Adds changes of rows that have no key: as many equal ones as there are.
  private mutating func addWhole(_ changes: [Change], _ writer: StatementWriter) {
    var places: [[StoredValue]: Int] = [:]
    var equal: [(row: [StoredValue], rows: Int, hasFirst: Bool)] = []
    for row in changes.compactMap(\.before) {
      let values = writer.values(of: row)
      let isFirst = writer.isFirst(row)
      if let place = places[values] {
        equal[place].rows += 1
        equal[place].hasFirst = equal[place].hasFirst || isFirst
      } else {
        places[values] = equal.count
        equal.append((row, 1, isFirst))
      }
    }
    for (row, rows, hasFirst) in equal {
      deletes.append(
        Statement(sql: writer.delete(row, rows: rows, isAll: hasFirst), rows: rows))
    }
    for row in changes.compactMap(\.after) { inserts.append(Statement(sql: writer.insert(row))) }
  }

  // MARK: The script

  /// - Parameter heading: sentences about the change.
  package func text(heading: [String]) -> String {
    let usage = isEmpty ? ["nothing is to be changed"] : Self.usage
    var lines = (heading + usage).map { "-- \(Self.commentable($0))" }
    guard !isEmpty else { return lines.joined(separator: "\n") + "\n" }
    let noted = name("mismatch")
    let verdict = name("verdict")
    lines += [
      ".bail on",
      // Rows that refer to others, and rows that follow from others, are all among the statements.
      "PRAGMA foreign_keys = OFF;",
      "BEGIN IMMEDIATE;",
      "CREATE TEMP TABLE \(noted) (statement INTEGER, expected INTEGER, found INTEGER);",
      "DELETE FROM temp.\(noted);",
    ]
    for (place, statement) in (deletes + updates + inserts).enumerated() {
      lines.append(statement.sql)
      // It changes no row if all is well, so that the count is 0 again for a statement that fails.
      lines.append(
        "INSERT INTO temp.\(noted) SELECT \(place + 1), \(statement.rows), changes() WHERE changes() <> \(statement.rows);"
      )
    }
    lines += [
      "SELECT 'statement ' || statement || ' matched ' || found || ' rows, not ' || expected FROM temp.\(noted);",
      "CREATE TEMP TABLE \(verdict) (mismatches CONSTRAINT \"nothing was changed: rows are not as expected\" CHECK (mismatches = 0));",
      "INSERT OR ROLLBACK INTO temp.\(verdict) SELECT count(*) FROM temp.\(noted);",
      "DROP TABLE temp.\(verdict);",
      "DROP TABLE temp.\(noted);",
      "COMMIT;",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static let usage = [
    "The program sqlite3 runs it: sqlite3 FILE < SCRIPT. It changes all of this or nothing: if a row has other values by then,",
    "it says which statement did not match, and the exit status is 1.",
  ]

  /// A name that no table of the script has.
  private func name(_ wanted: String) -> String {
    var name = wanted
    while tables.contains(name) { name += "_" }
    return name
  }

  /// A text that does not end the comment it is in.
  private static func commentable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// Writes the statements about rows of one table.
private struct StatementWriter {
  private let table: TableDescription
  private let origin: TableOrigin
  /// The places of the columns that the database has.
  private let places: [Int]
  private let key: [Int]

  init(_ table: TableDescription, _ origin: TableOrigin) {
    (self.table, self.origin) = (table, origin)
    places = table.columns.indices.filter { origin.columns[$0] != nil }
    key = origin.isKeyless ? places : table.key
  }

  func values(of row: [StoredValue]) -> [StoredValue] { places.map { row[$0] } }

  /// Whether a row is the first of those that are equal, so that none is left after it.
  func isFirst(_ row: [StoredValue]) -> Bool {
    origin.addedKey.map { origin.numberAmongEqual(row[$0]) == 1 } ?? false
  }

  /// - Returns: nil if only columns differ that the database does not have.
  func update(from before: [StoredValue], to after: [StoredValue]) -> String? {
    let changed = places.filter { before[$0] != after[$0] }
    guard !changed.isEmpty else { return nil }
    let values = changed.map { "\(name($0)) = \(after[$0].scriptLiteral)" }
    return
      "UPDATE \(tableName) SET \(values.joined(separator: ", ")) WHERE \(condition(before, key + changed.filter { !key.contains($0) }));"
  }

  func delete(_ row: [StoredValue]) -> String {
    "DELETE FROM \(tableName) WHERE \(condition(row, key + places.filter { !key.contains($0) }));"
  }

  /// Removes as many of the rows that are equal.
  ///
  /// - Parameter isAll: whether no more are expected.
  func delete(_ row: [StoredValue], rows: Int, isAll: Bool) -> String {
    guard !isAll, origin.hasRowIDs != false, let rowID else { return delete(row) }
    return
      "DELETE FROM \(tableName) WHERE \(rowID) IN (SELECT \(rowID) FROM \(tableName) WHERE \(condition(row, places)) LIMIT \(rows));"
  }

  func insert(_ row: [StoredValue]) -> String {
    let columns = places.map(name).joined(separator: ", ")
    let values = places.map { row[$0].scriptLiteral }.joined(separator: ", ")
    let start = "INSERT INTO \(tableName) (\(columns))"
    guard !origin.isKeyless else { return "\(start) VALUES (\(values));" }
    return
      "\(start) SELECT \(values) WHERE NOT EXISTS (SELECT 1 FROM \(tableName) WHERE \(condition(row, key)));"
  }

  private func condition(_ row: [StoredValue], _ places: [Int]) -> String {
    places.map { place in
      let test = "\(name(place)) IS \(row[place].scriptLiteral)"
      // A column's own order may take capital letters for small ones; and of two rows without a key one can have 1, the other 1.0.
      return switch row[place] {
      case .text, .malformed: "\(test) COLLATE BINARY"
      case .integer where origin.isKeyless: "\(test) AND typeof(\(name(place))) = 'integer'"
      case .real where origin.isKeyless: "\(test) AND typeof(\(name(place))) = 'real'"
      case .null, .integer, .real, .blob: test
      }
    }.joined(separator: " AND ")
  }

  /// The name of the row's number that no column has.
  private var rowID: String? {
    let names = origin.columns.compactMap { $0?.lowercased() }
    return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
  }

  private var tableName: String { SQLName.alwaysQuoted(origin.name) }
  private func name(_ place: Int) -> String { SQLName.alwaysQuoted(origin.columns[place] ?? "") }
}
