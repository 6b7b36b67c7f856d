package import CatalogEngine
package import CatalogStore
package import Projections

/// Statements that make a change in another program's database, for its owner to run.
///
/// Each statement names the values that it expects, and is followed by one that notes if another number of rows matched. If
/// one did, or a statement failed, the last statement but one fails, and with it all of them. Each statement has a condition, so that
/// it does nothing after SQLite took the transaction back, for a full disk for example: a program may go on after an error.
package struct SQLScript {
  /// A row as it is, and as it is to be; nil if it is not there.
  package typealias Change = (before: [StoredValue]?, after: [StoredValue]?)

  private var deletes: [Statement] = []
  private var updates: [Statement] = []
  private var inserts: [Statement] = []
  private var tables: Set<String> = []
  private var trials = StorageTrials()
  /// Sentences of the heading about values that no row of the change has.
  private var notes: [String] = []

  private struct Statement {
    /// It ends with a condition.
    let sql: String
    /// The number of rows that it changes.
    let rows: Int
    let table: String

    init(_ sql: String, rows: Int = 1, of writer: StatementWriter) {
      (self.sql, self.rows, table) = (sql, rows, writer.origin.name)
    }
  }

  package init() {}

  /// Whether nothing is to be changed.
  package var isEmpty: Bool { deletes.isEmpty && updates.isEmpty && inserts.isEmpty }

  /// Adds the changes of rows of a table.
  ///
  /// - Throws: `CatalogError` with `changeRefused` if a statement would lose values that the rows do not have.
  package mutating func add(
    _ changes: [Change], of table: TableDescription, in origin: TableOrigin
  ) throws {
    tables.insert(origin.name.lowercased())
    let writer = StatementWriter(table, origin)
    if origin.isKeyless {
      let removed = writer.equalRows(changes.compactMap(\.before))
      let added = writer.equalRows(changes.compactMap(\.after))
      let pairs =
        origin.isPartial ? try RowPairing(removed, added, writer.places, in: origin).pairs : []
      addWhole(removed, added, pairs, writer)
    } else {
      try addKeyed(changes, writer)
    }
    for change in changes {
      if let after = change.after { trials.add(after, replacing: change.before, writer) }
    }
    if !origin.later.isEmpty {
      notes.append(
        "\(origin.name): \(origin.later.joined(separator: ", ")) was added later; the script leaves it as it is."
      )
    }
    if origin.isPartial, inserts.contains(where: { $0.table == origin.name }) {
      notes.append("\(origin.name): an added row has the default values of \(origin.missingWords).")
    }
  }

  /// - Throws: `CatalogError` with `changeRefused` if rows exchange unique values that would have to be removed and added again, and
  ///   have values that are not known here.
  private mutating func addKeyed(_ changes: [Change], _ writer: StatementWriter) throws {
    let updated = changes.compactMap { change in
      change.before.flatMap { before in change.after.map { (before: before, after: $0) } }
    }
    let origin = writer.origin
    // A row that is added again has only the values that are known here.
    let canBeAddedAgain = !origin.isPartial && origin.stale.isEmpty
    if let index = origin.otherUniques.first, updated.count > 1 {
      guard canBeAddedAgain else {
        throw Self.refusal(
          origin, "the unique index \(index) has values that are not known here")
      }
      for move in updated { exchange(move, writer) }
    } else {
      let moves = UniqueMoves(
        updated,
        UniqueRule.all(of: origin, changing: updated, keepsRowIDs: writer.keepsRowIDs))
      if let (_, rule) = moves.exchanged.first(where: { !$0.rule.isGuess }), !canBeAddedAgain {
        let names = rule.places.compactMap { origin.columns[$0] }
        throw Self.refusal(
          origin, "rows exchange their values of \(names.joined(separator: ", ")), which are unique"
        )
      }
      for (before, after) in moves.inOrder {
        if let sql = writer.update(from: before, to: after) {
          updates.append(Statement(sql, of: writer))
        }
      }
      for (move, _) in moves.exchanged { exchange(move, writer) }
    }
    for change in changes {
      switch change {
      case (let before?, nil): deletes.append(Statement(writer.delete(before), of: writer))
      case (nil, let after?): inserts.append(Statement(writer.insert(after), of: writer))
      case (nil, nil), (.some, .some): break
      }
    }
  }

  /// Removes a changed row at the beginning, and adds it again at the end.
  private mutating func exchange(_ move: UniqueMoves.Move, _ writer: StatementWriter) {
    // A row of which only unknown columns change stays.
    guard writer.update(from: move.before, to: move.after) != nil else { return }
    deletes.append(Statement(writer.delete(move.before), of: writer))
    inserts.append(Statement(writer.insert(move.after), of: writer))
  }

  private static func refusal(_ origin: TableOrigin, _ reason: String) -> CatalogError {
    CatalogError(
      .changeRefused,
      "\(origin.name): \(reason): the script would have to remove rows and add them again, and does not know all of their values; change one of the rows by hand first, or choose other tables with --table"
    )
  }

  /// Adds changes of rows that have no key: as many equal ones as there are.
  private mutating func addWhole(
    _ removed: [EqualRows], _ added: [EqualRows], _ pairs: [(before: Int, after: Int)],
    _ writer: StatementWriter
  ) {
    for (before, after) in pairs {
      let rows = removed[before]
      guard let sql = writer.update(from: rows.row, to: added[after].row) else { continue }
      updates.append(Statement(sql, rows: rows.count, of: writer))
    }
    if !pairs.isEmpty {
      notes.append(
        "\(writer.origin.name): a removed and an added row that are alike count as one, which keeps its values of \(writer.origin.missingWords)."
      )
    }
    let paired = (Set(pairs.map(\.before)), Set(pairs.map(\.after)))
    for (place, rows) in removed.enumerated() where !paired.0.contains(place) {
      deletes.append(Statement(writer.delete(rows), rows: rows.count, of: writer))
    }
    for (place, rows) in added.enumerated() where !paired.1.contains(place) {
      for _ in 0..<rows.count { inserts.append(Statement(writer.insert(rows.row), of: writer)) }
    }
  }

  // MARK: The script

  /// - Parameter heading: sentences about the change.
  package func text(heading: [String]) -> String {
    let usage = isEmpty ? ["nothing is to be changed"] : Self.usage
    var lines = (heading + notes + usage).map { "-- \(Self.commentable($0))" }
    guard !isEmpty else { return lines.joined(separator: "\n") + "\n" }
    let noted = name("mismatch")
    let verdict = name("verdict")
    let start = name("start")
    let statements = deletes + updates + inserts
    let rows = statements.reduce(0) { $0 + $1.rows }
    let besides = "total_changes() - (SELECT changes FROM temp.\(start)) - \(rows)"
    let unfit = name("unfit")
    lines += [
      // Rows that refer to others, and rows that follow from others, are all among the statements.
      "PRAGMA foreign_keys = OFF;",
      // Unlike BEGIN IMMEDIATE it does not fail if another program writes: the statements after it are a transaction in any case.
      "BEGIN;",
      // The first statement, which changes nothing here, and waits for other writers before anything is read.
      "\(statements[0].sql.dropLast()) AND 0;",
      "CREATE TEMP TABLE \(noted) (statement INTEGER, expected INTEGER, found INTEGER);",
      "CREATE TEMP TABLE \(unfit) (reason TEXT);",
    ]
    lines += trials.lines(on: name("trial"), notingIn: unfit)
    lines += [
      "CREATE TEMP TABLE \(start) AS SELECT total_changes() AS changes;",
      // It changes nothing, so that `changes()` is 0 before the first statement.
      "DELETE FROM temp.\(noted);",
    ]
    for (place, statement) in statements.enumerated() {
      let guarded = statement.sql.dropLast() + " AND EXISTS (SELECT 1 FROM temp.\(start));"
      lines.append("\(guarded) -- \(place + 1)")
      // It changes no row if all is well, so that the count is 0 again for a statement that fails.
      lines.append(
        "INSERT INTO temp.\(noted) SELECT \(place + 1), \(statement.rows), changes() WHERE changes() <> \(statement.rows);"
      )
    }
    lines += [
      "SELECT reason FROM temp.\(unfit);",
      "SELECT 'statement ' || statement || ' matched ' || found || ' rows, not ' || expected FROM temp.\(noted);",
      // Without a mismatch all further changes are of triggers.
      "SELECT 'triggers changed ' || (\(besides)) || ' rows besides; the heading says how to run it without them' WHERE (\(besides)) > 0 AND NOT EXISTS (SELECT 1 FROM temp.\(noted));",
      "CREATE TEMP TABLE \(verdict) (mismatches CONSTRAINT \"nothing was changed: rows are not as expected\" CHECK (mismatches = 0));",
      "INSERT OR ROLLBACK INTO temp.\(verdict) SELECT count(*) + max(0, \(besides)) + (SELECT count(*) FROM temp.\(unfit)) FROM temp.\(noted);",
      // They went with the transaction if it was taken back.
      "DROP TABLE IF EXISTS temp.\(verdict);",
      "DROP TABLE IF EXISTS temp.\(start);",
      "DROP TABLE IF EXISTS temp.\(unfit);",
      "DROP TABLE IF EXISTS temp.\(noted);",
      "COMMIT;",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static let usage = [
    "The program sqlite3 runs it: sqlite3 FILE < SCRIPT. It changes all of this or nothing: if a row has other values by then,",
    "it says which statement did not match, and the exit status is 1. If triggers of the database change further rows, it changes",
    "nothing either: sqlite3 FILE '.dbconfig enable_trigger off' '.read SCRIPT' runs it without them.",
    "Another program runs it as it is, whether it stops at the first error or not: Python's executescript does.",
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

extension SQLScript {
  /// A script for the changes of tables.
  ///
  /// - Parameter origin: the table of the other program's database for one of the catalog.
  /// - Throws: `CatalogError` with `changeRefused` if rows are not from a database, or from several.
  package init(
    _ tables: [(table: TableDescription, changes: [Change])],
    origin: (TableDescription) -> TableOrigin?
  ) throws {
    self.init()
    var databases: [String] = []
    for (table, changes) in tables where !changes.isEmpty {
      guard let origin = origin(table) else {
        throw CatalogError(
          .changeRefused,
          "the rows of \(table.name) are not from the database of another program; SQL is only for those that \(ProgramName.current) adopt reads"
        )
      }
      if !databases.contains(origin.database) { databases.append(origin.database) }
      try add(changes, of: table, in: origin)
    }
    guard databases.count > 1 else { return }
    throw CatalogError(
      .changeRefused,
      "the changes are of the databases \(databases.joined(separator: " and ")); choose the tables of one with --table"
    )
  }

  /// A script for the differences of two states, all of which are listed.
  package init(_ diff: HistoryDiff, origin: (TableDescription) -> TableOrigin?) throws {
    try self.init(
      diff.tables.map { ($0.description, $0.differences.map { ($0.before, $0.after) }) },
      origin: origin)
  }
}
