package import GRDB
package import Projections

/// The events of the log that changed nothing, because they contradict what earlier events made: for `verify`,
/// `doctor` and `lint` to show. They follow from the log; part of no receipt.
package enum ConflictTable {
  static let table = "projection_conflict"

  static let sql = """
    CREATE TABLE projection_conflict (
      sequence INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      message TEXT NOT NULL
    )
    """

  static func add(_ conflicts: [ProjectionConflict], _ database: Database) throws {
    guard !conflicts.isEmpty else { return }
    // A database of an earlier release has no such table: with a conflict its replay would have stopped.
    if try !database.tableExists(table) { try database.execute(sql: sql) }
    let insert = try SQLiteStatement(
      database,
      "INSERT OR REPLACE INTO projection_conflict (sequence, type, message) VALUES (?, ?, ?)")
    for conflict in conflicts {
      try insert.bind(.integer(Int64(clamping: conflict.sequence)), at: 1)
      try insert.bind(.text(conflict.type), at: 2)
      try insert.bind(.text(conflict.message), at: 3)
      try insert.run()
    }
  }

  /// All of them, or the first so many, in the order of the log.
  package static func read(
    _ database: Database, limit: Int = .max
  ) throws -> [ProjectionConflict] {
    guard try database.tableExists(table) else { return [] }
    let statement = try SQLiteStatement(
      database, "SELECT sequence, type, message FROM projection_conflict ORDER BY sequence LIMIT ?")
    try statement.bind(.integer(Int64(limit)), at: 1)
    var conflicts: [ProjectionConflict] = []
    while try statement.step() {
      guard case .integer(let sequence) = statement.cell(0), sequence > 0,
        case .text(let type) = statement.cell(1), case .text(let message) = statement.cell(2)
      else {
        throw StoreError.drifted(tables: [table])
      }
      conflicts.append(
        ProjectionConflict(
          sequence: UInt64(sequence), type: String(decoding: type, as: UTF8.self),
          message: String(decoding: message, as: UTF8.self)))
    }
    return conflicts
  }
}
