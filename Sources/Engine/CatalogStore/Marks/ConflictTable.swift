import CatalogModel
package import GRDB
package import Projections

/// The events of the log that changed nothing, because they contradict what earlier events made: for `verify`,
/// `doctor` and `lint` to show. They follow from the log; part of no receipt. The running digests prove them
/// (`RunningDigests.areWhole`).
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
    let insert = try PreparedStatement(
      database, "INSERT INTO projection_conflict (sequence, type, message) VALUES (?, ?, ?)")
    for conflict in conflicts {
      try insert.bind([
        .sequence(conflict.sequence), .text(conflict.type), .text(conflict.message),
      ])
      try insert.run()
    }
  }

  /// The conflicts after an event, in the order of the log.
  ///
  /// - Throws: `StoreError` with `drifted` for a row that is none.
  package static func read(
    _ database: Database, after sequence: UInt64 = 0
  ) throws -> [ProjectionConflict] {
    guard try database.tableExists(table) else { return [] }
    return try database.rows(
      of: StoredRow.Origin(table, ("sequence", 0)),
      """
      SELECT sequence, type, message FROM projection_conflict WHERE sequence > ? OR sequence < 1
      ORDER BY sequence
      """, [Int64(clamping: sequence)]
    ) { row in
      ProjectionConflict(
        sequence: UInt64(try row.count(0)), type: try row.text(1), message: try row.text(2))
    }
  }
}
