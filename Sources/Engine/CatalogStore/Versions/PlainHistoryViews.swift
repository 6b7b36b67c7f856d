import EventLog
import Projections

/// Views over a history in plain SQL, for any program that reads SQLite: they have the names of the catalog's tables, and the
/// rows of the moment that a temporary table of one row names.
///
/// All of it is temporary: the history stays as it is, and may be opened for reading only. Each view asks `history_now`, which
/// fails if the history does not have the moment, or if the views were written for another history. SQL without a trigger has
/// no statement that fails with a message, but a wrong path of JSON is an error that SQLite shows.
package struct PlainHistoryViews {
  private let history: HistorySchema
  private let generations: HistoryGenerations
  private let checkpoint: Checkpoint
  /// The name of the table that names the moment.
  package let moment: String
  private let now: String

  package init(
    _ history: HistorySchema, _ generations: HistoryGenerations, _ checkpoint: Checkpoint
  ) {
    self.history = history
    self.generations = generations
    self.checkpoint = checkpoint
    let taken = Set(
      (history.viewNames
        + history.schema.fullTextIndexes.flatMap { [$0.name, $0.terms] }).map { $0.lowercased() })
    func free(_ name: String) -> String {
      var name = name
      while taken.contains(name) { name = "_" + name }
      return name
    }
    (moment, now) = (free("moment"), free("history_now"))
  }

  /// The names of the views and full-text indexes, as a person writes them.
  package var names: [String] {
    history.schema.tables.map(\.name) + history.schema.fullTextIndexes.map(\.name)
  }

  /// The statements, each with its semicolon.
  package var statements: [String] {
    [momentTable, nowView].flatMap { $0 } + history.schema.tables.flatMap(views) + ownViews
      + history.schema.fullTextIndexes.flatMap(fullText) + [
        "UPDATE \(moment) SET sequence = sequence;"
      ]
  }

  // MARK: The moment

  private var momentTable: [String] {
    [
      "DROP TABLE IF EXISTS temp.\(moment);",
      """
      CREATE TEMP TABLE \(moment) (
        sequence INTEGER NOT NULL CHECK (typeof(sequence) = 'integer' AND sequence > 0));
      """,
      "INSERT INTO \(moment) VALUES (\(checkpoint.sequence));",
      """
      CREATE TEMP TRIGGER \(moment)_known BEFORE UPDATE ON \(moment)
        WHEN new.sequence > (SELECT sequence FROM main.history_checkpoint)
        BEGIN SELECT RAISE(ABORT, 'the history has no event as late as that'); END;
      """,
      """
      CREATE TEMP TRIGGER \(moment)_added BEFORE INSERT ON \(moment)
        BEGIN SELECT RAISE(ABORT, 'there is one moment: UPDATE \(moment) SET sequence = …'); END;
      """,
      """
      CREATE TEMP TRIGGER \(moment)_removed BEFORE DELETE ON \(moment)
        BEGIN SELECT RAISE(ABORT, 'there is one moment: UPDATE \(moment) SET sequence = …'); END;
      """,
    ]
  }

  /// A view of one row: the last event of the batch that has the moment's event. It is read before the rows of each view.
  ///
  /// `LIMIT` keeps SQLite from putting the conditions into each row's comparison.
  private var nowView: [String] {
    let head = checkpoint.sequence
    let sequence = "(SELECT sequence FROM temp.\(moment))"
    func problem(_ condition: String, _ message: String) -> String {
      "    WHEN \(condition)\n      THEN '\(message)'"
    }
    let problems = [
      problem(
        "c.format IS NOT \(HistorySchema.format) OR c.fingerprint IS NOT '\(checkpoint.fingerprint)'",
        "another version of the program, or another description, made the history: write the views again"
      ),
      problem(
        "c.log_id IS NOT '\(checkpoint.logID)' OR (SELECT lower(hex(chain)) FROM main.history_batch WHERE last = \(head)) IS NOT '\(checkpoint.head.chain.hex)'",
        "this is a history of other events: write the views again"),
      problem(
        "(SELECT group_concat(tbl || ' ' || number || ' ' || start) FROM (SELECT tbl, number, start FROM main.history_generation WHERE start <= \(head) ORDER BY tbl, number)) IS NOT '\(layout)'",
        "the history keeps its versions in other tables: write the views again"),
      problem(
        "\(sequence) IS NULL OR \(sequence) < 1", "the moment has to be the number of an event"),
      problem("\(sequence) > c.sequence", "the history has no event as late as the moment"),
      problem(
        "EXISTS (SELECT 1 FROM main.history_generation WHERE start > \(head) AND start <= b.last)",
        "the history continues in tables that are newer than the views: write them again"),
    ]
    return [
      "DROP VIEW IF EXISTS temp.\(now);",
      """
      CREATE TEMP VIEW \(now)(last) AS
      SELECT CASE WHEN problem IS NULL THEN last
        ELSE coalesce(json_extract('{}', problem), abs(-9223372036854775807 - 1 + (problem IS NULL))) END
      FROM (SELECT b.last AS last, CASE
      \(problems.joined(separator: "\n")) END AS problem
        FROM main.history_checkpoint AS c LEFT JOIN main.history_batch AS b
          ON b.last = (SELECT last FROM main.history_batch WHERE last >= \(sequence) ORDER BY last LIMIT 1))
      LIMIT 1;
      """,
      "CREATE TEMP TRIGGER \(moment)_moved AFTER UPDATE ON \(moment) BEGIN \(question) END;",
    ]
  }

  /// Asks the view in a trigger, so that a moment that cannot be shown is refused when it is set.
  private var question: String { "SELECT last FROM temp.\(now);" }

  /// The tables of versions, as `history_generation` has them.
  private var layout: String {
    history.schema.tables.flatMap { table in
      generations.all(of: table).map { "\(table.ordinal) \($0.number) \($0.start)" }
    }.joined(separator: ",")
  }

  // MARK: Tables

  private func view(_ name: String, _ columns: [String], _ selects: [String]) -> [String] {
    let name = SQLName.quoted(name)
    return [
      "DROP VIEW IF EXISTS temp.\(name);",
      """
      CREATE TEMP VIEW \(name)(\(SQLName.list(columns))) AS
      \(selects.joined(separator: "\nUNION ALL\n"));
      """,
    ]
  }

  private func views(of table: TableDescription) -> [String] {
    let columns = table.columns.map { "v.\($0.sqlName)" }.joined(separator: ", ")
    let names = table.columns.map(\.name)
    let all = generations.all(of: table)
    let ended = "v.\(table.versionColumns.to) > n.last - \(VersionColumns.offset)"
    let states = all.enumerated().map { place, generation in
      let end = all.count > place + 1 ? " AND n.last < \(all[place + 1].start)" : ""
      return """
        SELECT \(columns) FROM temp.\(now) AS n CROSS JOIN main.\(generation.name(table)) AS v
        WHERE n.last >= \(generation.start)\(end) AND v.\(table.versionColumns.from) <= n.last AND \(ended)
        """
    }
    // A version is in each generation that has a moment of it, and has ended in at most one.
    let versions = all.enumerated().map { place, generation in
      let isPast =
        all.count > place + 1
        ? "CASE WHEN n.last >= \(all[place + 1].start) THEN v.\(table.versionColumns.to) < 0 ELSE v.\(table.versionColumns.from) <= n.last END"
        : "v.\(table.versionColumns.from) <= n.last"
      return """
        SELECT \(columns), v.\(table.versionColumns.from),
          CASE WHEN v.\(table.versionColumns.to) = 0 OR \(ended) THEN NULL ELSE v.\(table.versionColumns.to) + \(VersionColumns.offset) END,
          b.at, b.operation, b.source
        FROM temp.\(now) AS n CROSS JOIN main.\(generation.name(table)) AS v JOIN main.history_batch AS b
          ON b.last = (SELECT last FROM main.history_batch WHERE last >= v.\(table.versionColumns.from) ORDER BY last LIMIT 1)
        WHERE n.last >= \(generation.start) AND \(isPast)
        """
    }
    let current = view(table.name, names, states)
    guard let name = history.versionsView(of: table) else { return current }
    return current
      + view(
        name,
        names + table.versionColumns.shown, versions)
  }

  private var ownViews: [String] {
    view(
      "projection_checkpoint",
      ["id", "log_id", "sequence", "chain", "fingerprint", "epoch"],
      [
        """
        SELECT 1, c.log_id, b.last, lower(hex(b.chain)), c.fingerprint, 0
        FROM temp.\(now) AS n CROSS JOIN main.history_batch AS b, main.history_checkpoint AS c WHERE b.last = n.last
        """
      ])
      + view(
        "projection_conflict", ["sequence", "type", "message"],
        [
          """
          SELECT v.sequence, v.type, v.message
          FROM temp.\(now) AS n CROSS JOIN main.history_conflict AS v WHERE n.last > 0 AND v.sequence <= n.last
          """
        ])
  }

  // MARK: Full text

  /// A full-text index has the rows of one moment, so it is filled again with each.
  private func fullText(_ index: FullTextIndexDescription) -> [String] {
    [index.terms, index.sqlName].map { "DROP TABLE IF EXISTS temp.\($0);" }
      + index.temporaryTables.map { $0 + ";" } + [
        """
        CREATE TEMP TRIGGER \(moment)_\(index.name) AFTER UPDATE ON \(moment) BEGIN
          \(question)
          \(index.refilling.map { $0 + ";" }.joined(separator: "\n  "))
        END;
        """
      ]
  }
}
