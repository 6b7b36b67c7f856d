import CatalogModel
package import CatalogStore
import EventLog
import Foundation
package import GRDB
import Projections
import Support
import Synchronization

/// A catalog as it was, as a database to read: made for the asking, gone when it is closed. Or the live one as it
/// is when it is opened.
package final class PastDatabase: PastRows {
  /// The moment that was named; nil if a file was.
  package let moment: FoundMoment?
  /// The last event that it contains; nil if it is a file or the live database.
  package let sequence: UInt64?
  private let source: Source

  private enum Source: Sendable {
    case file(DatabaseQueue)
    /// The history answers what it can; the rest is answered by a state that is made when it is first asked for.
    case history(PastHistory, PastFile)
  }

  /// Makes a past state, or opens the live database as it is now: whoever changes it is not kept waiting, and what
  /// they change is not seen.
  ///
  /// - Parameter live: the path of the live database; nil if there is only a log.
  package init(_ moment: Moment, of states: PastStates, live: String?) throws {
    let found = try states.found(moment)
    (self.moment, sequence) = (found, found.sequence)
    guard let sequence else {
      guard let live else {
        throw CatalogError(
          .noMoment, "a log alone has no live database; name a sequence or a time")
      }
      source = .file(try Self.open(live, .live))
      return
    }
    guard sequence > 0 else {
      source = .file(try Self.empty(states))
      return
    }
    if let history = try PastHistory(states, sequence) {
      source = .history(history, PastFile(states, sequence, live))
    } else {
      source = .file(try PastFile(states, sequence, live).queue())
    }
  }

  /// The state behind the batch that holds an event; behind event 0 every table is empty.
  package convenience init(behind sequence: UInt64, of states: PastStates) throws {
    guard sequence == 0 else {
      try self.init(.sequence(sequence), of: states, live: nil)
      return
    }
    try self.init(.start, of: states, live: nil)
  }

  /// A file in which every table is empty.
  private static func empty(_ states: PastStates) throws -> DatabaseQueue {
    guard let id = try states.log.logID() else {
      throw CatalogError(.noCatalog, "the log is empty")
    }
    let kind = states.log.kind
    return try file(
      MemoryRowStore(schema: kind.schema), [],
      Checkpoint(logID: id, head: .empty(id), fingerprint: kind.fingerprint), of: kind)
  }

  /// Writes rows to a file that is gone when it is closed. The store is drained on the way.
  ///
  /// - Parameter sequence: the last event of the log that they contain; nil if they are of no state that the log had.
  init(
    _ rows: MemoryRowStore, _ conflicts: [ProjectionConflict], _ checkpoint: Checkpoint,
    of kind: any CatalogKind, behind sequence: UInt64? = nil
  ) throws {
    source = .file(try Self.file(rows, conflicts, checkpoint, of: kind))
    self.sequence = sequence
    moment = nil
  }

  private static func file(
    _ rows: MemoryRowStore, _ conflicts: [ProjectionConflict], _ checkpoint: Checkpoint,
    of kind: any CatalogKind
  ) throws -> DatabaseQueue {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("past.sqlite")
    try BulkWriter(kind.migrations).write(
      rows, checkpoint: checkpoint, conflicts: conflicts, to: path)
    return try open(path)
  }

  /// The rows of a state of the log: those of the live database if it has this state and its digests prove them, else those
  /// of a replay.
  ///
  /// - Parameter live: the path of the live database; nil if there is only a log.
  package convenience init(
    projectionOf log: CatalogLog, at head: LogHead, live: String?,
    progress: @escaping ProgressObserver = { _ in }
  ) throws {
    let states = PastStates(log, progress: progress)
    var isProved = false
    if let live, let id = try log.logID() {
      do {
        let wanted = Checkpoint(logID: id, head: head, fingerprint: log.kind.fingerprint)
        let database = try PastDatabase(.live, of: states, live: live)
        isProved =
          try database.read(Checkpoint.read) == wanted
          && database.receipt(of: log.kind) == database.countedReceipt(of: log.kind)
      } catch is StoreError {
        // Not a database, or not one of this program: nothing of it is needed.
      } catch is CatalogError {
        // There is none.
      }
    }
    try self.init(isProved ? .live : .sequence(head.sequence), of: states, live: live)
  }

  /// Opens a projection in a file that a person named, which may be anything.
  package init(file path: String) throws {
    (moment, sequence) = (nil, nil)
    source = .file(try Self.open(path, .named))
  }

  /// Opens a file for reading, and begins the one transaction in which all of it is read: of a database that others
  /// write, it shows one state.
  fileprivate static func open(
    _ path: String, _ mode: ReadOnlyDatabase.Mode = .shared,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
  ) throws -> DatabaseQueue {
    // SQLite would create it.
    if case .live = mode, !DatabaseFile.isTaken(path) {
      throw CatalogError(
        .noMoment,
        "there is no database \(path); \(do: .rebuild) makes it from the log, or name a sequence or a time of the log"
      )
    }
    do {
      let queue = try ReadOnlyDatabase.open(path, mode, "past", prepare: prepare)
      try queue.unsafeRead { database in
        try database.beginTransaction(.deferred)
        try DatabaseFile.requireReadable(database)
      }
      return queue
    } catch let error as StoreError {
      throw CatalogError(.noMoment, error.explanation)
    } catch let error as DatabaseError {
      let error = StoreError(opening: path, error, isOwn: mode.isOwn)
      throw CatalogError(.noMoment, error.explanation)
    }
  }

  /// Reads a database that has the tables themselves.
  package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try StoreError.translating { try queue().unsafeRead(body) }
  }

  /// Reads the tables of the catalog by their names, of the history too.
  package func readTables<Result>(_ body: (Database) throws -> Result) throws -> Result {
    guard let (history, sequence) = try history() else { return try read(body) }
    return try StoreError.translating { try history.readTables(at: sequence, body) }
  }

  /// The history that answers for this state, and the last event of the state; nil if a database does.
  func history() throws -> (HistoryDatabase, UInt64)? {
    guard case .history(let history, _) = source, let database = try history.database() else {
      return nil
    }
    return (database, history.sequence)
  }

  /// The SQL of all tables, indexes and triggers.
  func schema(of kind: any CatalogKind) throws -> [SchemaListing.Entry] {
    try history() == nil
      ? read { try SchemaListing($0).entries }
      : SchemaListing.made(by: kind.migrations).entries
  }

  /// The events after one of the state's that contradict its rows.
  package func conflicts(after sequence: UInt64 = 0) throws -> [ProjectionConflict] {
    guard let (history, last) = try history() else {
      return try read { try ConflictTable.read($0, after: sequence) }
    }
    return try history.read { database in
      try database.rows(
        of: StoredRow.Origin("history_conflict", ("sequence", 0)),
        "SELECT sequence, type, message FROM history_conflict WHERE sequence > ? AND sequence <= ?",
        [Int64(clamping: sequence), Int64(clamping: last)]
      ) { row in
        ProjectionConflict(
          sequence: UInt64(try row.count(0)), type: try row.text(1), message: try row.text(2))
      }
    }
  }

  /// The rows of each table, as numbers.
  package func receipt(of kind: any CatalogKind) throws -> MomentReceipt {
    guard let (history, sequence) = try history() else {
      return try read { try MomentReceipt(of: kind.schema, in: $0) }
    }
    return try history.read { try MomentReceipt(of: history.schema, at: sequence, in: $0) }
  }

  /// Makes the receipt from the rows themselves.
  package func countedReceipt(of kind: any CatalogKind) throws -> MomentReceipt {
    let receipt = try receipt(of: kind)
    return try readTables { try receipt.counted(from: kind.schema, in: $0) }
  }

  /// A database that has the tables themselves.
  private func queue() throws -> DatabaseQueue {
    switch source {
    case .file(let queue): queue
    case .history(_, let file): try file.queue()
    }
  }

  /// Runs one statement that reads, and hands over its rows one by one.
  ///
  /// - Parameters:
  ///   - limit: when it is stopped; nil if never.
  ///   - begin: called once with the names of the columns.
  /// - Throws: `CatalogError` with `sqlRefused` for SQL that is wrong, that writes, or that takes more time or memory.
  package func forEachRow(
    of sql: String, until limit: TimeLimit?, memory: MemoryLimit = .current,
    begin: ([String]) throws -> Void, _ body: ([StoredValue]) throws -> Void
  ) throws {
    if let (history, sequence) = try history() {
      let limit = StatementLimit(limit, memory, interrupting: history.interrupt)
      let isAnswered: Void? = try history.run(sql, at: sequence, until: limit) {
        statement, database in
        try limit.run(in: database) { try Self.forEachRow(of: statement, limit, begin, body) }
      }
      if isAnswered != nil { return }
    }
    if case .history(_, let file) = source { try file.requireCompiled(sql) }
    let queue = try queue()
    let limit = StatementLimit(limit, memory, interrupting: queue.interrupt)
    try queue.unsafeRead { database in
      try limit.run(in: database) {
        try Self.forEachRow(of: Self.statement(sql, in: database), limit, begin, body)
      }
    }
  }

  private static func forEachRow(
    of statement: Statement, _ limit: StatementLimit, _ begin: ([String]) throws -> Void,
    _ body: ([StoredValue]) throws -> Void
  ) throws {
    try begin(statement.columnNames)
    let cursor = try Row.fetchCursor(statement)
    while try cursor.next() != nil { try body(limit.row(of: statement)) }
  }

  /// What a statement answers: names of columns, then rows of values.
  package struct Answer: Sendable {
    package fileprivate(set) var columns: [String] = []
    package fileprivate(set) var rows: [[StoredValue]] = []
  }

  /// The whole answer of a statement that is known to have few rows.
  package func query(_ sql: String, timeout: Duration) async throws -> Answer {
    try await Blocking.run {
      var answer = Answer()
      try self.forEachRow(of: sql, until: TimeLimit(timeout)) {
        answer.columns = $0
      } _: {
        answer.rows.append($0)
      }
      return answer
    }
  }

  /// - Throws: `CatalogError` with `sqlRefused` for a statement that answers nothing, or may write.
  static func statement(_ sql: String, in database: Database) throws -> Statement {
    try PragmaRules.check(sql)
    let statement = try database.makeStatement(sql: sql)
    guard statement.isReadonly, !statement.columnNames.isEmpty else {
      throw CatalogError(
        .sqlRefused,
        "the statement writes or returns no rows; only statements that read are allowed")
    }
    return statement
  }
}

/// The history of a catalog as it answers for one moment, for as long as it is kept: it is opened again if the file is another
/// one, or was changed.
private final class PastHistory: Sendable {
  /// The last event of the moment.
  let sequence: UInt64
  private let states: PastStates
  private let opened: Mutex<HistoryDatabase?>

  /// - Returns: nil if a replay has to answer.
  init?(_ states: PastStates, _ sequence: UInt64) throws {
    guard let database = try states.readyHistory(through: sequence, .latest) else { return nil }
    (self.states, self.sequence) = (states, sequence)
    opened = Mutex(database)
  }

  /// - Returns: nil if the history was removed or damaged, and none can be made: a replay has to answer.
  func database() throws -> HistoryDatabase? {
    try opened.withLock { opened in
      if opened == nil || states.history?.isSettled(through: sequence) != true {
        opened = try states.readyHistory(through: sequence, .latest)
      }
      return opened
    }
  }
}

/// The state after a batch, in a file that is made when it is first asked for, once, and is gone when it is closed.
private final class PastFile: Sendable {
  private let made = Mutex<DatabaseQueue?>(nil)
  private let states: PastStates
  private let sequence: UInt64
  private let live: String?

  init(_ states: PastStates, _ sequence: UInt64, _ live: String?) {
    (self.states, self.sequence, self.live) = (states, sequence, live)
  }

  private var migrations: ProjectionMigrations { states.log.kind.migrations }

  func queue() throws -> DatabaseQueue {
    try made.withLock { made in
      if let made { return made }
      let queue = try states.opened(through: sequence) { path in
        try PastDatabase.open(path) { [migrations, live] in
          migrations.addFunctions(to: $0, at: live ?? path)
        }
      }
      made = queue
      return queue
    }
  }

  /// Compiles a statement over empty tables, as far as the file is not made: a mistake is put into words without it.
  ///
  /// - Throws: as `PastDatabase.forEachRow`.
  func requireCompiled(_ sql: String) throws {
    guard made.withLock({ $0 }) == nil else { return }
    let queue = try DatabaseQueue()
    defer { try? queue.close() }
    try migrations.migrator().migrate(queue)
    try queue.unsafeRead { database in
      migrations.addFunctions(to: database, at: live ?? "")
      try StatementLimit(nil, .current, interrupting: queue.interrupt).run(in: database) {
        _ = try PastDatabase.statement(sql, in: database)
      }
    }
  }
}
