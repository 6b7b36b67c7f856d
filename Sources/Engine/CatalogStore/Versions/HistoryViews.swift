package import GRDB
import Projections

/// Views over a history that have the names of the catalog's tables, and the rows that these had at a moment.
///
/// They are temporary, so that they cover tables of the same names in any SQL, and exist for one connection alone. The plan
/// of a statement over them is the one over the tables: SQLite puts a view of one table into the statement.
package struct HistoryViews {
  private let history: HistorySchema

  package init(_ history: HistorySchema) {
    self.history = history
  }

  /// Whether a statement may ask for something that the views do not have: the row ids of a table, the schema, words of a
  /// full-text index. It may not, if none of these words is in it, in whatever role.
  package func mayNeedMore(_ sql: String) -> Bool {
    let sql = sql.lowercased()
    if sql.contains("rowid") { return true }
    return sql.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { word in
      ["oid", "explain", "temp", "dbstat"].contains(word)
        || ["sqlite_", "pragma", "history_", "v_"].contains { word.hasPrefix($0) }
    }
  }

  /// The first table of versions that a statement names; nil if it names none.
  package func versions(in sql: String) -> String? {
    let sql = sql.lowercased()
    return history.schema.tables.map { "\($0.name)_history" }.first {
      sql.contains($0.lowercased())
    }
  }

  /// Makes the views that a statement names.
  ///
  /// - Parameter sequence: the last event of a batch.
  package func make(for sql: String, at sequence: UInt64, _ database: Database) throws {
    let sql = sql.lowercased()
    func create(_ name: String, _ select: String) throws {
      guard sql.contains(name.lowercased()) else { return }
      try database.execute(sql: "DROP VIEW IF EXISTS temp.\(name)")
      try database.execute(sql: "CREATE TEMP VIEW \(name) AS \(select)")
    }
    for (table, versions) in zip(history.schema.tables, history.versions) {
      try create(
        table.name,
        """
        SELECT \(table.columnList) FROM main.\(versions.name)
        WHERE \(VersionColumns.condition(at: sequence))
        """)
      let columns = table.columns.map { "v.\($0.name)" }.joined(separator: ", ")
      try create(
        "\(table.name)_history",
        """
        SELECT \(columns), v._from, CASE WHEN v._to = 0 OR v._to > \(VersionColumns.end(max(sequence, 1))) THEN NULL
            ELSE v._to + \(VersionColumns.offset) END AS _to,
          b.at AS _at, b.operation AS _operation, b.source AS _source
        FROM main.\(versions.name) AS v JOIN main.history_batch AS b
          ON b.last = (SELECT last FROM main.history_batch WHERE last >= v._from ORDER BY last LIMIT 1)
        WHERE v._from <= \(sequence)
        """)
    }
    try create(
      "projection_checkpoint",
      """
      SELECT 1 AS id, c.log_id, b.last AS sequence, lower(hex(b.chain)) AS chain, c.fingerprint, 0 AS epoch
      FROM main.history_batch AS b, main.history_checkpoint AS c WHERE b.last = \(sequence)
      """)
    try create(
      "projection_conflict",
      "SELECT sequence, type, message FROM main.history_conflict WHERE sequence <= \(sequence)")
  }
}
