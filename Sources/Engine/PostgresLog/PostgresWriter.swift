import EventLog
import LibC
import Support

/// Appends batches to a log in PostgreSQL.
///
/// A batch is inserted at its place, or not at all, by one statement. Whether an insert without an answer took place is found
/// out on another connection, by comparing the chain hash at that place. A row that is found there is not yet one that is kept:
/// the wait for a standby may have been cut off. So nothing is called appended before a commit has waited, that of the
/// insert itself or one after it.
final class PostgresWriter: LogWriter {
  private let log: PostgresLog
  private let maker: BatchMaker
  /// Nil after the connection broke: the next statement makes a new one.
  private var server: Server?
  private var isClosed = false
  let logID: LogID
  private(set) var head: LogHead

  /// Whether to append also to a server that may lose what it acknowledges.
  private let acceptsLoss: Bool
  /// For how long an append without an answer is looked for before it is called unknown.
  private let patience: Duration

  init(_ log: PostgresLog, _ opening: WriterOpening) throws {
    self.log = log
    patience = opening.patience
    acceptsLoss = opening.acceptsLoss
    maker = try BatchMaker()
    let server = try Server(log, acceptsLoss: acceptsLoss)
    let connection = server.connection
    var end = try log.end(connection)
    if end == nil, opening.logID != nil {
      try Self.makeTables(connection)
      end = try log.end(connection)
    }
    if end != nil { try Self.requireVersion(connection, log) }
    guard let id = end?.logID ?? opening.logID else { throw EventLogError.noLog(log.place) }
    logID = id
    head = end?.head ?? .empty(id)
    for known in opening.knownHeads { try log.require(known, connection) }
    self.server = server
  }

  deinit {
    giveBack()
  }

  private func giveBack() {
    if let connection = server?.connection { log.giveBack(connection, isWriter: true) }
    server = nil
  }

  /// The server at the other end of a connection.
  ///
  /// After a failover that is another server with settings of its own, so each new connection reads them.
  private struct Server {
    let connection: PostgresConnection
    let waitsForStandby: Bool

    /// - Throws: `notDurable` if the server may lose what it acknowledges; `PostgresFailure`.
    init(_ log: PostgresLog, acceptsLoss: Bool) throws {
      connection = try log.borrow(isWriter: true)
      let settings = try PostgresSettings(connection)
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

  /// The server that is written to, over the connection that exists or a new one.
  private func connected() throws -> Server {
    let server = try server ?? Server(log, acceptsLoss: acceptsLoss)
    self.server = server
    return server
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

  private static func requireVersion(_ connection: PostgresConnection, _ log: PostgresLog) throws {
    let rows = try connection.run("SELECT version FROM log_format").rows
    let versions = rows.compactMap { $0[0]?.integer }
    guard versions == [Int64(PostgresSchema.version)] else {
      throw EventLogError(
        .unavailable,
        "the tables of \(log.place) have version \(versions), and this program knows version \(PostgresSchema.version); "
          + "use a program that knows it")
    }
  }

  func makeBatch(expecting expected: LogHead) -> LogBatchBuilder {
    maker.batch(after: expected, of: logID)
  }

  func close() {
    giveBack()
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
    /// It is in the table, and no commit has waited for a standby yet.
    case present
    case absent
  }

  func confirm() throws {
    guard head.sequence > 0 else { return }
    do {
      let server = try connected()
      guard server.waitsForStandby else { return }
      try barrier(until: .now + patience, server.connection)
    } catch let failure as PostgresFailure {
      server = nil
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
        let connection = try connected().connection
        switch try insert(batch, after: expected, until: deadline, connection) {
        case .kept: return .appended(batch.info.head)
        case .present:
          try barrier(until: deadline, connection)
          return .already(batch.info.head)
        case .absent: break
        }
      } catch let failure as PostgresFailure where failure.isRetried {
        cause = failure.message
      } catch let failure as PostgresFailure where failure.isUnknown {
        server = nil
        log.forgetConnections()
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
    var isRefused = false
    do {
      let answer = try connection.run(
        """
        INSERT INTO log_batch (catalog, first_seq, count, last_seq, prev_seq, prev_chain, chain, frame) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
        """,
        [
          .text(log.address.name), .number(info.firstSequence), .number(info.eventCount),
          .number(info.lastSequence),
          expected.sequence == 0 ? .integer(nil) : .number(expected.sequence),
          .bytes(info.previousChain.bytes), .bytes(info.chain.bytes), .bytes(batch.bytes),
        ],
        // A megabyte a second at least.
        patience: Self.patience(until: deadline) + .microseconds(batch.bytes.count),
        isRepeated: true)
      if answer.affected == 1 {
        // A warning says that the wait for a standby was cut off: the row is on the primary, and perhaps nowhere else.
        return answer.warnings.isEmpty ? .kept : .present
      }
    } catch let failure as PostgresFailure where ["23503", "23505"].contains(failure.state) {
      isRefused = true
    }
    let rows = try connection.run(
      "SELECT chain FROM log_batch WHERE catalog = $1 AND first_seq = $2",
      [.text(log.address.name), .number(info.firstSequence)]
    ).rows
    if let chain = rows.first?[0] {
      if chain == info.chain.bytes { return .present }
      throw try moved(from: expected, connection)
    }
    if isRefused || !rows.isEmpty { throw try moved(from: expected, connection) }
    // Whatever was in the way is gone.
    return .absent
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

  /// Commits a change of its own, whose wait covers all that was written before it.
  ///
  /// - Throws: `PostgresFailure` with an unknown outcome if the wait was cut off, too.
  private func barrier(
    until deadline: ContinuousClock.Instant, _ connection: PostgresConnection
  ) throws {
    let answer = try connection.run(
      """
      INSERT INTO log_barrier (catalog, n) VALUES ($1, 1) \
      ON CONFLICT (catalog) DO UPDATE SET n = log_barrier.n + 1
      """, [.text(log.address.name)], patience: Self.patience(until: deadline))
    guard answer.affected == 1, answer.warnings.isEmpty else {
      throw PostgresFailure(state: "40003", message: "the wait for a standby was cut off")
    }
  }
}
