import EventLog
import LibC
import Support
import Synchronization

/// Appends batches to a log in PostgreSQL.
///
/// A batch is inserted at its place, or not at all, by one statement. Whether an insert without an answer took place is found
/// out on another connection, by comparing the chain hash at that place. A row that is found there is not yet one that is kept:
/// the wait for a standby may have been cut off. So nothing is called appended before a commit has waited, that of the
/// insert itself or one after it.
///
/// A connection is borrowed for each statement, so that a change needs one alone. A change that takes its turn keeps one, in
/// a transaction with an advisory lock. Other writers respect it, and nothing but the order of changes rests on it.
final class PostgresWriter: LogWriter {
  private let log: PostgresLog
  private let maker: BatchMaker
  /// The server whose transaction has the turn, if this writer has it.
  private var turn: Server?
  private var isClosed = false
  let logID: LogID
  private(set) var head: LogHead

  /// Whether to append also to a server that may lose what it acknowledges.
  private let acceptsLoss: Bool
  /// For how long an append without an answer is looked for before it is called unknown.
  private let patience: Duration
  private let identity: Identity

  /// Tells writers apart.
  final class Identity {}

  init(_ log: PostgresLog, _ opening: WriterOpening) throws {
    self.log = log
    patience = opening.patience
    acceptsLoss = opening.acceptsLoss
    maker = try BatchMaker()
    identity = Identity()
    let begun = try Self.begin(log, opening, identity)
    let connection = begun.server.connection
    var end = begun.end
    if end == nil, opening.logID != nil {
      try Self.makeTables(connection)
      end = try log.end(connection)
    }
    guard let id = end?.logID ?? opening.logID else { throw EventLogError.noLog(log.place) }
    logID = id
    head = end?.head ?? .empty(id)
    for known in opening.knownHeads where known != head { try log.require(known, connection) }
    if opening.takesTurn, log.hasTurns.load(ordering: .relaxed) {
      turn = begun.server
    } else {
      log.giveBack(connection, isWriter: true)
    }
  }

  deinit {
    endTurn()
  }

  /// Lets others append, if this writer has the turn. What its transaction did is undone.
  private func endTurn() {
    guard let server = turn.take() else { return }
    if (try? server.connection.run("ROLLBACK")) != nil {
      log.giveBack(server.connection, isWriter: true)
    }
  }

  /// The server at the other end of a connection.
  ///
  /// After a failover that is another server with settings of its own, so they are read for each writer on each connection.
  private struct Server {
    let connection: PostgresConnection
    let waitsForStandby: Bool

    /// - Throws: `notDurable` if the server may lose what it acknowledges.
    init(
      _ connection: PostgresConnection, _ settings: PostgresSettings, _ log: PostgresLog,
      acceptsLoss: Bool
    ) throws {
      self.connection = connection
      waitsForStandby = settings.waitsForStandby
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
  }

  // MARK: Turns

  /// Reads in one statement how the server keeps the log, the log's end, and whether another writer has the turn, which
  /// is waited for.
  ///
  /// - Returns: no end if there is no log.
  /// - Throws: `locked` if another writer keeps the turn; `notDurable`, `damaged`, `unavailable`; `PostgresFailure`.
  private static func begin(
    _ log: PostgresLog, _ opening: WriterOpening, _ identity: Identity
  ) throws -> (server: Server, end: (logID: LogID, head: LogHead)?) {
    let deadline = ContinuousClock.now + max(opening.wait ?? .zero, .seconds(10))
    var hasWaited = false
    var mayBeOld = false
    while true {
      var connection = try log.borrow(isWriter: true)
      var row = try beginning(log, opening, connection)
      var settings = PostgresSettings(row ?? [], of: connection)
      if row == nil { settings = try PostgresSettings(connection) }
      if settings.isReadOnly {
        connection = try log.borrowWriter(inPlaceOf: connection)
        row = try beginning(log, opening, connection)
        settings =
          try row.map { PostgresSettings($0, of: connection) } ?? PostgresSettings(connection)
      }
      connection.known = (settings, identity)
      let server = try Server(connection, settings, log, acceptsLoss: opening.acceptsLoss)
      guard let row else { return (server, nil) }
      let isFree = row[PostgresSettings.count]?.text == "true"
      if isFree || !log.hasTurns.load(ordering: .relaxed) {
        guard mayBeOld else { return (server, try log.end(of: row)) }
        // The row is that of the statement's beginning, when the other's last append may not have been there.
        mayBeOld = false
        log.giveBack(connection, isWriter: true)
        continue
      }
      if opening.takesTurn { try connection.run("ROLLBACK") }
      log.giveBack(connection, isWriter: true)
      guard ContinuousClock.now < deadline else {
        throw EventLogError(
          .locked,
          "another program makes a large change to \(log.place), which comes first; try again, or wait longer",
          file: log.place)
      }
      if !hasWaited { opening.willWait() }
      hasWaited = true
      // Its own turn is asked for in a statement before.
      mayBeOld = !opening.takesTurn
      usleep(20_000)
    }
  }

  /// - Returns: a row of the settings, whether the turn is free, and the end of the log; nil if there are no tables.
  private static func beginning(
    _ log: PostgresLog, _ opening: WriterOpening, _ connection: PostgresConnection
  ) throws -> [[UInt8]?]? {
    var isFree = "true"
    if log.hasTurns.load(ordering: .relaxed) {
      do {
        if opening.takesTurn {
          try connection.run("BEGIN")
          // A statement of its own: the one after it sees what others appended until now.
          let answer = try connection.run("SELECT pg_try_advisory_xact_lock(\(log.turn))::text")
          isFree = answer.rows.first?.first.flatMap { $0 }?.text ?? "false"
        } else {
          isFree = "pg_try_advisory_xact_lock_shared(\(log.turn))"
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
    _ isFree: String, _ log: PostgresLog, _ connection: PostgresConnection
  ) throws -> [[UInt8]?]? {
    let answer = try log.withTables {
      try connection.run(
        log.selectEnd("\(PostgresSettings.columns), (\(isFree))::text, "), [.text(log.address.name)]
      )
    }
    guard let answer else { return nil }
    guard let row = answer.rows.first, row.count == PostgresSettings.count + 5 else {
      throw log.wrongAnswer
    }
    return row
  }

  // MARK: Statements

  /// Uses a connection to the server that is written to.
  ///
  /// - Throws: `notDurable` if the server may lose what it acknowledges; `PostgresFailure`.
  private func asking<Result>(_ body: (Server) throws -> Result) throws -> Result {
    if let server = turn {
      do {
        let result = try body(server)
        if turn == nil { log.giveBack(server.connection, isWriter: true) }
        return result
      } catch {
        // With its connection the transaction ends.
        turn = nil
        throw error
      }
    }
    let connection = try log.borrow(isWriter: true)
    defer { log.giveBack(connection, isWriter: true) }
    let settings: PostgresSettings
    if let known = connection.known, known.reader === identity {
      settings = known.settings
    } else {
      settings = try PostgresSettings(connection)
      connection.known = (settings, identity)
    }
    return try body(Server(connection, settings, log, acceptsLoss: acceptsLoss))
  }

  /// A connection broke, and others may have, too.
  private func forgetConnections() {
    turn = nil
    log.forgetConnections()
  }

  private static func makeTables(_ connection: PostgresConnection) throws {
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

  func makeBatch(expecting expected: LogHead) -> LogBatchBuilder {
    maker.batch(after: expected, of: logID)
  }

  func close() {
    endTurn()
    isClosed = true
  }

  // MARK: Appending

  func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    guard !isClosed else { throw EventLogError.closed(log.place) }
    let expected = batch.expected
    let new = try batch.batch()
    if let limit = log.largestBatch, new.bytes.count > limit {
      throw EventLogError.tooLarge(new, limit, log.place)
    }
    let outcome = try settle(new, after: expected)
    // A batch that was appended before may be an earlier one.
    if outcome.head.sequence > head.sequence { head = outcome.head }
    return outcome
  }

  /// The place of a batch on its way.
  private enum Known {
    case kept
    /// It was in the table before, and a commit after it was kept.
    case already
    case absent
    /// Another writer has the turn, and nothing was inserted.
    case deferred
  }

  func confirm() throws {
    guard head.sequence > 0 else { return }
    do {
      let isKept = try asking { server in
        guard server.waitsForStandby else { return true }
        return try barrier(at: head, until: .now + patience, server.connection)
      }
      guard isKept else { throw EventLogError.lostEvents(nil, head, log.place) }
    } catch let failure as PostgresFailure {
      guard failure.isUnknown else { throw log.error(failure) }
      throw EventLogError(
        .outcomeUnknown,
        "\(log.place) does not say whether events up to \(head.sequence) are kept by a standby: \(failure.message); run the "
          + "command again when the server answers", file: log.place, sequence: head.sequence)
    }
  }

  private func settle(_ batch: StoredBatch, after expected: LogHead) throws -> AppendOutcome {
    let deadline = ContinuousClock.now + patience
    var attempts = 0
    // Whether a batch that was sent may be kept although no answer came.
    var isUncertain = false
    var cause = ""
    while attempts == 0 || ContinuousClock.now < deadline {
      // Once more at once, since most often a connection was lost that had been idle.
      if attempts > 1 { usleep(50_000) }
      attempts += 1
      do {
        switch try asking({ try insert(batch, after: expected, until: deadline, $0.connection) }) {
        case .kept: return .appended(batch.info.head)
        case .already: return .already(batch.info.head)
        case .absent: break
        case .deferred:
          // A batch whose answer was lost may still come.
          guard isUncertain else {
            throw EventLogError(
              .headMoved,
              "another program makes a large change to \(log.place), which comes first; try again",
              file: log.place)
          }
        }
      } catch let failure as PostgresFailure where failure.isRetried {
        cause = failure.message
      } catch let failure as PostgresFailure where failure.isUnknown {
        forgetConnections()
        isUncertain = true
        cause = failure.message
      } catch let failure as PostgresFailure {
        guard isUncertain else { throw log.error(failure) }
        cause = failure.message
      } catch let error as EventLogError
        where isUncertain && [.unavailable, .notDurable].contains(error.code)
      {
        // What another server refuses now does not say what became of the batch.
        cause = error.message
      }
    }
    throw EventLogError(
      .outcomeUnknown,
      "\(log.place) does not say whether events \(batch.info.firstSequence) to \(batch.info.lastSequence) are kept"
        + (cause.isEmpty ? "" : ": \(cause)") + "; run the command again when the server answers",
      file: log.place, sequence: batch.info.firstSequence)
  }

  /// At least a moment, so that a server that answers is heard.
  private static func patience(until deadline: ContinuousClock.Instant) -> Duration {
    max(deadline - .now, .milliseconds(500))
  }

  /// Inserts a batch, or finds out what is at its place.
  ///
  /// - Throws: `headMoved`, `lostEvents`, `PostgresFailure`.
  private func insert(
    _ batch: StoredBatch, after expected: LogHead, until deadline: ContinuousClock.Instant,
    _ connection: PostgresConnection
  ) throws -> Known {
    let info = batch.info
    let isMyTurn = turn != nil
    let isFree =
      log.hasTurns.load(ordering: .relaxed)
      ? "pg_try_advisory_xact_lock_shared(\(log.turn))" : "true"
    var isRefused = false
    do {
      var answer = try connection.run(
        """
        INSERT INTO \(log.table("log_batch")) \
        (catalog, first_seq, count, last_seq, prev_seq, prev_chain, chain, frame) \
        SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE \(isFree) ON CONFLICT DO NOTHING
        """,
        [
          .text(log.address.name), .number(info.firstSequence), .number(info.eventCount),
          .number(info.lastSequence),
          expected.sequence == 0 ? .integer(nil) : .number(expected.sequence),
          .bytes(info.previousChain.bytes), .bytes(info.chain.bytes), .bytes(batch.bytes),
        ],
        // A megabyte a second at least.
        patience: .cancel(
          after: Self.patience(until: deadline) + .microseconds(batch.bytes.count)))
      if isMyTurn {
        let affected = answer.affected
        answer = try connection.run(
          "COMMIT", patience: .cancel(after: Self.patience(until: deadline)))
        answer.affected = affected
        turn = nil
      }
      // A warning says that the wait for a standby was cut off: the row is on the primary, and perhaps nowhere else.
      if answer.affected == 1, answer.warnings.isEmpty { return .kept }
      if answer.affected == 1 {
        return try barrier(at: info.head, until: deadline, connection) ? .already : .absent
      }
    } catch let failure as PostgresFailure where ["23503", "23505"].contains(failure.state) {
      isRefused = true
      if isMyTurn { try connection.run("ROLLBACK") }
      turn = nil
    }
    let rows = try connection.run(
      "SELECT chain FROM \(log.table("log_batch")) WHERE catalog = $1 AND first_seq = $2",
      [.text(log.address.name), .number(info.firstSequence)]
    ).rows
    if let chain = rows.first?[0] {
      guard chain == info.chain.bytes else { throw try moved(from: expected, connection) }
      return try barrier(at: info.head, until: deadline, connection) ? .already : .absent
    }
    if isRefused || !rows.isEmpty { throw try moved(from: expected, connection) }
    // Whatever was in the way is gone, or it is the turn of another writer, whose batch is not there yet.
    let end = try log.end(connection)?.head ?? .empty(logID)
    guard end == expected else { throw try moved(from: expected, connection) }
    return .deferred
  }

  /// The log has another head, or it lost what was there.
  private func moved(
    from expected: LogHead, _ connection: PostgresConnection
  ) throws -> EventLogError {
    let end = try log.end(connection)?.head ?? .empty(logID)
    if try expected.sequence > 0 && !log.holds(expected, connection) {
      return .lostEvents(end, expected, log.place)
    }
    return .headMoved(from: expected, to: end, log.place)
  }

  /// Commits a change of its own, whose wait covers all that was written before it, and looks for a head in the same statement: a
  /// pooler may lead the next one to another server.
  ///
  /// - Returns: whether a batch ends at the head.
  /// - Throws: `PostgresFailure` with an unknown outcome if the wait was cut off, too.
  private func barrier(
    at head: LogHead, until deadline: ContinuousClock.Instant, _ connection: PostgresConnection
  ) throws -> Bool {
    let answer = try connection.run(
      """
      WITH barrier AS (INSERT INTO \(log.table("log_barrier")) AS b (catalog, n) VALUES ($1, 1) \
      ON CONFLICT (catalog) DO UPDATE SET n = b.n + 1 RETURNING catalog) \
      SELECT l.chain FROM barrier LEFT JOIN \(log.table("log_batch")) AS l \
      ON l.catalog = barrier.catalog AND l.last_seq = $2
      """, [.text(log.address.name), .number(head.sequence)],
      patience: .cancel(after: Self.patience(until: deadline)))
    guard let row = answer.rows.first, answer.warnings.isEmpty else {
      throw PostgresFailure(state: "40003", message: "the wait for a standby was cut off")
    }
    return row[0] == head.chain.bytes
  }
}
