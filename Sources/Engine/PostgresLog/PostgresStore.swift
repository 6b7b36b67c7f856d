package import EventLog
import LibC
import Support
import Synchronization

/// The batches of a log in PostgreSQL, which any number of machines read and append to.
///
/// One row holds one batch. The keys of the table alone decide between several writers.
package final class PostgresStore: BatchServer {
  package let address: PostgresAddress
  /// Whether rows are asked for by a binary COPY, which a server may lack that speaks PostgreSQL's protocol.
  let copies = Atomic(true)
  /// Whether the server has advisory locks, by which a change takes its turn.
  let hasTurns = Atomic(true)
  private let idle = Mutex<[IdleConnection]>([])
  /// Whether the tables are in the schema `public`, and the role's search path does not lead there.
  private let isInPublic = Atomic(false)
  /// Whether readers may be led to another server than writers.
  private let separatesWriters: Atomic<Bool>
  private let silence = Mutex<Silence?>(nil)
  /// For how long a statement is waited for that has changed nothing.
  private let patience = Mutex(Duration.seconds(10))

  /// A server that could not be reached, although it was waited for.
  private struct Silence {
    let error: EventLogError
    let end: ContinuousClock.Instant
  }

  /// Only the thread that took it from the list uses it.
  private struct IdleConnection: @unchecked Sendable {
    let connection: PostgresConnection
    let isWriter: Bool
  }

  private struct SharedKey: Hashable {
    let address: PostgresAddress
    let isPrimary: Bool
  }

  private static let known = Mutex<[SharedKey: PostgresStore]>([:])

  /// Whether readers ask the server that is written to, too. If not, an address that names several servers says which they
  /// ask: `target_session_attrs=prefer-standby`.
  private let isPrimary: Bool

  /// The log at an address. All of this program share its connections.
  package static func log(at address: PostgresAddress) -> BatchStoreLog {
    BatchStoreLog(server: shared(SharedKey(address: address, isPrimary: false)))
  }

  /// How the server of an address keeps what it acknowledges.
  package static func settings(at address: PostgresAddress) throws -> PostgresSettings {
    try shared(SharedKey(address: address, isPrimary: false)).settings()
  }

  /// The names of the logs that the database of an address has, whatever name that gives itself, in order.
  ///
  /// - Throws: `EventLogError` with `unavailable`.
  package static func names(at address: PostgresAddress) throws -> [String] {
    let store = shared(SharedKey(address: address, isPrimary: false))
    return try store.asking { connection in
      // One step of the index for each name, whatever number of batches that has.
      let answer = try store.withTables {
        let table = store.table("log_batch")
        return try connection.run(
          """
          WITH RECURSIVE logs (name) AS (SELECT min(catalog) FROM \(table) UNION ALL \
          SELECT (SELECT min(catalog) FROM \(table) WHERE catalog > logs.name) FROM logs WHERE logs.name IS NOT NULL) \
          SELECT name FROM logs WHERE name IS NOT NULL
          """)
      }
      return answer?.rows.compactMap { $0.first??.text } ?? []
    }
  }

  private static func shared(_ name: SharedKey) -> PostgresStore {
    known.withLock { known in
      let store = known[name] ?? PostgresStore(name)
      known[name] = store
      return store
    }
  }

  private init(_ name: SharedKey) {
    (address, isPrimary) = (name.address, name.isPrimary)
    separatesWriters = Atomic(
      isPrimary || address.namesServers || address.server.contains("target_session_attrs=")
        || getenv("PGTARGETSESSIONATTRS") != nil)
  }

  package var primary: any BatchServer { primaryStore }

  private var primaryStore: PostgresStore {
    guard separatesWriters.load(ordering: .relaxed) else { return self }
    let primary = Self.shared(SharedKey(address: address, isPrimary: true))
    primary.allowSilence(of: patience.withLock(\.self))
    return primary
  }

  package var place: String { "\(address)" }

  package func allowSilence(of duration: Duration) {
    patience.withLock { $0 = max($0, duration) }
  }

  /// A value of a table has a gibibyte at most, and a message of the protocol, too.
  package var largestBatch: Int? { 900 << 20 }

  // MARK: Connections

  func borrow(isWriter: Bool) throws -> PostgresConnection {
    let isWriter = leadsToWriter(isWriter)
    let found = idle.withLock { idle -> IdleConnection? in
      guard let place = idle.lastIndex(where: { $0.isWriter == isWriter }) else { return nil }
      return idle.remove(at: place)
    }
    let connection = try found?.connection ?? connect(isWriter)
    connection.silence = patience.withLock(\.self)
    return connection
  }

  private func leadsToWriter(_ isWriter: Bool) -> Bool {
    separatesWriters.load(ordering: .relaxed) && (isWriter || isPrimary)
  }

  /// A connection to a server that can be written to, since the one that any connection leads to is a standby, or refuses what
  /// writes. One name may lead to several servers.
  ///
  /// - Throws: `EventLogError` with `unavailable` if there is none.
  func borrowWriter(inPlaceOf standby: PostgresConnection) throws -> PostgresConnection {
    guard !separatesWriters.exchange(true, ordering: .relaxed) else { return standby }
    forgetConnections()
    return try borrow(isWriter: true)
  }

  /// - Throws: `EventLogError` with `unavailable`; at once if the server was waited for in vain just now: a command may ask
  ///   several times.
  private func connect(_ isWriter: Bool) throws -> PostgresConnection {
    let start = ContinuousClock.now
    if let silence = silence.withLock(\.self), start < silence.end { throw silence.error }
    do {
      return try PostgresConnection.open(address, isWriter: isWriter)
    } catch let error as EventLogError where error.code == .unavailable {
      let end = ContinuousClock.now
      if end - start > .seconds(1) {
        silence.withLock { $0 = Silence(error: error, end: end + .seconds(2)) }
      }
      throw error
    }
  }

  func giveBack(_ connection: PostgresConnection, isWriter: Bool) {
    guard !connection.isLost, !connection.isStreaming else { return }
    let lent = IdleConnection(connection: connection, isWriter: leadsToWriter(isWriter))
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
      } catch let failure as PostgresFailure
        where failure.isLost && !failure.isSilent || failure.state.hasPrefix("57P0")
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
    // What a pooler says has no state.
    let state = failure.state.isEmpty ? "" : " (\(failure.state))"
    return EventLogError(
      .unavailable,
      "\(address) \(failure.isLost ? "is lost" : "answers"): \(failure.message)\(state)" + advice,
      file: place, isSilence: failure.isLost)
  }

  // MARK: Reading

  package func end() throws -> (logID: LogID, head: LogHead)? { try asking { try end($0) } }

  package func askingPrimary<Result>(
    before end: LogHead?, of known: LogHead, _ body: (any BatchServer) throws -> Result
  ) throws -> Result? {
    guard try !isPrimary && settings().isStandby else { return nil }
    separatesWriters.store(true, ordering: .relaxed)
    do {
      return try body(primary)
    } catch let error as EventLogError where error.code == .unavailable {
      throw EventLogError(
        .unavailable,
        "this standby of \(address) has events up to \(end?.sequence ?? 0), and event \(known.sequence) is known; try again "
          + "later, or name the primary in the address, too: \(error.message)", file: place)
    }
  }

  /// The key of the advisory lock that a writer of this log holds during its turn.
  var turn: Int64 {
    SHA256.hash(data: Array("catalog log \(address.name)".utf8)).prefix(8).reduce(0) {
      $0 << 8 | Int64($1)
    }
  }

  /// SQL that says whether no other writer has the turn.
  var isTurnFree: String {
    hasTurns.load(ordering: .relaxed) ? "pg_try_advisory_xact_lock_shared(\(turn))" : "true"
  }

  /// A table, as statements name it.
  func table(_ name: String) -> String {
    isInPublic.load(ordering: .relaxed) ? "public.\(name)" : name
  }

  /// Carries out statements that name tables. If the role's search path leads to none, those of the schema `public` are meant.
  ///
  /// - Returns: nil if there are no tables.
  func withTables<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch let failure as PostgresFailure where failure.lacksTable {
      isInPublic.store(true, ordering: .relaxed)
    }
    do {
      return try body()
    } catch let failure as PostgresFailure where failure.lacksTable {
      isInPublic.store(false, ordering: .relaxed)
      return nil
    }
  }

  /// A statement that gives one row: `columns`, the versions of the tables, and the end of the log, whose columns are NULL
  /// without one. Its argument is the log's name.
  func selectEnd(_ columns: String = "") -> String {
    """
    SELECT \(columns)f.versions, e.last_seq, e.chain, e.header FROM \
    (SELECT string_agg(version::text, ', ' ORDER BY version) AS versions FROM \(table("log_format"))) AS f \
    LEFT JOIN (SELECT last_seq, chain, substring(frame FROM 1 FOR \(StoredBatch.endLength)) AS header \
    FROM \(table("log_batch")) WHERE catalog = $1 ORDER BY first_seq DESC LIMIT 1) AS e ON true
    """
  }

  /// The end of the log, as this server has it.
  func end(_ connection: PostgresConnection) throws -> (logID: LogID, head: LogHead)? {
    let answer = try withTables { try connection.run(selectEnd(), [.text(address.name)]) }
    return try answer.flatMap { try end(of: $0.rows.first ?? []) }
  }

  /// The answer has another form than the statement gives it.
  var wrongAnswer: EventLogError {
    EventLogError(
      .unavailable,
      "\(address) answers otherwise than PostgreSQL does, which says nothing about the log; check which server it is",
      file: place)
  }

  /// Reads the last columns of `selectEnd`.
  ///
  /// - Throws: `damaged`; `unavailable` if the tables are of another version, or if this is not an answer to the statement.
  func end(of row: [[UInt8]?]) throws -> (logID: LogID, head: LogHead)? {
    guard row.count >= 4 else { throw wrongAnswer }
    let columns = Array(row.suffix(4))
    let versions = columns[0]?.text ?? ""
    // Another machine is making the tables: they come before their version, which comes before any batch.
    if versions.isEmpty, columns[1] == nil { return nil }
    guard versions == "\(PostgresSchema.version)" else {
      throw EventLogError(
        .unavailable,
        "the tables of \(place) have version \(versions.isEmpty ? "?" : versions), and this program knows version "
          + "\(PostgresSchema.version); use a program that knows it", file: place)
    }
    guard let sequence = columns[1]?.integer else { return nil }
    let due = UInt64(max(sequence, 0))
    let found = try StoredBatch.end(of: columns[3] ?? [], place: place, sequence: due)
    guard found.head.sequence == due, found.head.chain.bytes == columns[2] else {
      throw damaged("the last row says something else than the batch in it", due)
    }
    return found
  }

  package func holds(_ head: LogHead) throws -> Bool {
    try asking { connection in
      try !connection.run(
        "SELECT 1 FROM \(table("log_batch")) WHERE catalog = $1 AND last_seq = $2 AND chain = $3",
        [.text(address.name), .number(head.sequence), .bytes(head.chain.bytes)]
      ).rows.isEmpty
    }
  }

  package func batches() -> any StoredBatches { PostgresBatchReader(self) }

  package func batch(at sequence: UInt64) throws -> StoredBatch? {
    let found = try asking { connection in
      try connection.run(
        """
        SELECT \(PostgresBatchReader.columns) FROM \(table("log_batch")) WHERE catalog = $1 AND first_seq <= $2 \
        ORDER BY first_seq DESC LIMIT 1
        """, [.text(address.name), .number(sequence)], patience: .giveUp(hasRows: true))
    }
    return try found.rows.first.map { try PostgresBatchReader.batch($0, of: self) }
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
  private func settings() throws -> PostgresSettings {
    try asking { try PostgresSettings($0) }
  }

  package func durability() throws -> LogDurability { try settings().durability }

  package func begin(_ opening: WriterOpening) throws -> any BatchSession {
    let primary = primaryStore
    return try primary.replacingConnections { try PostgresSession(primary, opening) }
  }
}
