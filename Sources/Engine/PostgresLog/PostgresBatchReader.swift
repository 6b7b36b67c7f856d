import EventLog
import Support
import Synchronization

/// The rows of a log in their order.
final class PostgresBatchReader: StoredBatches {
  private static let others = "first_seq, count, prev_chain, chain"
  static let columns = "frame, " + others
  /// The stored bytes of a batch that comes with the look at its row, at most.
  private static let shortBatch = 1 << 16

  private let log: PostgresStore
  private var connection: PostgresConnection?
  /// Whether a row was given. Many a reader wants one batch alone, and a connection with rows on their way is of no further
  /// use: the first row is asked for by itself.
  private var hasBegun = false
  /// Reads the messages of the COPY that runs; nil if none runs.
  private var copy: CopiedRows?
  /// The row that is given next, if a look at it has brought all of it.
  private var waiting: [[UInt8]?]?

  init(_ log: PostgresStore) {
    self.log = log
  }

  deinit {
    giveBack()
  }

  /// Other statements may use the connection, unless rows are on their way.
  private func giveBack() {
    if let connection { log.giveBack(connection, isWriter: false) }
    connection = nil
  }

  func begins(after head: LogHead) throws -> Bool {
    let frame = "CASE WHEN length(frame) <= \(Self.shortBatch) THEN frame END"
    let rows = try log.asking { connection in
      try log.withTables {
        try connection.run(
          select("\(frame), \(Self.others)", "$1", after: "$2") + " LIMIT 1", arguments(after: head)
        ).rows
      }
    }
    guard let row = rows?.first, row.count == 5,
      row[1]?.integer == Int64(clamping: head.sequence) + 1, row[3] == head.chain.bytes
    else { return false }
    if row[0] != nil { waiting = row }
    return true
  }

  func next(after head: LogHead?) throws -> StoredBatch? {
    if let row = waiting.take() {
      hasBegun = true
      return try Self.batch(row, of: log)
    }
    do {
      if let row = try nextRow(after: head) { return try Self.batch(row, of: log) }
      return nil
    } catch let failure as PostgresFailure {
      connection = nil
      throw log.error(failure)
    }
  }

  /// The next row of the statement that runs, or the first one of a new one. A connection that broke since the last one is
  /// replaced: the reading goes on after the head.
  private func nextRow(after head: LogHead?) throws -> [[UInt8]?]? {
    var hasLost = false
    while true {
      do {
        let connection = try connection ?? log.borrow(isWriter: false)
        self.connection = connection
        if !connection.isStreaming {
          if !hasBegun {
            let row = try log.withTables { try first(after: head, connection) }?.first
            hasBegun = row != nil
            giveBack()
            return row
          }
          try begin(after: head, connection)
        }
        let row = try copy == nil ? connection.nextRow() : copy?.next(of: connection)
        if row == nil { giveBack() }
        return row
      } catch let failure as PostgresFailure
        where copy != nil && ["0A000", "42601"].contains(failure.state)
      {
        // A server that speaks the protocol and has no binary COPY.
        log.copies.store(false, ordering: .relaxed)
        copy = nil
      } catch let failure as PostgresFailure
        where failure.isLost && !failure.isSilent && !hasLost
      {
        hasLost = true
        log.forgetConnections()
        connection = nil
      }
    }
  }

  private func first(
    after head: LogHead?, _ connection: PostgresConnection
  ) throws -> [[[UInt8]?]] {
    try connection.run(
      select(Self.columns, "$1", after: "$2") + " LIMIT 1", arguments(after: head),
      patience: .giveUp(hasRows: true)
    ).rows
  }

  private func begin(after head: LogHead?, _ connection: PostgresConnection) throws {
    guard log.copies.load(ordering: .relaxed) else {
      copy = nil
      return try connection.begin(
        select(Self.columns, "$1", after: "$2"), arguments(after: head))
    }
    copy = CopiedRows()
    // A COPY has no arguments; the name has letters, digits and three signs alone.
    let rows = select(
      Self.columns, "'\(log.address.name)'", after: "\(head?.sequence ?? 0)")
    try connection.beginCopy("COPY (\(rows)) TO STDOUT (FORMAT binary)")
  }

  private func select(_ columns: String, _ name: String, after sequence: String) -> String {
    "SELECT \(columns) FROM \(log.table("log_batch")) WHERE catalog = \(name) AND first_seq > \(sequence) ORDER BY first_seq"
  }

  private func arguments(after head: LogHead?) -> [PostgresConnection.Argument] {
    [.text(log.address.name), .number(head?.sequence ?? 0)]
  }

  /// - Throws: `damaged` if the columns say something else than the bytes.
  static func batch(_ row: [[UInt8]?], of log: PostgresStore) throws -> StoredBatch {
    guard row.count == 5 else { throw log.wrongAnswer }
    let place = log.place
    let first = UInt64(max(row[1]?.integer ?? 0, 0))
    let batch = try StoredBatch(row[0] ?? [], place: place, due: first)
    let info = batch.info
    guard info.firstSequence == first, Int64(clamping: info.eventCount) == row[2]?.integer,
      info.previousChain.bytes == row[3], info.chain.bytes == row[4]
    else {
      throw EventLogError(
        .damaged(.header),
        "the log is damaged (header fields): a row says something else than the batch in it, in \(place) at event "
          + "\(first); restore the database from a copy. Nothing was changed",
        file: place, sequence: first)
    }
    return batch
  }
}

/// The rows in the messages of a binary COPY (<https://www.postgresql.org/docs/current/sql-copy.html>).
private struct CopiedRows {
  private typealias Row = [[UInt8]?]

  private static let signature = Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n".utf8) + [0]

  private var hasHeader = false
  /// Rows of a message that were not given yet, the next one last.
  private var waiting: [Row] = []

  /// The next row; nil at the end.
  mutating func next(of connection: PostgresConnection) throws -> [[UInt8]?]? {
    while waiting.isEmpty {
      let rows = try connection.nextCopied { try read(Message($0)) }
      guard let rows else { return nil }
      waiting = rows.reversed()
    }
    return waiting.popLast()
  }

  private mutating func read(_ message: consuming Message) throws -> [Row] {
    if !hasHeader {
      hasHeader = true
      guard try message.take(Self.signature.count) == Self.signature else {
        throw PostgresFailure(state: "08P01", message: "the copy is not binary")
      }
      _ = try message.take(4)
      _ = try message.take(max(message.integer(4), 0))
    }
    var rows: [Row] = []
    while !message.isAtEnd {
      let columns = try message.integer(2)
      // The end of all rows.
      guard columns >= 0 else { break }
      var row: Row = []
      for _ in 0..<columns {
        let length = try message.integer(4)
        row.append(length < 0 ? nil : try message.take(length))
      }
      rows.append(row)
    }
    return rows
  }

  private struct Message {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func take(_ count: Int) throws -> [UInt8] {
      guard count <= bytes.count - offset else {
        throw PostgresFailure(state: "08P01", message: "a row of the copy is cut short")
      }
      defer { offset += count }
      return Array(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }

    /// A signed big-endian integer of two or four bytes.
    mutating func integer(_ count: Int) throws -> Int {
      let value = try take(count).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return count == 2 ? Int(Int16(truncatingIfNeeded: value)) : Int(Int32(bitPattern: value))
    }
  }
}
