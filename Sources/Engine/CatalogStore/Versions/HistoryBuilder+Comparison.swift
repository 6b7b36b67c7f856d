import CatalogModel
package import GRDB
package import Projections

/// A row of a history that is not as a fold of the log makes it.
package enum HistoryDifference: Sendable {
  /// A version of a row of this table. The key of the difference ends with the event that made the version.
  case version(TableDescription, RowDifference)
  /// The receipt of a table after a batch: the batch's last event.
  case receipt(TableDescription, UInt64, RowDifference)
  /// A row that says something of the log.
  case log(RowDifference)
}

extension HistoryBuilder {
  /// Compares a history with what was gathered, which is drained on the way.
  ///
  /// - Parameters:
  ///   - database: of the history, which ends with the fold's last event.
  ///   - didCompare: called after each table with how many rows the log makes of it.
  ///   - report: gets every difference, table by table in key order.
  package func compare(
    with database: Database, didCompare: (Int) throws -> Void,
    report: (HistoryDifference) throws -> Void
  ) throws {
    for (table, generations) in zip(history.schema.tables, generations) {
      let versions = rows.drainVersions(table)
      let cuts = cuts[table.ordinal]
      for generation in generations {
        let number = generation.number
        let description = history.versions(generation)
        let made = versions.rows(
          from: generation.start, before: number < cuts.count ? cuts[number] : nil,
          as: description)
        try Self.compare(description, made, database) { try report(.version(table, $0)) }
        try didCompare(made.count)
        try own.put(generation.row, in: HistoryGeneration.description)
      }
    }
    for table in HistorySchema.own.tables {
      let made = own.drain(table)
      try Self.compare(table, made, database) { difference in
        // It depends on whether the history was made as a whole.
        if case .changed("indexed_after", _, _) = difference.kind { return }
        guard table === HistorySchema.steps, difference.key.count == 2,
          case .integer(let number) = difference.key[0],
          case .integer(let last) = difference.key[1],
          history.schema.tables.indices.contains(Int(number))
        else { return try report(.log(difference)) }
        try report(.receipt(history.schema.tables[Int(number)], UInt64(clamping: last), difference))
      }
      try didCompare(made.count)
    }
  }

  /// Compares the sums of a table's rows, and the rows themselves only if these differ.
  private static func compare(
    _ table: TableDescription, _ made: PackedRows, _ database: Database,
    _ report: (RowDifference) throws -> Void
  ) throws {
    let digester = RowDigester(table)
    var cells = Array(repeating: PackedCell.null, count: table.columns.count)
    var expected = RowSum()
    for row in 0..<made.count {
      made.read(row, into: &cells)
      expected.add(digester.digest(cells))
    }
    let sql = "SELECT \(table.columnList) FROM main.\(table.sqlName)"
    let kept = try PreparedStatement(database, sql)
    var sum = RowSum()
    while try kept.step() { sum.add(digester.digest(kept)) }
    guard sum != expected else { return }
    let statement = try PreparedStatement(database, sql + " ORDER BY \(table.keyList)")
    var place = 0
    try RowComparison.forEachRow(
      of: table,
      live: {
        try statement.step() ? table.columns.indices.map { StoredValue(statement.cell($0)) } : nil
      },
      expected: {
        guard place < made.count else { return nil }
        made.read(place, into: &cells)
        place += 1
        return cells.map { StoredValue($0.value) }
      },
      body: { row in
        for difference in row.differences(in: table) { try report(difference) }
      })
  }
}
