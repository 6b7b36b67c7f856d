import CatalogModel
import CatalogStore
import GRDB
import Projections
import Support

extension HistoryDatabase {
  /// The latest time of each batch's events, by the batch's last event; only of batches that end with one of these events.
  func times(ofBatchesEndingWith ends: Set<UInt64>) throws -> [UInt64: Timestamp] {
    guard let first = ends.min(), let last = ends.max() else { return [:] }
    var times: [UInt64: Timestamp] = [:]
    times.reserveCapacity(ends.count)
    try read { database in
      // One walk in the order of the key: a statement for each of 20,000 batches takes ten times as long.
      let rows = try database.rows(
        of: StoredRow.Origin("history_batch"),
        "SELECT last, at FROM history_batch WHERE last BETWEEN ? AND ?",
        [Int64(clamping: first), Int64(clamping: last)]
      ) { (end: UInt64(try $0.count(0)), at: try $0.time(1)) }
      for batch in rows where ends.contains(batch.end) { times[batch.end] = batch.at }
    }
    return times
  }

  /// The batch that holds an event, and those after it, up to another event, that changed a table which a statement reads: no
  /// other batch changes its answer.
  func batches(
    from first: UInt64, through last: UInt64, thatMayChange sql: String
  ) throws -> [BatchRange] {
    let all = try batches(from: first, through: last)
    guard let beginning = all.first, let end = all.last,
      let tables = try tables(readBy: sql, at: beginning.lastSequence)
    else { return all }
    let (first, last) = (beginning.lastSequence, end.lastSequence)
    let changed =
      try ends(ofBatchesThatChanged: tables, inRowsOf: sql, after: first, through: last)
      ?? ends(ofBatchesThatChanged: tables, after: first, through: last)
    return all.filter { $0 == beginning || changed.contains($0.lastSequence) }
  }

  private func ends(
    ofBatchesThatChanged tables: [TableDescription], after first: UInt64, through last: UInt64
  ) throws -> Set<UInt64> {
    try read { database in
      let statement = try PreparedStatement(
        database, "SELECT last FROM history_step WHERE tbl = ? AND last > ? AND last <= ?")
      var ends: Set<UInt64> = []
      for table in tables {
        try statement.bind([
          .integer(Int64(table.ordinal)), .sequence(first), .sequence(last),
        ])
        while try statement.step() { ends.insert(statement.sequence(0)) }
        statement.reset()
      }
      return ends
    }
  }

  /// The ends of the batches that changed a row which a statement over one table asks for: no other batch changes its answer,
  /// whatever it computes of these rows.
  ///
  /// - Returns: nil if it is another statement, or if only the states themselves tell.
  private func ends(
    ofBatchesThatChanged tables: [TableDescription], inRowsOf sql: String, after first: UInt64,
    through last: UInt64
  ) throws -> Set<UInt64>? {
    guard let rows = TableCondition(ofSelect: sql, schema.schema), !rows.isEmpty,
      tables.count == 1, tables[0] === rows.table
    else { return nil }
    let ends = try ends(through: last)
    var changed: Set<UInt64> = []
    func add(_ event: UInt64) {
      let place = ends.place(from: event)
      if place < ends.count, ends[place] > first { changed.insert(ends[place]) }
    }
    do {
      try read { database in
        let versions = try PreparedStatement(
          database, rows.sql(over: self.versions(of: rows.table)))
        while try versions.step() {
          add(versions.sequence(0))
          let end = versions.integer(1)
          if end < 0 { add(VersionColumns.event(end)) }
        }
      }
    } catch is StoreError {
      // Of a row that no state has which is asked for.
      return nil
    }
    return changed
  }

  /// The tables of the catalog that a statement reads.
  ///
  /// - Returns: nil if it also reads what each batch changes, or what a history does not have.
  private func tables(readBy sql: String, at sequence: UInt64) throws -> [TableDescription]? {
    guard !mayReadFullText(sql) else { return nil }
    guard let region = try run(sql, at: sequence, { statement, _ in statement.databaseRegion })
    else { return nil }
    func isRead(_ name: String) -> Bool {
      region.isModified(byEventsOfKind: .insert(tableName: name))
    }
    let others = HistorySchema.own.tables.map(\.name) + ["history_checkpoint"]
    guard !region.isFullDatabase, !others.contains(where: isRead) else { return nil }
    return schema.schema.tables.filter { table in
      isRead(generations.at(sequence, of: table).name(table))
    }
  }

  // MARK: Counting

  /// The answers of a statement that counts rows of one table, `SELECT count(*) > 40 FROM T WHERE …`: after the batch that holds an
  /// event, and after each one up to another event that changes the answer, in one pass over the versions.
  ///
  /// - Parameter check: called now and then; stops the pass if it throws.
  /// - Returns: nil if it is another statement.
  func answers(
    ofCounting sql: String, from first: UInt64, through last: UInt64, check: () throws -> Void
  ) throws -> [(batch: BatchRange, value: StoredValue)]? {
    guard let statement = CountStatement(sql, schema.schema) else { return nil }
    let counts: [(batch: BatchRange, count: Int64)]
    if statement.isOfAllRows {
      counts = try rowCounts(of: statement.rows.table, from: first, through: last)
    } else {
      guard let tables = try tables(readBy: sql, at: first), tables.count == 1,
        tables[0] === statement.rows.table,
        let found = try self.counts(of: statement.rows, from: first, through: last, check)
      else { return nil }
      counts = found
    }
    guard let expression = statement.expression else {
      return counts.map { ($0.batch, .integer($0.count)) }
    }
    return try read { database in
      let question = try PreparedStatement(database, "SELECT \(expression)")
      var answers: [(batch: BatchRange, value: StoredValue)] = []
      for (batch, count) in counts {
        try question.bind(.integer(count), at: 1)
        _ = try question.step()
        let value = StoredValue(question.cell(0))
        question.reset()
        if answers.last?.value != value { answers.append((batch, value)) }
      }
      return answers
    }
  }

  /// How many rows a table has after the batch that holds an event, and after each one up to another event that changes the
  /// number: the steps of the batches say it.
  func rowCounts(
    of table: TableDescription, from first: UInt64, through last: UInt64
  ) throws -> [(batch: BatchRange, count: Int64)] {
    let ends = try ends(through: last)
    var changes = Array(repeating: Int64(0), count: ends.count + 1)
    try read { database in
      let steps = try PreparedStatement(
        database, "SELECT last, added - removed FROM history_step WHERE tbl = ?",
        [.integer(Int64(table.ordinal))])
      while try steps.step() {
        changes[ends.place(from: steps.sequence(0))] += steps.integer(1)
      }
    }
    return Self.counts(changes, ends, from: first)
  }

  /// - Returns: nil if only the states themselves tell.
  private func counts(
    of rows: TableCondition, from first: UInt64, through last: UInt64,
    _ check: () throws -> Void
  ) throws -> [(batch: BatchRange, count: Int64)]? {
    let ends = try ends(through: last)
    var changes = Array(repeating: Int64(0), count: ends.count + 1)
    do {
      try read { database in
        let versions = try PreparedStatement(
          database, rows.sql(over: self.versions(of: rows.table)))
        var count = 0
        while try versions.step() {
          count += 1
          if count.isMultiple(of: 10_000) { try check() }
          changes[ends.place(from: versions.sequence(0))] += 1
          let end = versions.integer(1)
          if end < 0 {
            changes[ends.place(from: VersionColumns.event(end))] -= 1
          }
        }
      }
    } catch is StoreError {
      // Of a row that no state has which is asked for. The states themselves tell.
      return nil
    }
    return Self.counts(changes, ends, from: first)
  }

  /// Adds up what each batch changed.
  private static func counts(
    _ changes: [Int64], _ ends: [UInt64], from first: UInt64
  ) -> [(batch: BatchRange, count: Int64)] {
    var counts: [(batch: BatchRange, count: Int64)] = []
    var count: Int64 = 0
    for (place, end) in ends.enumerated() {
      count += changes[place]
      guard end >= first, counts.last?.count != count else { continue }
      counts.append(
        (
          BatchRange(firstSequence: place == 0 ? 1 : ends[place - 1] + 1, lastSequence: end),
          count
        ))
    }
    return counts
  }

  /// All versions of a table's rows as a query, with the events that began and ended them, the second as a history stores it, in
  /// columns that no statement over the table names.
  private func versions(of table: TableDescription) -> String {
    // A version has ended in one generation, or is in the last.
    let all = generations.all(of: table)
    return all.map { generation in
      "SELECT \(table.columnList), \(table.versionColumns.from) AS \"\(TableCondition.begin)\", "
        + "\(table.versionColumns.to) AS \"\(TableCondition.end)\" FROM main.\(generation.name(table))"
        + (generation.number < all.count - 1 ? " WHERE \(table.versionColumns.to) < 0" : "")
    }.joined(separator: " UNION ALL ")
  }
}

/// A statement that counts the rows of one table for which a condition is true: `SELECT count(*) FROM T WHERE …`, or that compares or
/// computes with their number alone: `SELECT count(*) > 40 FROM T`.
struct CountStatement {
  let rows: TableCondition
  /// The answer, with `?` for the number of rows; nil if it is that number.
  let expression: String?

  /// Whether it counts all rows of the table.
  var isOfAllRows: Bool { rows.isEmpty }

  /// - Returns: nil if it is another statement, or if only SQLite knows.
  init?(_ sql: String, _ schema: Schema) {
    var tokens = SQLTokens(sql)
    guard tokens.next()?.lowercased() == "select", let expression = Self.expression(&tokens),
      let rows = TableCondition(&tokens, schema, mayGoOn: false)
    else { return nil }
    self.expression = expression == "?" ? nil : expression
    self.rows = rows
  }

  /// Reads what is selected, and `FROM`.
  ///
  /// - Returns: the expression with `?` for `count(*)`; nil if it has anything but numbers, operators and one `count(*)`.
  private static func expression(_ tokens: inout SQLTokens) -> String? {
    var parts: [String] = []
    var hasCount = false
    while let token = tokens.next()?.lowercased() {
      switch token {
      case "from": return hasCount ? parts.joined() : nil
      case "count":
        guard !hasCount, tokens.next() == "(", tokens.next() == "*", tokens.next() == ")" else {
          return nil
        }
        hasCount = true
        parts.append("?")
      case "and", "or", "not": parts.append(" \(token) ")
      case "<", ">", "=", "!", "+", "-", "*", "/", "%", "(", ")":
        // Two marks that are one operator may not be taken apart, and two operators not made one: "- -1".
        let isPair = ["<=", ">=", "<>", "!=", "==", "<<", ">>"].contains((parts.last ?? "") + token)
        if !isPair, parts.last.map({ "<>=!-/".contains($0) }) == true { parts.append(" ") }
        parts.append(token)
      default:
        guard token.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        parts.append(" \(token)")
      }
    }
    return nil
  }
}

extension [UInt64] {
  /// The place of the first of these ascending numbers that is not less than another one.
  func place(from number: UInt64) -> Int {
    BinarySearch.first(of: count) { self[$0] >= number }
  }
}
