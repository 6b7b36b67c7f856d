import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Synchronization

/// A history that is open to read, as it was when it was opened: a process that brings it up to date is not seen.
final class HistoryDatabase: Sendable {
  let schema: HistorySchema
  /// The last event that it has, and the projector that made its rows.
  let checkpoint: Checkpoint
  let generations: HistoryGenerations
  private let queue: DatabaseQueue
  /// The moments of the full-text indexes that were made, by their names.
  private let searched = Mutex<[String: UInt64]>([:])
  /// The moment of which all tables have views; nil if a statement made others since.
  private let whole = Mutex<UInt64?>(nil)
  private var views: HistoryViews { HistoryViews(schema, generations) }

  /// - Parameter prepare: called with the connection.
  /// - Returns: nil if it does not reach as far as an event.
  init?(
    _ path: String, _ schema: HistorySchema, through sequence: UInt64,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
  ) throws {
    self.schema = schema
    queue = try ReadOnlyDatabase.open(path, .shared, "history") { database in
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
      try prepare(database)
    }
    let found = try queue.unsafeRead { database -> (Checkpoint, HistoryGenerations)? in
      try database.beginTransaction(.deferred)
      guard let checkpoint = try HistoryMark.read(database),
        checkpoint.fingerprint == schema.fingerprint, checkpoint.sequence >= sequence
      else { return nil }
      return (checkpoint, try HistoryGenerations(schema, database))
    }
    guard let found else { return nil }
    (checkpoint, generations) = found
  }

  /// Runs a statement over the rows of a moment.
  ///
  /// - Parameters:
  ///   - sequence: the last event of a batch.
  ///   - limit: when full-text indexes that are made for the statement are given up; nil if never.
  ///   - body: gets the prepared statement.
  /// - Returns: nil if the statement asks for more than a history has; a database of that moment answers it.
  func run<Result>(
    _ sql: String, at sequence: UInt64, until limit: StatementLimit? = nil,
    _ body: (Statement, Database) throws -> Result
  ) throws -> Result? {
    // Only the history has versions, and only a database all else.
    func needsMore() throws -> Result? {
      guard let versions = views.versions(in: sql) else { return nil }
      throw CatalogError(
        .sqlRefused,
        "\(versions) has no row ids, and a statement that names it can ask for nothing else than rows: not for the schema, a "
          + "pragma, temp or explain; ask in two statements")
    }
    guard !views.mayNeedMore(sql) else { return try needsMore() }
    return try queue.unsafeRead { database in
      whole.withLock { $0 = nil }
      for index in views.indexes(in: sql) {
        if let limit {
          try limit.run(in: database) { try make(index, at: sequence, database) }
        } else {
          try make(index, at: sequence, database)
        }
      }
      try views.make(for: sql, at: sequence, database)
      let statement: Statement
      do {
        statement = try PastDatabase.statement(
          views.count(sql, at: sequence) ?? sql, in: database)
      } catch let error as DatabaseError
        where [.SQLITE_ERROR, .SQLITE_MISUSE].contains(error.resultCode)
      {
        // A name that only the tables themselves have, or a mistake, which they put into words.
        return nil
      }
      guard !views.readsRowIDs(sql, statement) else { return try needsMore() }
      return try body(statement, database)
    }
  }

  /// Whether a statement may read a full-text index, whose texts SQLite reads without telling.
  func mayReadFullText(_ sql: String) -> Bool { !views.indexes(in: sql).isEmpty }

  /// Makes a full-text index of a moment, if the last question was of another one.
  private func make(
    _ index: FullTextIndexDescription, at sequence: UInt64, _ database: Database
  ) throws {
    // It reads the texts themselves from the view.
    try views.make(for: index.table.name, at: sequence, database)
    guard searched.withLock({ $0[index.name] }) != sequence else { return }
    try views.make(index, database)
    searched.withLock { $0[index.name] = sequence }
  }

  /// Reads the tables of the catalog, by their own names, as they were at a moment.
  func readTables<Result>(
    at sequence: UInt64, _ body: (Database) throws -> Result
  ) throws -> Result {
    try queue.unsafeRead { database in
      if whole.withLock({ $0 }) != sequence {
        let names =
          schema.schema.tables.map(\.name) + ["projection_checkpoint", "projection_conflict"]
        try views.make(for: names.joined(separator: " "), at: sequence, database)
        whole.withLock { $0 = sequence }
      }
      // A full-text index is made when it is missed.
      for _ in schema.schema.fullTextIndexes {
        do {
          return try body(database)
        } catch let error where error is DatabaseError || error is StoreError {
          let missing = schema.schema.fullTextIndexes.first { index in
            [index.name, index.terms].contains { "\(error)".contains("no such table: \($0)") }
          }
          guard let missing else { throw error }
          try make(missing, at: sequence, database)
        }
      }
      return try body(database)
    }
  }

  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try queue.unsafeRead(body)
  }

  /// Stops the statement that runs, from any thread.
  var interrupt: @Sendable () -> Void {
    { [queue] in queue.interrupt() }
  }
}
