import EventLog
import LibC
import Support

/// An error of the server, or of the way to it.
struct PostgresFailure: Error, CustomStringConvertible {
  /// Five characters; empty if the server said nothing.
  let state: String
  let message: String
  var description: String { message }

  /// Whether the connection can be used no more.
  var isLost = false
  /// Whether the server did not answer in time: a second question would wait as long.
  var isSilent = false

  /// Whether a table that is named does not exist.
  var lacksTable: Bool { state == "42P01" }

  /// Whether a function that is called does not exist.
  var lacksFunction: Bool { state == "42883" }

  /// Whether the same statement may be sent again: the server chose it to give way.
  var isRetried: Bool { ["40001", "40P01"].contains(state) }

  /// Whether a statement that writes may have had an effect.
  ///
  /// A lost connection, a server that ends, a primary that became a standby: what was sent before may be committed.
  var isUnknown: Bool {
    isLost || state == "40003" || state.hasPrefix("08") || state.hasPrefix("57P0")
      || state == "25006"
      || state == "57014"
  }
}

/// A connection to a server, and one statement on it at a time.
///
/// Each wait has an end: `statement_timeout` does not bound the wait for a standby, which begins after the statement. No statement
/// is prepared, since a pooler may carry out each transaction on another connection to the server.
final class PostgresConnection {
  private let library: LibPQ
  private let connection: OpaquePointer
  /// SQLSTATEs of warnings since the last statement began.
  private var warnings: [String] = []
  private(set) var isLost = false
  /// Whether rows of a statement are still to be read.
  private(set) var isStreaming = false
  /// For how long a statement is waited for that has changed nothing.
  var silence = Duration.seconds(10)

  /// Connects to the server that can be written to, if the address names several and does not say which of them a reader asks.
  ///
  /// - Parameter isWriter: whether a server that cannot be written to is of no use.
  /// - Throws: `EventLogError` with `unavailable`.
  static func open(_ address: PostgresAddress, isWriter: Bool) throws -> PostgresConnection {
    if isWriter {
      do {
        return try PostgresConnection(address, of: "read-write")
      } catch let error as EventLogError where error.message.contains("read-only") {
        // libpq's words. Whether it is a standby, or a role that only reads, the server says.
        guard let any = try? PostgresConnection(address, of: nil),
          try PostgresSettings(any).isStandby
        else { throw error }
        throw EventLogError(
          .unavailable,
          "no server of \(address) can be written to: the one that answers is a standby; name the primary, or try again after the failover",
          file: "\(address)")
      }
    }
    guard address.namesServers, !address.server.contains("target_session_attrs="),
      getenv("PGTARGETSESSIONATTRS") == nil
    else { return try PostgresConnection(address, of: nil) }
    do {
      return try PostgresConnection(address, of: "read-write")
    } catch let error as EventLogError where error.code == .unavailable {
      return try PostgresConnection(address, of: nil)
    }
  }

  /// - Parameter attributes: those of a server that is of use, in libpq's words; nil leaves that to the address.
  private init(_ address: PostgresAddress, of attributes: String?) throws {
    library = try LibPQ.loaded()
    var options = [
      "dbname": address.server, "fallback_application_name": "catalog", "client_encoding": "UTF8",
    ]
    let patience = 10
    // An address and the environment may say otherwise.
    if !address.server.contains("connect_timeout="), getenv("PGCONNECT_TIMEOUT") == nil {
      options["connect_timeout"] = "\(patience)"
    }
    if let attributes { options["target_session_attrs"] = attributes }
    let start = ContinuousClock.now
    guard let made = Self.calling(options, library.connect) else {
      throw EventLogError(.unavailable, "there is no memory for a connection to \(address)")
    }
    guard library.status(made) == 0 else {
      let text = Self.line(library.errorMessage(made))
      library.finish(made)
      // A server that was waited for would be waited for once more.
      let isThere =
        text.contains("FATAL:")
        || ContinuousClock.now - start < .seconds(patience)
          && Self.calling(options, library.ping) == 0
      throw EventLogError(
        .unavailable, "\(Self.failure(text, isThere)): \(address): \(text)", file: "\(address)",
        isSilence: true)
    }
    connection = made
    _ = library.setNoticeReceiver(
      made, { context, result in PostgresConnection.note(context, result) },
      Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    library.finish(connection)
  }

  /// Says why no connection could be made.
  ///
  /// - Parameters:
  ///   - text: the server's, or libpq's.
  ///   - isThere: whether a server answers at the address.
  private static func failure(_ text: String, _ isThere: Bool) -> String {
    guard isThere else { return "the server cannot be reached" }
    // libpq has no code for it.
    if text.contains("no password supplied") {
      return "the server asks for a password, and neither PGPASSWORD nor ~/.pgpass has one"
    }
    let isBusy = [
      "too many", "remaining connection slots", "is shutting down", "is starting up",
      "in recovery mode",
    ].contains(where: text.contains)
    return text.contains("FATAL:") && !isBusy
      ? "the server answers, but refuses this login (user, password or name of the database)"
      : "the server answers, and gives no connection"
  }

  /// Calls a function of libpq with options of a connection.
  private static func calling<Result>(
    _ options: [String: String],
    _ function: (UnsafePointer<LibPQ.Text?>, UnsafePointer<LibPQ.Text?>, CInt) -> Result
  ) -> Result {
    let names = options.keys.sorted()
    let texts = names.map { strdup($0) }
    let values = names.map { strdup(options[$0] ?? "") }
    defer { for text in texts + values { free(text) } }
    return function(
      texts.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }

  var serverVersion: Int { Int(library.serverVersion(connection)) }

  private static func note(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let context else { return }
    let own = Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
    // What a notice without weight says is no warning.
    let severity = own.field("V", of: result)
    if severity == "WARNING" { own.warnings.append(own.field("C", of: result)) }
  }

  private func field(_ name: Character, of result: OpaquePointer?) -> String {
    library.errorField(result, CInt(name.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
  }

  /// The text of an error in one line.
  private static func line(_ text: LibPQ.Text?) -> String {
    let whole = text.map { String(cString: $0) } ?? ""
    // Without libpq's question to a person in front of the server.
    return whole.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\tIs the server") }
      .map { $0.drop { $0 == "\t" || $0 == " " } }
      .joined(separator: "; ")
  }

  // MARK: Statements

  /// A value of a statement, or of a row.
  enum Argument {
    case text(String)
    /// Nil is NULL.
    case integer(Int64?)
    case bytes([UInt8])

    static func number(_ number: UInt64) -> Self { .integer(Int64(clamping: number)) }

    /// PostgreSQL's number of the type.
    var type: UInt32 {
      switch self {
      case .text: 25
      case .integer: 20
      case .bytes: 17
      }
    }

    /// PostgreSQL's number of the form in which it is sent: 1 is binary.
    var format: CInt {
      if case .bytes = self { 1 } else { 0 }
    }

    /// As it is sent, a text with a zero at its end; nil is NULL.
    var sent: [UInt8]? {
      switch self {
      case .text(let text): Array(text.utf8) + [0]
      case .integer(let integer): integer.map { Array("\($0)".utf8) + [0] }
      case .bytes(let bytes): bytes
      }
    }
  }

  /// The answer to a statement.
  struct Answer {
    var rows: [[[UInt8]?]] = []
    var affected = 0
    /// Whether the server warned that it did less than it was asked, such as that it did not wait for a standby.
    var warnings: [String] = []
  }

  /// Carries out a statement and reads all of its answer.
  ///
  /// - Parameter patience: how long the answer is waited for. The default is for a statement that changes no batch and has a
  ///   short answer.
  /// - Throws: `PostgresFailure`.
  @discardableResult
  func run(
    _ sql: String, _ arguments: [Argument] = [], patience: Patience = .giveUp(hasRows: false)
  ) throws -> Answer {
    try send(sql, arguments)
    var answer = Answer()
    _ = try first(patience) { result -> Bool? in
      for row in 0..<library.rowCount(result) { answer.rows.append(values(row, of: result)) }
      if let count = library.affectedRows(result).flatMap({ Int(String(cString: $0)) }) {
        answer.affected = count
      }
      return nil
    }
    answer.warnings = warnings
    return answer
  }

  /// Begins a statement whose rows are read one by one by `nextRow`.
  func begin(_ sql: String, _ arguments: [Argument] = []) throws {
    try send(sql, arguments)
    _ = library.setSingleRowMode(connection)
    isStreaming = true
  }

  /// The next row of a statement that was begun; nil at its end.
  func nextRow() throws -> [[UInt8]?]? {
    try first(.giveUp(hasRows: true)) { result in
      library.rowCount(result) > 0 ? values(0, of: result) : nil
    }
  }

  /// Begins a COPY, whose messages are read one by one by `nextCopied`.
  func beginCopy(_ sql: String) throws {
    try send(sql, [])
    isStreaming = true
    let begins = try first(.giveUp(hasRows: true)) { result in
      library.resultStatus(result) == Self.copiesOut ? true : nil
    }
    guard begins != nil else {
      throw PostgresFailure(state: "0A000", message: "nothing is copied")
    }
  }

  /// The next message of a COPY that was begun; nil at its end.
  func nextCopied<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    var wait = Wait(.giveUp(hasRows: true), silence: silence)
    while true {
      var start: UnsafeMutablePointer<CChar>?
      let count = library.getCopyData(connection, &start, 1)
      guard count <= 0 else {
        defer { library.freeMemory(start) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(count)))
      }
      switch count {
      case 0: try waitForInput(&wait, alsoForRoom: false)
      case -1: return try first(.giveUp(hasRows: true)) { _ in nil }
      default: throw lost()
      }
    }
  }

  /// The status of a result that begins a COPY to the client.
  private static let copiesOut: CInt = 3

  /// Reads the results of the statement up to the first of which `body` makes a value; nil at the end of them.
  ///
  /// - Throws: `PostgresFailure` at the end, if the statement failed.
  private func first<Value>(
    _ patience: Patience, _ body: (OpaquePointer) -> Value?
  ) throws -> Value? {
    var wait = Wait(patience, silence: silence)
    var failure: PostgresFailure?
    while let result = try nextResult(&wait) {
      defer { library.clear(result) }
      if let problem = problem(of: result) {
        failure = problem
      } else if let value = body(result) {
        return value
      }
    }
    isStreaming = false
    if let failure { throw failure }
    return nil
  }

  private func values(_ row: CInt, of result: OpaquePointer) -> [[UInt8]?] {
    (0..<library.columnCount(result)).map { column in
      guard library.isNull(result, row, column) == 0 else { return nil }
      let length = Int(library.length(result, row, column))
      guard let start = library.value(result, row, column), length > 0 else { return [] }
      return Array(UnsafeRawBufferPointer(start: start, count: length))
    }
  }

  private func send(_ sql: String, _ arguments: [Argument]) throws {
    guard !isLost else { throw lost() }
    precondition(!isStreaming, "rows of the statement before were not read")
    warnings = []
    let buffers = arguments.map { argument in
      argument.sent.map { bytes in
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        return copy
      }
    }
    defer { for buffer in buffers { buffer?.deallocate() } }
    let values = buffers.map { LibPQ.Text($0?.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    let lengths = buffers.map { CInt($0?.count ?? 0) }
    let formats = arguments.map(\.format)
    guard
      library.send(
        connection, sql, CInt(arguments.count), arguments.map(\.type), values, lengths, formats, 1)
        == 1
    else { throw lost() }
  }

  private func lost() -> PostgresFailure {
    isLost = true
    return PostgresFailure(
      state: "", message: Self.line(library.errorMessage(connection)), isLost: true)
  }

  private func problem(of result: OpaquePointer) -> PostgresFailure? {
    let status = library.resultStatus(result)
    // A command without rows, rows, one row.
    if [1, 2, 9, Self.copiesOut].contains(status) { return nil }
    let state = field("C", of: result)
    // 1 is the status of a connection that is bad.
    if library.status(connection) != 0 { isLost = true }
    let said = field("M", of: result)
    return PostgresFailure(
      state: state,
      message: said.isEmpty ? Self.line(library.errorMessage(connection)) : said, isLost: isLost)
  }

  /// Waits for the next result; nil if there is none.
  private func nextResult(_ wait: inout Wait) throws -> OpaquePointer? {
    while true {
      let isFlushed = library.flush(connection)
      guard isFlushed >= 0 else { throw lost() }
      if isFlushed == 0, library.isBusy(connection) == 0 { return library.getResult(connection) }
      try waitForInput(&wait, alsoForRoom: isFlushed == 1)
    }
  }

  /// How long a statement is waited for.
  enum Patience {
    /// If the time is over, the statement is cancelled. If the server does not answer that either, the connection is given up.
    case cancel(after: Duration)
    /// The connection is given up after `silence`, since the statement has changed nothing. If the answer has rows, that is a time
    /// without a byte: a batch may be long.
    case giveUp(hasRows: Bool)
  }

  /// A wait for the server that has an end.
  private struct Wait {
    let patience: Patience
    private let silence: Duration
    var deadline: ContinuousClock.Instant
    var isCancelled = false

    init(_ patience: Patience, silence: Duration) {
      (self.patience, self.silence) = (patience, silence)
      deadline = .now + silence
      if case .cancel(let duration) = patience { deadline = .now + duration }
    }

    /// Bytes came.
    mutating func heard() {
      if case .giveUp(hasRows: true) = patience { deadline = .now + silence }
    }
  }

  /// Waits for bytes of the server.
  ///
  /// - Parameter alsoForRoom: whether bytes for the server wait for room.
  private func waitForInput(_ wait: inout Wait, alsoForRoom: Bool) throws {
    let now = ContinuousClock.now
    if now >= wait.deadline {
      guard case .cancel = wait.patience, !wait.isCancelled else { throw silent() }
      cancel()
      wait.isCancelled = true
      wait.deadline = now + .seconds(5)
    }
    var poll = pollfd(
      fd: library.socket(connection), events: Int16(POLLIN | (alsoForRoom ? POLLOUT : 0)),
      revents: 0)
    guard poll.fd >= 0 else { throw lost() }
    let left = max(wait.deadline - ContinuousClock.now, .milliseconds(1)).components
    let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1
    guard LibC.poll(&poll, 1, CInt(clamping: milliseconds)) > 0 else { return }
    wait.heard()
    if library.consumeInput(connection) == 0 { throw lost() }
  }

  /// The connection is given up, since the server is silent.
  private func silent() -> PostgresFailure {
    isLost = true
    return PostgresFailure(
      state: "", message: "it does not answer in time; the connection was given up", isLost: true,
      isSilent: true)
  }

  private func cancel() {
    guard let cancel = library.getCancel(connection) else { return }
    defer { library.freeCancel(cancel) }
    var problem = [CChar](repeating: 0, count: 256)
    _ = library.cancel(cancel, &problem, CInt(problem.count))
  }
}

extension [UInt8] {
  /// A big-endian integer of four or eight bytes.
  var integer: Int64 {
    switch count {
    case 4: Int64(Int32(bitPattern: reduce(0) { $0 << 8 | UInt32($1) }))
    case 8: Int64(bitPattern: reduce(0) { $0 << 8 | UInt64($1) })
    default: 0
    }
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
