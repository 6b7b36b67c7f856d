package import GRDB
import Projections

/// What SQLite's own check finds in a database: damage to its structure, and rows that an index lacks.
///
/// A NULL that it finds counts where a row has it. SQLite 3.40.0 to 3.41.0 finds one in every row of a table without
/// row ids whose key does not follow the order of its columns, in columns that hold none.
package enum IntegrityCheck {
  /// So many findings SQLite lists where nobody says how many.
  private static let usualLimit = 100

  /// What is wrong, a sentence each.
  package static func problems(in database: Database, atMost limit: Int) throws -> [String] {
    // Findings come one by one. Those that do not count would use up a limit that SQLite knew.
    try findings(database, "PRAGMA integrity_check(\(Int32.max))", atMost: limit).problems
  }

  /// Whether nothing is wrong with a table and its indexes.
  static func isWhole(_ table: TableDescription, in database: Database) throws -> Bool {
    let found = try findings(database, "PRAGMA integrity_check(\(table.sqlName))", atMost: 1)
    guard found.problems.isEmpty else { return false }
    // Of a single table SQLite takes no limit: behind so many that do not count there may be one that does.
    return try found.passedOver < usualLimit || problems(in: database, atMost: 1).isEmpty
  }

  private static func findings(
    _ database: Database, _ check: String, atMost limit: Int
  ) throws -> (problems: [String], passedOver: Int) {
    var problems: [String] = []
    var passedOver = 0
    /// The same finding comes once a row.
    var known: [String: Bool] = [:]
    let statement = try PreparedStatement(database, check)
    while problems.count < limit, try statement.step() {
      guard case .text(let bytes) = statement.cell(0) else { continue }
      let finding = String(decoding: bytes, as: UTF8.self)
      if finding == "ok" { continue }
      let counts = try known[finding] ?? isTrue(finding, database)
      known[finding] = counts
      if counts { problems.append(finding) } else { passedOver += 1 }
    }
    return (problems, passedOver)
  }

  /// Whether a finding is more than a NULL where no row has one.
  private static func isTrue(_ finding: String, _ database: Database) throws -> Bool {
    let beginning = "NULL value in "
    guard finding.hasPrefix(beginning) else { return true }
    let names = finding.dropFirst(beginning.count).split(separator: ".", maxSplits: 1)
    guard names.count == 2 else { return true }
    let (table, column) = (String(names[0]), String(names[1]))
    let isKnown = try database.hasRow(
      "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", [table, column])
    // Not `IS NULL`, which SQLite does not ask the rows for where the column may hold none.
    return try !isKnown
      || database.hasRow(
        "SELECT 1 FROM \(SQLName.quoted(table)) "
          + "WHERE typeof(\(SQLName.quoted(column))) = 'null' LIMIT 1")
  }
}
