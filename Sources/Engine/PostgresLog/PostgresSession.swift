import EventLog
import LibC
import Support
import Synchronization

/// A log in PostgreSQL as one writer asks it.
///
/// A connection is borrowed for each statement, so that a change needs one alone. A failover leads to another server with
/// settings of its own, so each statement that writes compares them itself, and none is sent for them alone. A change that takes
/// its turn keeps a connection until it appends, in a transaction with an advisory lock. Other writers respect it, and nothing but
/// the order of changes rests on it.
final class PostgresSession: BatchSession {
  private let log: PostgresStore
  private(set) var end: (logID: LogID, head: LogHead)?
  /// Whether to append also to a server that may lose what it acknowledges.
  private let acceptsLoss: Bool
  /// The settings of the server with which batches are added.
  private var approved: PostgresSettings
  /// The end, if the server that gave it waits for no standby: such a server shows only what it keeps.
  private var kept: LogHead?
  /// The connection whose transaction has the turn, if this writer has it.
  private var turn: PostgresConnection?

  /// - Throws: `locked` if another writer keeps the turn; `notDurable`, `damaged`, `unavailable`; `PostgresFailure`.
  init(_ log: PostgresStore, _ opening: WriterOpening) throws {
    self.log = log
    acceptsLoss = opening.acceptsLoss
    let begun = try Self.begin(log, opening)
    (approved, end) = (begun.settings, begun.end)
    if !approved.waitsForStandby { kept = end?.head }
    if end == nil, opening.logID != nil {
      try Self.makeTables(begun.connection)
      end = try log.end(begun.connection)
    }
    if opening.takesTurn, log.hasTurns.load(ordering: .relaxed) {
      turn = begun.connection
    } else {
      log.giveBack(begun.connection, isWriter: true)
    }
  }

  deinit {
    endTurn()
  }

  func endTurn() {
    guard let connection = turn.take(), (try? connection.run("ROLLBACK")) != nil else { return }
    log.giveBack(connection, isWriter: true)
  }

  /// - Throws: `notDurable` if the server may lose what it acknowledges.
  private static func approve(
    _ settings: PostgresSettings, _ log: PostgresStore, acceptsLoss: Bool
  ) throws {
    if settings.isStandby {
      throw EventLogError(
        .notDurable,
        "nothing is appended to \(log.place): it is a standby, which cannot be written to; name the primary",
        file: log.place)
    }
    if let refusal = settings.refusal, !acceptsLoss {
      throw EventLogError(
        .notDurable, "nothing is appended to \(log.place): \(refusal)\(do: .acceptLoss)",
        file: log.place)
    }
  }

  // MARK: Turns

  private typealias Beginning = (
    connection: PostgresConnection, settings: PostgresSettings,
    end: (logID: LogID, head: LogHead)?
  )

  /// Reads how the server keeps the log and the log's end, after another writer that has the turn.
  ///
  /// - Returns: no end if there is no log.
  private static func begin(_ log: PostgresStore, _ opening: WriterOpening) throws -> Beginning {
    let deadline = ContinuousClock.now + max(opening.wait ?? .zero, .seconds(10))
    var hasWaited = false
    var mayBeOld = false
    var pause: useconds_t = 20_000
    while true {
      if let begun = try beginNow(log, opening, mayBeOld: &mayBeOld) { return begun }
      guard ContinuousClock.now < deadline else {
        throw EventLogError(
          .locked,
          "another program makes a large change to \(log.place), which comes first; try again, or wait longer",
          file: log.place)
      }
      if !hasWaited { opening.willWait() }
      hasWaited = true
      // The one that has the turn needs two connections, and a pooler may have no others than those of programs that wait.
      log.forgetConnections()
      usleep(pause)
      pause = min(pause * 2, 320_000)
    }
  }

  /// Reads in one statement how the server keeps the log, the log's end, and whether another writer has the turn.
  ///
  /// - Parameter mayBeOld: whether another writer had the turn when the statement before this one began.
  /// - Returns: nil if another writer has the turn; then no connection is kept.
  private static func beginNow(
    _ log: PostgresStore, _ opening: WriterOpening, mayBeOld: inout Bool
  ) throws -> Beginning? {
    while true {
      var connection = try log.borrow(isWriter: true)
      var row = try beginning(log, opening, connection)
      var settings =
        try row.map { PostgresSettings($0, of: connection) } ?? PostgresSettings(connection)
      if settings.isReadOnly {
        connection = try log.borrowWriter(inPlaceOf: connection)
        row = try beginning(log, opening, connection)
        settings =
          try row.map { PostgresSettings($0, of: connection) } ?? PostgresSettings(connection)
      }
      try approve(settings, log, acceptsLoss: opening.acceptsLoss)
      guard let row else { return (connection, settings, nil) }
      guard row[1]?.text == "true" || !log.hasTurns.load(ordering: .relaxed) else {
        if opening.takesTurn { try connection.run("ROLLBACK") }
        // Its own turn is asked for in a statement before.
        mayBeOld = !opening.takesTurn
        return nil
      }
      guard mayBeOld else { return (connection, settings, try log.end(of: row)) }
      // The row is that of the statement's beginning, when the other's last append may not have been there.
      mayBeOld = false
      log.giveBack(connection, isWriter: true)
    }
  }

  /// - Returns: a row of the settings, whether the turn is free, and the end of the log; nil if there are no tables.
  private static func beginning(
    _ log: PostgresStore, _ opening: WriterOpening, _ connection: PostgresConnection
  ) throws -> [[UInt8]?]? {
    var isFree = log.isTurnFree
    if log.hasTurns.load(ordering: .relaxed) {
      do {
        if opening.takesTurn {
          try connection.run("BEGIN")
          // A statement of its own: the one after it sees what others appended until now.
          let answer = try connection.run("SELECT pg_try_advisory_xact_lock(\(log.turn))::text")
          isFree = answer.rows.first?.first.flatMap { $0 }?.text ?? "false"
        }
        return try row(isFree, log, connection)
      } catch let failure as PostgresFailure where failure.lacksFunction {
        log.hasTurns.store(false, ordering: .relaxed)
        if opening.takesTurn { try connection.run("ROLLBACK") }
      }
    }
    return try row("true", log, connection)
  }

  private static func row(
    _ isFree: String, _ log: PostgresStore, _ connection: PostgresConnection
  ) throws -> [[UInt8]?]? {
    let answer = try log.withTables {
      try connection.run(
        log.selectEnd("\(PostgresSettings.column), (\(isFree))::text, "), [.text(log.address.name)]
      )
    }
    guard let answer else { return nil }
    guard let row = answer.rows.first, row.count == 6 else { throw log.wrongAnswer }
    return row
  }

  /// Makes the tables, unless they are there: a role that only appends may not even ask for what exists already.
  private static func makeTables(_ connection: PostgresConnection) throws {
    if try hasTables(connection) { return }
    for statement in PostgresSchema.statements {
      // Another machine may make them at the same time.
      for attempt in 0..<3 {
        do {
          try connection.run(statement)
          break
        } catch let failure as PostgresFailure
          where ["23505", "42P07", "42710"].contains(failure.state) && attempt < 2
        {
          continue
        }
      }
    }
  }

  private static func hasTables(_ connection: PostgresConnection) throws -> Bool {
    func isTrue(_ sql: String) throws -> Bool {
      try connection.run(sql).rows.first?.first.flatMap { $0 }?.text == "true"
    }
    do {
      guard
        try isTrue(
          "SELECT (count(to_regclass(name)) = 3)::text FROM unnest(ARRAY['log_format', 'log_batch', 'log_barrier']) AS name"
        )
      else { return false }
      return try isTrue(
        "SELECT (count(*) = 1)::text FROM log_format WHERE version = \(PostgresSchema.version)")
    } catch let failure as PostgresFailure where failure.lacksFunction {
      return false
    }
  }

  // MARK: Batches

  /// Uses a connection to the server that is written to: the one of the turn, which ends, if this writer has it.
  private func asking<Answer>(
    _ body: (PostgresConnection, _ isTurn: Bool) throws -> Answer
  ) throws -> Answer {
    let turn = turn.take()
    let connection = try turn ?? log.borrow(isWriter: true)
    let result = Result { try body(connection, turn != nil) }
    if case .failure(let failure as PostgresFailure) = result {
      if failure.isUnknown {
        // Others may be broken, too.
        log.forgetConnections()
        throw failure
      }
      // With its connection the transaction ends.
      if turn != nil, (try? connection.run("ROLLBACK")) == nil { throw failure }
    }
    log.giveBack(connection, isWriter: true)
    return try result.get()
  }

  /// Carries out a statement that writes, and commits it.
  private func write(
    _ sql: String, _ arguments: [PostgresConnection.Argument], in turn: Bool,
    on connection: PostgresConnection, until deadline: ContinuousClock.Instant, bytes: Int = 0
  ) throws -> PostgresConnection.Answer {
    // A megabyte a second at least.
    var answer = try connection.run(
      sql, arguments,
      patience: .cancel(after: Self.patience(until: deadline) + .microseconds(bytes)))
    if turn {
      answer.warnings += try connection.run(
        "COMMIT", patience: .cancel(after: Self.patience(until: deadline))
      ).warnings
    }
    return answer
  }

  /// At least a moment, so that a server that answers is heard.
  private static func patience(until deadline: ContinuousClock.Instant) -> Duration {
    max(deadline - .now, .milliseconds(500))
  }

  func add(_ batch: StoredBatch, until deadline: ContinuousClock.Instant) -> AddedBatch {
    do {
      return try asking { try insert(batch, until: deadline, $0, in: $1) }
    } catch let failure as PostgresFailure {
      // The place is taken, or the batch before it is another one.
      if ["23503", "23505"].contains(failure.state) { return .taken }
      if failure.isRetried { return .again(failure.message) }
      return failure.isUnknown ? .unknown(failure.message) : .refused(log.error(failure))
    } catch let error as EventLogError {
      return .refused(error)
    } catch {
      return .unknown("\(error)")
    }
  }

  /// Inserts a batch, if the server's settings are those that were approved and no other writer has the turn: all in one statement.
  private func insert(
    _ batch: StoredBatch, until deadline: ContinuousClock.Instant,
    _ connection: PostgresConnection, in turn: Bool
  ) throws -> AddedBatch {
    let info = batch.info
    let isFree = turn ? "true" : log.isTurnFree
    let answer = try write(
      """
      INSERT INTO \(log.table("log_batch")) \
      (catalog, first_seq, count, last_seq, prev_seq, prev_chain, chain, frame) \
      SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE \(PostgresSettings.column) = $9 AND \(isFree) \
      ON CONFLICT DO NOTHING
      """,
      [
        .text(log.address.name), .number(info.firstSequence), .number(info.eventCount),
        .number(info.lastSequence),
        info.firstSequence == 1 ? .integer(nil) : .number(info.firstSequence - 1),
        .bytes(info.previousChain.bytes), .bytes(info.chain.bytes), .bytes(batch.bytes),
        .text(approved.text),
      ], in: turn, on: connection, until: deadline, bytes: batch.bytes.count)
    if answer.affected == 1 {
      // A warning says that the wait for a standby was cut off: the row is on the primary, and perhaps nowhere else.
      return answer.warnings.isEmpty ? .kept : .unknown(Self.cutOff)
    }
    let row = try connection.run("SELECT \(PostgresSettings.column), (\(isFree))::text").rows.first
    guard let row, row.count == 2 else { throw log.wrongAnswer }
    let settings = PostgresSettings(row, of: connection)
    if settings.text != approved.text {
      try Self.approve(settings, log, acceptsLoss: acceptsLoss)
      approved = settings
      return .again("the server has other settings than before")
    }
    guard row[1]?.text == "true" else {
      return .refused(
        EventLogError(
          .headMoved,
          "another program makes a large change to \(log.place), which comes first; try again",
          file: log.place))
    }
    return .taken
  }

  private static let cutOff = "the wait for a standby was cut off"

  /// Looks for the head, and commits a change of its own if it is there, whose wait covers all that was written before it: in one
  /// statement, since a pooler may lead the next one to another server.
  func keeps(_ head: LogHead, until deadline: ContinuousClock.Instant) throws -> Bool {
    if head == kept { return true }
    do {
      return try asking { connection, turn in
        let answer = try write(
          """
          WITH found AS (SELECT catalog FROM \(log.table("log_batch")) \
          WHERE catalog = $1 AND last_seq = $2 AND chain = $3), \
          barrier AS (INSERT INTO \(log.table("log_barrier")) AS b (catalog, n) SELECT catalog, 1 FROM found \
          WHERE coalesce(current_setting('synchronous_standby_names', true), '?') <> '' \
          ON CONFLICT (catalog) DO UPDATE SET n = b.n + 1 RETURNING catalog) \
          SELECT \(PostgresSettings.column), (SELECT count(*) FROM found)
          """, [.text(log.address.name), .number(head.sequence), .bytes(head.chain.bytes)],
          in: turn, on: connection, until: deadline)
        guard let row = answer.rows.first, row.count == 2 else { throw log.wrongAnswer }
        try Self.approve(
          PostgresSettings(row, of: connection), log, acceptsLoss: acceptsLoss)
        guard answer.warnings.isEmpty else {
          throw PostgresFailure(state: "40003", message: Self.cutOff)
        }
        return row[1]?.integer == 1
      }
    } catch let failure as PostgresFailure where !failure.isUnknown && !failure.isRetried {
      throw log.error(failure)
    }
  }
}
