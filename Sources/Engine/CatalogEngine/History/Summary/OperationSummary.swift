import CatalogStore
package import Projections

/// The changes that events made to the rows, table by table: "1,107 rows changed: category 519, stock 578, price 80" shows at a glance
/// that an import changed what it should not.
public struct OperationSummary: Hashable, Sendable {
  /// Tables with changes, in the order of the schema.
  public internal(set) var tables: [TableSummary]

  /// - Parameter tables: in the order of the schema.
  package init(_ tables: [TableSummary]) {
    self.tables = tables
  }

  package init(_ changes: [RowChange]) {
    tables = Dictionary(grouping: changes, by: \.table.ordinal).sorted { $0.key < $1.key }.map {
      TableSummary($0.value[0].table, $0.value)
    }
  }
}

extension PastStates {
  /// Summarises the changes of some batches, as the states before and after them differ; with the columns that never changed before.
  ///
  /// - Parameter withOwn: whether the program's own tables, and rows in which only columns such as `updated_at` changed, count.
  /// - Throws: as `openHistory`.
  package func summary(
    of range: BatchRange, withOwn: Bool = false
  ) throws -> OperationSummary {
    let history = try openHistory(through: range.lastSequence)
    return try history.noting(
      history.summary(of: range, withOwn: withOwn), after: range.firstSequence - 1)
  }

  /// Batches, one after another, with their types of events and counts of rows.
  ///
  /// - Throws: as `openHistory`.
  package func described(_ range: BatchRange) throws -> Divergence.Batch {
    try openHistory(through: range.lastSequence).description(of: range)
  }

  /// A summary with the columns that never changed up to an event; as it is if no history is there.
  package func noting(
    _ summary: OperationSummary, after sequence: UInt64
  ) throws -> OperationSummary {
    try readyHistory(through: sequence)?.noting(summary, after: sequence) ?? summary
  }
}

extension HistoryDatabase {
  /// Reads the rows of both states one after another: an operation may change more of them than fit into memory.
  fileprivate func summary(of range: BatchRange, withOwn: Bool) throws -> OperationSummary {
    try read { database in
      var leftOut = OmittedChanges()
      let tables = schema.schema.tables.filter { withOwn || !$0.isOwn }
      return OperationSummary(
        try tables.compactMap { table in
          let difference = try difference(
            in: table, after: range.firstSequence - 1, through: range.lastSequence, database)
          guard let difference else { return nil }
          let summary = TableSummary(
            try HistoryDiff.compare(
              table, difference.before, difference.after, 0, withoutStamps: !withOwn,
              countsColumns: true, &leftOut))
          return summary.added + summary.removed + summary.changed > 0 ? summary : nil
        })
    }
  }

  func noting(_ summary: OperationSummary, after sequence: UInt64) throws -> OperationSummary {
    var summary = summary
    for place in summary.tables.indices {
      let named = summary.tables[place].name
      guard let table = schema.schema.tables.first(where: { $0.name == named }) else { continue }
      summary.tables[place].columns = try noting(
        summary.tables[place].columns, of: table, after: sequence)
    }
    return summary
  }

  func noting(
    _ changes: [ColumnChanges], of table: TableDescription, after sequence: UInt64
  ) throws -> [ColumnChanges] {
    try changes.map { change in
      var change = change
      change.isFirstChange = try table.index(of: change.column).map {
        try !hasChange(of: $0, in: table, through: sequence)
      }
      return change
    }
  }

  /// Whether a batch up to an event changed a column of a row that the table had before it. A row that is removed and added
  /// again later is not changed.
  private func hasChange(
    of column: Int, in table: TableDescription, through last: UInt64
  ) throws -> Bool {
    guard last > 0 else { return false }
    let name = table.columns[column].sqlName
    let key = table.key.map { place in
      let column = table.columns[place].sqlName
      return "new.\(column) = old.\(column)"
    }
    return try read { database in
      for ended in generations.all(of: table) where ended.start <= last {
        // The version that follows may be in the next generation already.
        for following in generations.all(of: table).dropFirst(ended.number).prefix(2) {
          let statement = try PreparedStatement(
            database,
            """
            SELECT 1 FROM main.\(ended.name(table)) AS old CROSS JOIN main.\(following.name(table)) AS new
            WHERE old.\(table.versionColumns.to) < 0 AND old.\(table.versionColumns.to) <= \(VersionColumns.end(last))
              AND \(key.joined(separator: " AND "))
              AND new.\(table.versionColumns.from) = old.\(table.versionColumns.to) + \(VersionColumns.offset)
              AND new.\(name) IS NOT old.\(name) LIMIT 1
            """)
          if try statement.step() { return true }
        }
      }
      return false
    }
  }
}
