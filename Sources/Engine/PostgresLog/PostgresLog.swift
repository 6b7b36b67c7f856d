package import EventLog
import Support
import Synchronization

/// A log in PostgreSQL, which any number of machines read and append to.
///
/// One row holds one batch. What several writers do at once is decided by the keys of the table alone.
package final class PostgresLog: LogStore {
  package let address: PostgresAddress
  /// Whether rows are asked for by a binary COPY, which a server may lack that speaks PostgreSQL's protocol.
  let copies = Atomic(true)
  private let idle = Mutex<[Idle]>([])

  /// Only the thread that took it from the list uses it.
  private struct Idle: @unchecked Sendable {
    let connection: PostgresConnection
    let isWriter: Bool
  }

  private struct Known: Hashable {
    let address: PostgresAddress
    let isPrimary: Bool
  }

  private static let known = Mutex<[Known: PostgresLog]>([:])

  /// Whether readers ask the server that is written to, too. If not, an address that names several servers says which they
  /// ask: `target_session_attrs=prefer-standby`.
  private let isPrimary: Bool

  /// The log at an address. All of this program share its connections.
  package static func at(_ address: PostgresAddress) -> PostgresLog {
    shared(Known(address: address, isPrimary: false))
  }

  private static func shared(_ name: Known) -> PostgresLog {
    known.withLock { known in
      let log = known[name] ?? PostgresLog(name)
      known[name] = log
      return log
    }
  }

  private init(_ name: Known) {
    (address, isPrimary) = (name.address, name.isPrimary)
  }

  private var primary: PostgresLog { Self.shared(Known(address: address, isPrimary: true)) }

  package var upToDate: any LogStore { primary }

  package var place: String { "\(address)" }
  package var keepsOthersOut: Bool { false }
  /// A value of a table has a gibibyte at most, and a message of the protocol, too.
  package var largestBatch: Int? { 900 << 20 }

  // MARK: Connections

  func borrow(isWriter: Bool) throws -> PostgresConnection {
    let isWriter = isWriter || isPrimary
    let found = idle.withLock { idle -> Idle? in
      guard let place = idle.lastIndex(where: { $0.isWriter == isWriter }) else { return nil }
      return idle.remove(at: place)
    }
    if let found { return found.connection }
    return try PostgresConnection.open(address, isWriter: isWriter)
  }

  func giveBack(_ connection: PostgresConnection, isWriter: Bool) {
    let isWriter = isWriter || isPrimary
    guard !connection.isLost, !connection.isStreaming else { return }
    let lent = Idle(connection: connection, isWriter: isWriter)
    idle.withLock { if $0.count < 4 { $0.append(lent) } }
  }

  /// Asks the server. A connection on which anything went wrong is not lent again.
  func asking<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try replacingConnections {
      let connection = try borrow(isWriter: false)
      let result = try body(connection)
      giveBack(connection, isWriter: false)
      return result
    }
  }

  /// Does what changes nothing. A connection that broke while it was idle is replaced once.
  private func replacingConnections<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      do {
        return try body()
      } catch let failure as PostgresFailure where failure.isLost || failure.state.hasPrefix("57P0")
      {
        forgetConnections()
        return try body()
      }
    } catch let failure as PostgresFailure {
      throw error(failure)
    }
  }

  func forgetConnections() {
    idle.withLock { $0.removeAll() }
  }

  /// An error of a statement that changes nothing.
  func error(_ failure: PostgresFailure) -> EventLogError {
    // The server's own files: data or an index is corrupted.
    if ["XX001", "XX002"].contains(failure.state) {
      return EventLogError(
        .damaged(.frameCRC),
        "the log is damaged: \(address) answers: \(failure.message) (\(failure.state)); restore the database from a copy, or "
          + "promote a standby. Nothing was changed", file: place)
    }
    let advice: ErrorMessage =
      switch failure.state {
      case "42P01":
        "; the database has no tables of logs: make the log with init, or name another database"
      case "42501": "; the role lacks a right: docs/SHARED_LOG.md has those that it needs"
      default: "; try again, or ask the people who keep the server"
      }
    let state = failure.state.isEmpty ? "" : " (\(failure.state))"
    return EventLogError(
      .unavailable, "\(address) answers: \(failure.message)\(state)" + advice, file: place)
  }

  // MARK: Reading

  package func exists() throws -> Bool { try end() != nil }

  package func end(applied: () throws -> LogHead?) throws -> (logID: LogID, head: LogHead)? {
    let found = try asking { try end($0) }
    guard !isPrimary, let known = try applied(), known.sequence > found?.head.sequence ?? 0 else {
      return found
    }
    return try askingPrimary(before: found?.head, of: known) { try $0.end() } ?? found
  }

  /// Asks the primary, since a reader's answer lacks what is known: a standby may not have it yet.
  ///
  /// - Returns: nil if the reader's server is no standby, so that its answer counts.
  /// - Throws: `unavailable` if it is, and the primary cannot be asked.
  private func askingPrimary<Result>(
    before end: LogHead?, of known: LogHead, _ body: (PostgresLog) throws -> Result
  ) throws -> Result? {
    guard try settings().isStandby else { return nil }
    do {
      return try body(primary)
    } catch let error as EventLogError where error.code == .unavailable {
      throw EventLogError(
        .unavailable,
        "this standby of \(address) has events up to \(end?.sequence ?? 0), and event \(known.sequence) is known; try again "
          + "later, or name the primary in the address, too: \(error.message)", file: place)
    }
  }

  /// The end of the log, as this server has it.
  func end(_ connection: PostgresConnection) throws -> (logID: LogID, head: LogHead)? {
    let answer: PostgresConnection.Answer
    do {
      answer = try connection.run(
        """
        SELECT last_seq, chain, substring(frame FROM 17 FOR 16) FROM log_batch WHERE catalog = $1 \
        ORDER BY first_seq DESC LIMIT 1
        """, [.text(address.name)])
    } catch let failure as PostgresFailure where failure.state == "42P01" {
      return nil
    }
    guard let row = answer.rows.first else { return nil }
    let sequence = row[0]?.integer ?? 0
    guard let chain = row[1], chain.count == 32, let id = row[2], id.count == 16, sequence > 0
    else {
      throw damaged("the last row is not a batch", UInt64(max(sequence, 0)))
    }
    return (
      LogID(bytes: id), LogHead(sequence: UInt64(sequence), chain: ChainHash(bytes: chain))
    )
  }

  /// Whether a batch ends at a head.
  func holds(_ head: LogHead, _ connection: PostgresConnection) throws -> Bool {
    try !connection.run(
      "SELECT 1 FROM log_batch WHERE catalog = $1 AND last_seq = $2 AND chain = $3",
      [.text(address.name), .number(head.sequence), .bytes(head.chain.bytes)]
    ).rows.isEmpty
  }

  /// - Throws: `lostEvents` if the log does not hold a head.
  func require(_ head: LogHead, _ connection: PostgresConnection) throws {
    let end = try end(connection)
    if head.sequence == 0 {
      guard let id = end?.logID, head != .empty(id) else { return }
    } else if try end != nil && holds(head, connection) {
      return
    }
    throw EventLogError.lostEvents(end?.head, head, place)
  }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    if let head {
      do {
        try asking { try require(head, $0) }
      } catch let error as EventLogError where error.code == .lostEvents && !isPrimary {
        let known: Void? = try askingPrimary(before: end()?.head, of: head) { primary in
          try primary.asking { try primary.require(head, $0) }
        }
        if known == nil { throw error }
      }
    }
    let rows = PostgresBatches(self)
    return try StoredBatchCursor(
      readsAhead ? BatchesAhead(rows, after: head) : rows, after: head, of: try logID(),
      place: place)
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    let found = try asking { connection in
      try connection.run(
        """
        SELECT \(PostgresBatches.columns) FROM log_batch WHERE catalog = $1 AND first_seq <= $2 \
        ORDER BY first_seq DESC LIMIT 1
        """, [.text(address.name), .number(sequence)])
    }
    guard let row = found.rows.first, case let batch = try PostgresBatches.batch(row, place),
      batch.info.lastSequence >= sequence
    else { throw EventLogError.noEvent(sequence) }
    return batch.info
  }

  package func place(of batch: BatchInfo) -> String {
    "\(place), the row of event \(batch.firstSequence)"
  }

  func damaged(_ words: String, _ sequence: UInt64) -> EventLogError {
    EventLogError(
      .damaged(.header),
      "the log is damaged: \(words), in \(place) at event \(sequence); restore the database from a copy. Nothing was changed",
      file: place, sequence: sequence)
  }

  // MARK: The server

  /// How the server keeps what it acknowledges.
  package func settings() throws -> PostgresSettings {
    try asking { try PostgresSettings($0) }
  }

  package func durability() throws -> LogDurability { try settings().durability }

  // MARK: Writing

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    try replacingConnections { try PostgresWriter(self, opening) }
  }
}
