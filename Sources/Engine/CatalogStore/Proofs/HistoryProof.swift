package import GRDB
import Projections

/// Compares a history's file with the sum of its rows, its tables and its indexes with each other, and its schema with the one
/// that this program makes. No event is read.
package struct HistoryProof {
  private let history: HistorySchema
  private let database: Database

  package init(_ history: HistorySchema, _ database: Database) {
    (self.history, self.database) = (history, database)
  }

  /// Whether no other program, and no fault of the disk, has changed the file.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  package func isWhole() throws -> Bool {
    guard try structureProblems(atMost: 1).isEmpty, let kept = try HistoryMark.sum(database),
      try HistoryMark.isAtLastBatch(database)
    else { return false }
    return try sum() == kept
  }

  /// The sum of the rows that the file has.
  package func sum() throws -> HistorySum {
    var sum = HistorySum()
    for table in history.tables(try HistoryGenerations(history, database)) {
      let digester = RowDigester(table)
      let rows = try PreparedStatement(database, try TableReading(table, database).all)
      var total = RowSum()
      while try rows.step() { total.add(digester.digest(rows)) }
      sum.add(total, of: table)
    }
    return sum
  }

  /// The faults of the schema and the indexes, and those that SQLite finds in the file; a sentence each.
  package func structureProblems(atMost limit: Int) throws -> [String] {
    let expected = try schema()
    let found = try SchemaListing(database)
    let differing =
      expected.entries.filter { !found.entries.contains($0) }
      + found.entries.filter { !expected.entries.contains($0) }
    guard differing.isEmpty else {
      let names = Set(differing.map { "\($0.type) \($0.name)" }).sorted()
      return names.prefix(limit).map { "the \($0) is not as the program makes it" }
    }
    return try IntegrityCheck.problems(in: database, atMost: limit)
  }

  /// The schema of a file with these generations.
  private func schema() throws -> SchemaListing {
    let tables = history.tables(try HistoryGenerations(history, database))
    let queue = try DatabaseQueue()
    defer { try? queue.close() }
    return try queue.write { database in
      try HistorySchema.create(tables, database)
      return try SchemaListing(database)
    }
  }
}
