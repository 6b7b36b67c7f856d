import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections

// What a plan to take operations back asks of the present rows.
extension HistoryDatabase {
  private static let origin = StoredRow.Origin("history_batch")

  /// The operations of whole batches, as an event that takes them back names them.
  ///
  /// - Parameter documents: the columns of the hashes of documents.
  func operations(
    from first: UInt64, through last: UInt64, documents: [ReversalRules.Columns], reason: String?
  ) throws -> [RevertedOperation] {
    let batches = try read { database in
      try database.rows(
        of: Self.origin,
        """
        SELECT operation, first, last FROM history_batch WHERE first >= ? AND last <= ?
        ORDER BY first
        """, [Int64(clamping: first), Int64(clamping: last)]
      ) { row in
        RevertedOperation(
          operation: try row.id(0), first: Int64(try row.count(1)), last: Int64(try row.count(2)),
          documents: [], reason: reason)
      }
    }
    return try batches.map { batch in
      var operation = batch
      for column in documents {
        operation.documents += try hashes(of: batch, in: column)
      }
      return operation
    }
  }

  /// The hashes that an operation wrote to a column.
  private func hashes(
    of operation: RevertedOperation, in columns: ReversalRules.Columns
  ) throws -> [String] {
    let changes = try changes(
      after: UInt64(clamping: operation.first) - 1, through: UInt64(clamping: operation.last),
      in: [columns.table])
    let place = columns.places[0]
    return changes.compactMap { change in
      guard case .text(let hash)? = change.after?[place], change.before?[place] != .text(hash)
      else { return nil }
      return hash
    }
  }

  /// The rows that are there now, of some.
  func presentRows(_ addresses: [RowAddress]) throws -> [RowAddress: [Value]] {
    try read { database in
      var found: [RowAddress: [Value]] = [:]
      var statements: [Int: PreparedStatement] = [:]
      for address in addresses {
        let table = schema.schema.tables[address.table]
        let statement =
          try statements[address.table]
          ?? PreparedStatement(
            database,
            "SELECT \(table.columnList) FROM main.\(presentName(of: table)) "
              + "WHERE \(table.keyCondition) AND +_to = 0")
        statements[address.table] = statement
        try statement.bind(address.key)
        if try statement.step() { found[address] = try statement.row(of: table) }
        statement.reset()
      }
      return found
    }
  }

  /// A row as it was at a moment; nil if there was none.
  func row(of table: TableDescription, key: [Value], at sequence: UInt64) throws -> [Value]? {
    let version = try versions(of: table, key: key, through: sequence).last
    return version?.to == nil ? version?.row : nil
  }

  /// Whether a table had a row with some values at a moment.
  func hasRow(
    of table: TableDescription, where columns: [Int], are values: [Value], at sequence: UInt64,
    _ database: Database
  ) throws -> Bool {
    guard sequence > 0, !values.contains(.null) else { return false }
    let statement = try PreparedStatement(
      database,
      """
      SELECT 1 FROM main.\(generations.at(sequence, of: table).name(table)) WHERE \(table.condition(columns))
      AND +_from <= \(sequence) AND +_to > \(VersionColumns.end(sequence))
      """, values)
    return try statement.step()
  }

  /// The keys of rows that are there now and have any of some values, by these.
  func presentKeys(
    of table: TableDescription, where columns: [Int], areAnyOf values: [[Value]]
  ) throws -> [[Value]: [[Value]]] {
    return try read { database in
      let statement = try PreparedStatement(
        database,
        "SELECT \(table.columnList) FROM main.\(presentName(of: table)) WHERE \(table.condition(columns)) AND +_to = 0"
      )
      var found: [[Value]: [[Value]]] = [:]
      for values in values where found[values] == nil {
        try statement.bind(values)
        found[values] = try statement.all { table.key(of: try $0.row(of: table)) }
        statement.reset()
      }
      return found
    }
  }

  /// The keys of rows with some values that events after a moment changed, added or removed.
  func rowsChanged(
    after sequence: UInt64, in table: TableDescription, where columns: [Int], are values: [Value]
  ) throws -> [[Value]] {
    let ended = VersionColumns.end(max(sequence, 1))
    let first = generations.at(sequence, of: table).number
    let last = generations.at(checkpoint.sequence, of: table).number
    return try read { database in
      var found: [[Value]] = []
      var known: Set<[Value]> = []
      for generation in generations.all(of: table)
      where (first...last).contains(generation.number) {
        let statement = try PreparedStatement(
          database,
          """
          SELECT \(table.columnList) FROM main.\(generation.name(table)) WHERE \(table.condition(columns))
          AND (+_from > \(sequence) OR (+_to < 0 AND +_to > \(ended)))
          """, values)
        while try statement.step() {
          let key = table.key(of: try statement.row(of: table))
          if known.insert(key).inserted { found.append(key) }
        }
      }
      return found
    }
  }

  private func presentName(of table: TableDescription) -> String {
    generations.at(checkpoint.sequence, of: table).name(table)
  }
}
