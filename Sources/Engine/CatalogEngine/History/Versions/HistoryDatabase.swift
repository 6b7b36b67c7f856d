import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections

/// A history that is open to read, as it was when it was opened: a process that brings it up to date is not seen.
final class HistoryDatabase: Sendable {
  let schema: HistorySchema
  private let queue: DatabaseQueue
  private let views: HistoryViews

  /// - Returns: nil if it does not reach as far as an event.
  init?(_ path: String, _ schema: HistorySchema, through sequence: UInt64) throws {
    self.schema = schema
    views = HistoryViews(schema)
    queue = try ReadOnlyDatabase.open(path, .shared, "history") { database in
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    let checkpoint = try queue.unsafeRead { database in
      try database.beginTransaction(.deferred)
      return try HistoryMark.read(database)
    }
    guard let checkpoint, checkpoint.fingerprint == schema.fingerprint,
      checkpoint.sequence >= sequence
    else { return nil }
  }

  /// Runs a statement over the rows of a moment.
  ///
  /// - Parameters:
  ///   - sequence: the last event of a batch.
  ///   - body: gets the prepared statement.
  /// - Returns: nil if the statement asks for more than a history has; a database of that moment answers it.
  func run<Result>(
    _ sql: String, at sequence: UInt64, _ body: (Statement, Database) throws -> Result
  ) throws -> Result? {
    guard !views.mayNeedMore(sql) else {
      guard let versions = views.versions(in: sql) else { return nil }
      throw CatalogError(
        .sqlRefused,
        "\(versions) has no row ids, and a statement that names it can ask for nothing else than rows: not for the schema, a "
          + "pragma, temp or explain; ask in two statements")
    }
    return try queue.unsafeRead { database in
      try views.make(for: sql, at: sequence, database)
      let statement: Statement
      do {
        statement = try PastDatabase.statement(sql, in: database)
      } catch let error as DatabaseError
        where [.SQLITE_ERROR, .SQLITE_MISUSE].contains(error.resultCode)
      {
        // A name that only the tables themselves have, or a mistake, which they put into words.
        return nil
      }
      return try body(statement, database)
    }
  }

  /// Reads the tables of the catalog, by their own names, as they were at a moment.
  func readTables<Result>(
    at sequence: UInt64, _ body: (Database) throws -> Result
  ) throws -> Result {
    try queue.unsafeRead { database in
      let names = schema.schema.tables.map(\.name).joined(separator: " ")
      try views.make(for: names, at: sequence, database)
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
