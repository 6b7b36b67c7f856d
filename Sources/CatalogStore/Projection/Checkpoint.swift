package import GRDB

/// How far a projection has come: which log, which projector, and the head that it has applied.
package struct Checkpoint: Hashable, Sendable {
  package var logID: String
  package var sequence: UInt64
  /// Chain hash at that sequence, 64 hex digits.
  package var chain: String
  package var fingerprint: String

  package init(logID: String, sequence: UInt64, chain: String, fingerprint: String) {
    self.logID = logID
    self.sequence = sequence
    self.chain = chain
    self.fingerprint = fingerprint
  }

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

  /// The checkpoint of a database; nil where it has none yet.
  ///
  /// - Throws: `StoreError` with `drifted` where it holds what no projector writes.
  package static func read(_ database: Database) throws -> Checkpoint? {
    do {
      // By its id: a row of another one would stand still while this one moves.
      let statement = try database.cachedStatement(
        sql: "SELECT log_id, sequence, chain, fingerprint FROM projection_checkpoint WHERE id = 1")
      return try statement.firstRow(of: origin) { row in
        Checkpoint(
          logID: try row.text(0), sequence: UInt64(try row.count(1)), chain: try row.text(2),
          fingerprint: try row.text(3))
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // Asked only now: every read of the catalog comes by, and it takes longer than the reading.
      guard try database.tableExists("projection_checkpoint") else { return nil }
      throw error
    }
  }

  /// Which rebuild replaced all rows of this database last: later ones have greater numbers, 0 is none.
  static func epoch(_ database: Database) throws -> Int64 {
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
      arguments: [logID, Int64(clamping: sequence), chain, fingerprint])
  }
}
