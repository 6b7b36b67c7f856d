import Foundation
package import GRDB
package import Projections

/// Views over a history that have the names of the catalog's tables, and the rows that these had at a moment.
///
/// They are temporary, so that they cover tables of the same names in any SQL, and exist for one connection alone. The plan
/// of a statement over them is the one over the tables: SQLite puts a view of one table into the statement.
package struct HistoryViews {
  private let history: HistorySchema
  private let generations: HistoryGenerations

  package init(_ history: HistorySchema, _ generations: HistoryGenerations) {
    self.history = history
    self.generations = generations
  }

  /// Whether a statement may ask for something that the views do not have: the schema, plans, the tables of the history
  /// itself. It may not, if none of these words is in it, in whatever role.
  package func mayNeedMore(_ sql: String) -> Bool {
    Self.words(of: sql).contains { word in
      ["explain", "temp", "dbstat"].contains(word)
        || ["sqlite_", "pragma", "history_"].contains { word.hasPrefix($0) } || isVersions(word)
    }
  }

  /// Whether a prepared statement reads row ids of the catalog's tables, which are NULL in a view.
  package func readsRowIDs(_ sql: String, _ statement: Statement) -> Bool {
    guard sql.lowercased().contains("rowid") || Self.words(of: sql).contains("oid") else {
      return false
    }
    // "item(id,title),mood(*)": the columns that SQLite said it would read, or all.
    let region = "," + statement.databaseRegion.description.lowercased()
    return history.viewNames.contains { name in
      guard let name = region.range(of: ",\(name.lowercased())(") else { return false }
      let columns = region[name.upperBound...].prefix { $0 != ")" }.split(separator: ",")
      return columns.contains("rowid") || columns.contains("*")
    }
  }

  private static func words(of sql: String) -> [Substring] {
    sql.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
  }

  /// Another statement for one that counts all rows of a table and asks for nothing else: the history has the count.
  package func count(_ sql: String, at sequence: UInt64) -> String? {
    // A regular expression takes as long to be compiled as all else.
    var words = sql.replacing(";", with: " ; ").split(whereSeparator: \.isWhitespace)
    if words.last == ";" { words.removeLast() }
    guard words.count == 4 || words.count == 6 && words[2].lowercased() == "as",
      words[0].lowercased() == "select", words[1].lowercased() == "count(*)",
      words[words.count - 2].lowercased() == "from",
      let table = history.schema.tables.first(where: {
        $0.isNamed(String(words[words.count - 1]))
      })
    else { return nil }
    let name = words[words.count == 6 ? 3 : 1]
    guard words.count == 4 || SQLName.isPlain(String(name)) else { return nil }
    return """
      SELECT coalesce((SELECT rows FROM main.history_step WHERE tbl = \(table.ordinal) AND last <= \(sequence)
        ORDER BY last DESC LIMIT 1), 0) AS "\(name)"
      """
  }

  /// The full-text indexes that a statement names.
  package func indexes(in sql: String) -> [FullTextIndexDescription] {
    let sql = sql.lowercased()
    return history.schema.fullTextIndexes.filter { sql.contains($0.name.lowercased()) }
  }

  /// Makes a full-text index of the rows that the view of its table has. SQLite ranks by all rows of an index, so that an
  /// index of all versions would rank otherwise than the catalog did.
  package func make(_ index: FullTextIndexDescription, _ database: Database) throws {
    for name in [index.terms, index.sqlName] {
      try database.execute(sql: "DROP TABLE IF EXISTS temp.\(name)")
    }
    for sql in index.temporaryCreation { try database.execute(sql: sql) }
  }

  /// Whether a word may be the name of a table of versions.
  private func isVersions(_ word: Substring) -> Bool {
    word.first == "g" && word.dropFirst().first?.isNumber == true
  }

  /// The first table of versions that a statement names; nil if it names none.
  package func versions(in sql: String) -> String? {
    let sql = sql.lowercased()
    return history.schema.tables.compactMap(history.versionsView).first {
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
      try database.execute(sql: "DROP VIEW IF EXISTS temp.\(SQLName.quoted(name))")
      try database.execute(sql: "CREATE TEMP VIEW \(SQLName.quoted(name)) AS \(select)")
    }
    for table in history.schema.tables {
      let generation = generations.at(sequence, of: table)
      try create(
        table.name,
        "SELECT \(table.columnList) FROM main.\(generation.name(table)) \(generation.condition(of: table, at: sequence))"
      )
      if let name = history.versionsView(of: table) {
        try create(name, selectVersions(of: table, through: sequence))
      }
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

  /// Selects every version of a table's rows up to a moment. A version is in each generation that has a moment of it, and has
  /// ended in at most one.
  private func selectVersions(of table: TableDescription, through sequence: UInt64) -> String {
    let columns = table.columns.map { "v.\($0.sqlName)" }.joined(separator: ", ")
    let present = generations.at(sequence, of: table)
    let names = table.versionColumns
    return generations.all(of: table).prefix(present.number + 1).map { generation in
      """
      SELECT \(columns), v.\(names.from), CASE WHEN v.\(names.to) = 0 OR v.\(names.to) > \(VersionColumns.end(max(sequence, 1))) THEN NULL
          ELSE v.\(names.to) + \(VersionColumns.offset) END AS \(names.to),
        b.at AS \(names.at), b.operation AS \(names.operation), b.source AS \(names.source)
      FROM main.\(generation.name(table)) AS v JOIN main.history_batch AS b
        ON b.last = (SELECT last FROM main.history_batch WHERE last >= v.\(names.from) ORDER BY last LIMIT 1)
      WHERE \(generation == present ? "v.\(names.from) <= \(sequence)" : "v.\(names.to) < 0")
      """
    }.joined(separator: " UNION ALL ")
  }
}
