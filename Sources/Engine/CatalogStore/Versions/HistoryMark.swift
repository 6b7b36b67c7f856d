import EventLog
package import GRDB
import LibC
import Projections
import Support

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

  /// Whether a program other than ours has written to the file since the mark was written.
  ///
  /// - Parameter path: of the file, in which the connection has begun to read.
  package static func isOfLastChange(_ database: Database, at path: String) throws -> Bool {
    try database.firstRow(of: origin, "SELECT changes FROM history_checkpoint WHERE id = 1") {
      try $0.number(0)
    } == changes(of: path)
  }

  /// - Parameter changes: how often the file was changed when this transaction began.
  package static func write(
    _ checkpoint: Checkpoint, afterChanges changes: Int64, _ database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO history_checkpoint
          (id, format, log_id, sequence, chain, fingerprint, changes)
        VALUES (1, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        HistorySchema.format, checkpoint.logID.description, Int64(clamping: checkpoint.sequence),
        checkpoint.head.chain.hex, checkpoint.fingerprint.description, changes + 1,
      ])
  }

  /// Opens a history to write.
  ///
  /// - Parameter isScratch: whether a crash may leave a file that is thrown away; else it leaves the state before a transaction
  ///   or the one after it.
  package static func writer(_ path: String, isScratch: Bool) throws -> DatabaseQueue {
    let settings =
      isScratch
      ? "journal_mode = MEMORY; PRAGMA synchronous = OFF"
      : "journal_mode = DELETE; PRAGMA synchronous = NORMAL"
    var configuration = Configuration()
    configuration.label = "history"
    configuration.busyMode = .timeout(60)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA \(settings); PRAGMA cache_size = -65536;")
    }
    return try StoreError.translating(.opening(path)) {
      try DatabaseQueue(path: path, configuration: configuration)
    }
  }

  /// How often a database was changed: a number in its header, to which each transaction adds 1
  /// (<https://sqlite.org/fileformat2.html#file_change_counter>).
  package static func changes(of path: String) throws -> Int64 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(.database, "cannot read \(path): \(SystemError.current)")
    }
    defer { close(descriptor) }
    var number: UInt32 = 0
    let count = withUnsafeMutableBytes(of: &number) { pread(descriptor, $0.baseAddress, 4, 24) }
    guard count == 4 else { throw StoreError(.notADatabase, "\(path) is not a database") }
    return Int64(UInt32(bigEndian: number))
  }
}
