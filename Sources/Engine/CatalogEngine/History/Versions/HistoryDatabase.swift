import CatalogModel
import CatalogStore
import EventLog
import GRDB
import Projections
import Synchronization

/// A history that is open to read.
final class HistoryDatabase: Sendable {
  /// How much a process that brings the history up to date is seen of.
  enum Reading: Sendable {
    /// Each call reads the file as it is then: for what is kept. Nothing is kept from others between two calls.
    case latest
    /// All calls read the file as it was when it was opened, in one transaction.
    case snapshot
  }

  /// The state of the file in a transaction.
  private struct Content {
    let checkpoint: Checkpoint
    let generations: HistoryGenerations
    /// The connection's `data_version`.
    let version: Int64
  }

  let schema: HistorySchema
  /// The last event that it has, and the projector that made its rows.
  var checkpoint: Checkpoint { content.withLock { $0.checkpoint } }
  /// Within a call of `read`, those of its transaction.
  var generations: HistoryGenerations { content.withLock { $0.generations } }
  private let path: String
  private let queue: DatabaseQueue
  private let isDamaged: @Sendable () -> Void
  private let content: Mutex<Content>
  /// The moments of the full-text indexes that were made, by their names.
  private let searched = Mutex<[String: UInt64]>([:])
  /// The moment of which all tables have views; nil if a statement made others since.
  private let whole = Mutex<UInt64?>(nil)
  private var views: HistoryViews { HistoryViews(schema, generations) }

  /// - Parameters:
  ///   - prepare: called with the connection.
  ///   - isDamaged: called if a call finds what no history has.
  /// - Returns: nil if it does not reach as far as an event.
  init?(
    _ path: String, _ schema: HistorySchema, through sequence: UInt64,
    _ reading: Reading = .snapshot,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in },
    isDamaged: @escaping @Sendable () -> Void = {}
  ) throws {
    (self.schema, self.path, self.isDamaged) = (schema, path, isDamaged)
    queue = try ReadOnlyDatabase.open(path, .shared, "history") { database in
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
      try prepare(database)
    }
    let found = try queue.unsafeRead { database -> Content? in
      try database.beginTransaction(.deferred)
      let content = try Self.content(database, schema, through: sequence)
      if case .latest = reading { try database.commit() }
      return content
    }
    guard let found else { return nil }
    content = Mutex(found)
  }

  /// The last connection to a file with a write-ahead log leaves that file's companions if it only reads.
  deinit {
    try? queue.close()
    DatabaseFile.removeCompanions(of: path)
  }

  private static func content(
    _ database: Database, _ schema: HistorySchema, through sequence: UInt64
  ) throws -> Content? {
    let version = try database.dataVersion()
    guard let checkpoint = try HistoryMark.read(database),
      checkpoint.fingerprint == schema.fingerprint, checkpoint.sequence >= sequence
    else { return nil }
    return Content(
      checkpoint: checkpoint, generations: try HistoryGenerations(schema, database),
      version: version)
  }

  /// - Throws: what `body` throws; `StoreError` with `notADatabase` if the file is damaged.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try queue.unsafeRead { database in try transaction(database) { try body(database) } }
    } catch let error {
      guard let reason = Self.damage(error) else { throw error }
      isDamaged()
      throw StoreError(
        .notADatabase,
        "\(path) is damaged: \(reason); the next question about the past makes it again")
    }
  }

  /// The words of an error about damage; nil if the error is about something else.
  private static func damage(_ error: any Error) -> String? {
    switch error {
    case let error as DatabaseError
    where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
      error.message ?? error.description
    case let error as StoreError where error.code == .notADatabase: "SQLite cannot read it"
    case let error as StoreError where error.code == .drifted: "a row is not one that a history has"
    default: nil
    }
  }

  /// Calls `body` in a transaction of its own, if there is none that lasts.
  private func transaction<Result>(
    _ database: Database, _ body: () throws -> Result
  ) throws -> Result {
    guard !database.isInsideTransaction else { return try body() }
    try database.beginTransaction(.deferred)
    do {
      try refresh(database)
      let result = try body()
      try database.commit()
      return result
    } catch {
      // The temporary tables and views are kept, unless SQLite ended the transaction as it was interrupted.
      if !database.isInsideTransaction || (try? database.commit()) == nil {
        if database.isInsideTransaction { try? database.rollback() }
        forgetViews()
      }
      throw error
    }
  }

  /// Looks at what was brought up to date since the last transaction.
  private func refresh(_ database: Database) throws {
    let known = content.withLock { $0 }
    guard try database.dataVersion() != known.version else { return }
    guard let now = try Self.content(database, schema, through: known.checkpoint.sequence) else {
      throw StoreError(.drifted, "the history was replaced by another one")
    }
    content.withLock { $0 = now }
    // A full-text index has the rows of its moment, which stay the same.
    whole.withLock { $0 = nil }
  }

  private func forgetViews() {
    searched.withLock { $0 = [:] }
    whole.withLock { $0 = nil }
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
    return try read { database in
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
    try read { database in
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

  /// Stops the statement that runs, from any thread.
  var interrupt: @Sendable () -> Void {
    { [queue] in queue.interrupt() }
  }
}
