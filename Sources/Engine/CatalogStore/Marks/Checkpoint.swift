package import EventLog
package import GRDB
package import Projections
import Support

/// How far a projection has come: which log, which projector, and the head that it has applied.
package struct Checkpoint: Hashable, Sendable {
  package var logID: LogID
  package var head: LogHead
  /// Of the projector that made the rows.
  package var fingerprint: ProjectorFingerprint

  package init(logID: LogID, head: LogHead, fingerprint: ProjectorFingerprint) {
    self.logID = logID
    self.head = head
    self.fingerprint = fingerprint
  }

  package var sequence: UInt64 { head.sequence }

  static let sql = """
    CREATE TABLE projection_checkpoint (
      id INTEGER PRIMARY KEY CHECK(id = 1),
      log_id TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      chain TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      epoch INTEGER NOT NULL DEFAULT 0
    )
    """

  private static let origin = StoredRow.Origin("projection_checkpoint")

  /// The checkpoint of a database; nil if it has none yet.
  ///
  /// - Throws: `StoreError` with `drifted` if it holds what no projector writes.
  package static func read(_ database: Database) throws -> Checkpoint? {
    do {
      // By its id: a row of another one would stand still while this one moves.
      let statement = try database.cachedStatement(
        sql: "SELECT log_id, sequence, chain, fingerprint FROM projection_checkpoint WHERE id = 1")
      return try statement.firstRow(of: origin) { try Checkpoint($0) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Asked only now: every read of the catalog comes by, and it takes longer than the reading.
      guard try database.tableExists("projection_checkpoint") else { return nil }
      throw error
    }
  }

  /// The row of a statement that asks for these four columns.
  init(_ statement: OpaquePointer) throws {
    try self.init(StoredRow(statement, Self.origin))
  }

  init(_ row: StoredRow) throws {
    guard let logID = LogID(try row.text(0)) else { throw row.drift(0, "a UUID in lower case") }
    let sequence = UInt64(try row.count(1))
    guard let chain = ChainHash(hex: try row.text(2)) else {
      throw row.drift(2, "64 hexadecimal digits in lower case")
    }
    self.init(
      logID: logID, head: LogHead(sequence: sequence, chain: chain),
      fingerprint: ProjectorFingerprint(recorded: try row.text(3)))
  }

  /// Makes sure that a projector made the rows: another one would misread them, and may not change them.
  ///
  /// - Throws: `StoreError` with `stale`.
  package func require(madeBy own: ProjectorFingerprint) throws {
    guard fingerprint != own else { return }
    throw StoreError(
      .stale,
      "the database was rebuilt by projector \(fingerprint.short), this program has \(own.short); open the catalog again, "
        + "or run \(do: .rebuild)")
  }

  /// Which rebuild replaced all rows of this database last: later ones have greater numbers, 0 is none.
  package static func epoch(_ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(
      sql: "SELECT epoch FROM projection_checkpoint WHERE id = 1")
    return try statement.firstRow(of: origin) { try $0.number(0) } ?? 0
  }

  package func write(_ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO projection_checkpoint (id, log_id, sequence, chain, fingerprint)
        VALUES (1, ?, ?, ?, ?)
        ON CONFLICT(id) DO UPDATE SET log_id = excluded.log_id, sequence = excluded.sequence,
          chain = excluded.chain, fingerprint = excluded.fingerprint
        """,
      arguments: [
        logID.description, Int64(clamping: sequence), head.chain.hex, fingerprint.description,
      ])
  }
}
