import EventLog
import GRDB
import Projections

/// The table for what a kind notes of each transaction (`TransactionNotes`).
///
/// A convenience of the live database: empty after a rebuild, and not part of the content of a receipt. Each kind has the table,
/// with these columns, because receipts that users keep have the digest of the whole schema.
enum ChangeTable {
  static let sql = """
    CREATE TABLE projection_change (
      sequence INTEGER PRIMARY KEY,
      previous INTEGER NOT NULL,
      previous_chain TEXT NOT NULL,
      vocabularies INTEGER NOT NULL,
      items BLOB NULL
    )
    """

  /// Writes what a kind noted of a transaction.
  static func write(
    _ notes: any TransactionNotes, from previous: Checkpoint?, to sequence: UInt64,
    _ database: Database
  ) throws {
    let start = (previous?.sequence ?? 0, previous?.head.chain.hex ?? "")
    for (sql, values) in notes.statements(from: start, to: sequence) {
      try PreparedStatement(database, sql, values).run()
    }
  }
}
