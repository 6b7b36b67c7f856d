import EventLog
import Foundation
package import GRDB
import Projections

/// How far a history has come.
package enum HistoryMark {
  private static let origin = StoredRow.Origin("history_checkpoint")

  /// The log, its head and the projector that a history was made of; nil if the file has another format.
  ///
  /// - Throws: `StoreError` with `drifted` if it says what no history says.
  package static func read(_ database: Database) throws -> Checkpoint? {
    guard try database.tableExists("history_checkpoint") else { return nil }
    let format = try database.firstRow(
      of: origin, "SELECT format FROM history_checkpoint WHERE id = 1"
    ) { try $0.number(0) }
    guard format == HistorySchema.format else { return nil }
    return try database.makeStatement(
      sql: "SELECT log_id, sequence, chain, fingerprint FROM history_checkpoint WHERE id = 1"
    ).firstRow(of: origin) { try Checkpoint($0) }
  }

  /// The mark of the file at a path, of a catalog of whatever kind; nil if it has none that can be read.
  package static func peek(_ path: String) -> Checkpoint? {
    guard DatabaseFile.isTaken(path) else { return nil }
    return (try? reading(path, read)) ?? nil
  }

  /// Reads the file at a path, whatever it has.
  package static func reading<Result>(
    _ path: String, _ body: (Database) throws -> Result
  ) throws -> Result {
    try StoreError.translating(.opening(path)) {
      defer { DatabaseFile.removeCompanions(of: path) }
      let queue = try ReadOnlyDatabase.open(path, .shared, "history")
      defer { try? queue.close() }
      return try queue.read(body)
    }
  }

  /// The sum of all other rows of the file; nil if the file has none.
  static func sum(_ database: Database) throws -> HistorySum? {
    let statement = try PreparedStatement(
      database, "SELECT rows, digest FROM history_checkpoint WHERE id = 1")
    return try statement.step() ? RunningDigests.sum(statement, 0).map { HistorySum($0) } : nil
  }

  /// Whether the mark is at the end of the last batch that the file has.
  static func isAtLastBatch(_ database: Database) throws -> Bool {
    try database.hasRow(
      """
      SELECT 1 FROM history_checkpoint AS c, (SELECT last, chain FROM history_batch ORDER BY last DESC LIMIT 1) AS b
      WHERE c.sequence = b.last AND c.chain = lower(hex(b.chain))
      """)
  }

  /// - Parameter sum: of all other rows of the file.
  package static func write(
    _ checkpoint: Checkpoint, _ sum: HistorySum, _ database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO history_checkpoint
          (id, format, log_id, sequence, chain, fingerprint, rows, digest)
        VALUES (1, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        HistorySchema.format, checkpoint.logID.description, Int64(clamping: checkpoint.sequence),
        checkpoint.head.chain.hex, checkpoint.fingerprint.description, sum.total.rows,
        Data(sum.total.digest.bytes),
      ])
  }

  /// Opens a history to write.
  ///
  /// A history has a write-ahead log, so that questions and the writer do not wait for each other. A crash leaves the state
  /// before a transaction or the one after it.
  package static func writer(_ path: String) throws -> DatabaseQueue {
    try writer(path, "journal_mode = WAL; PRAGMA synchronous = NORMAL")
  }

  /// Opens a new file, which is thrown away if a crash leaves it, to write into it what `TableFile` does not.
  static func scratchWriter(_ path: String) throws -> DatabaseQueue {
    try writer(path, "journal_mode = MEMORY; PRAGMA synchronous = OFF")
  }

  private static func writer(_ path: String, _ settings: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "history"
    // Our own processes take turns. Another program's is not waited for.
    configuration.busyMode = .timeout(1)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA \(settings); PRAGMA cache_size = -65536;")
    }
    return try StoreError.translating(.opening(path)) {
      try DatabaseQueue(path: path, configuration: configuration)
    }
  }
}
