package import CatalogModel
import EventLog
import Foundation
package import GRDB
import Projections

/// Which items the last transactions changed, for the indexes that readers keep in memory: what they
/// need to go on from one checkpoint to a later one, of this process or another.
///
/// A convenience of the live database: empty after a rebuild, and part of no receipt.
package enum ChangeJournal {
  /// A program with another one must not take the database for its own: the projector's version grows with
  /// it, as recorded receipts remind, which have the schema.
  static let sql = """
    CREATE TABLE projection_change (
      sequence INTEGER PRIMARY KEY,
      previous INTEGER NOT NULL,
      previous_chain TEXT NOT NULL,
      vocabularies INTEGER NOT NULL,
      items BLOB NULL
    )
    """

  /// Transactions that are remembered. A download notes up to a hundred of them, and changes few items.
  private static let depth = 256
  /// Items of a transaction that are remembered: where there are more, an index is rebuilt.
  static let limit = 16_384

  /// What was changed between two checkpoints.
  package struct Changes {
    package var items: Set<EntityID> = []
    package var touchesVocabularies = false
  }

  /// Notes what a transaction changed.
  static func write(
    _ changes: RowChanges, from previous: Checkpoint?, to sequence: UInt64, _ database: Database
  ) throws {
    let items = changes.entities.map { ids in ids.sorted().flatMap(\.bytes) }
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO projection_change
          (sequence, previous, previous_chain, vocabularies, items)
        VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [
        Int64(clamping: sequence), Int64(clamping: previous?.sequence ?? 0),
        previous?.head.chain.hex ?? "", changes.touchesNames,
        items.map { Data($0) },
      ])
    try database.execute(
      sql: """
        DELETE FROM projection_change WHERE sequence <= (
          SELECT max(sequence) FROM (
            SELECT sequence, row_number() OVER newest AS count,
              total(length(items)) OVER newest AS bytes
            FROM projection_change WINDOW newest AS (ORDER BY sequence DESC))
          WHERE count > ? OR bytes > ?)
        """, arguments: [depth, 16 * limit])
  }

  /// What the transactions between two checkpoints changed; nil if they are not all known.
  ///
  /// Rows that nobody of us wrote are not believed, and no error: without them all items are read.
  package static func read(
    from first: Checkpoint, to last: Checkpoint, _ database: Database
  ) throws -> Changes? {
    var changes = Changes()
    let start = Int64(clamping: first.sequence)
    var reached = start
    let rows = try PreparedStatement(
      database,
      """
      SELECT sequence, previous, vocabularies, items, previous_chain FROM projection_change
      WHERE sequence > \(start) ORDER BY sequence
      """)
    while try rows.step() {
      guard case .integer(let sequence) = rows.cell(0), case .integer(reached) = rows.cell(1),
        case .integer(let touches) = rows.cell(2), 0...1 ~= touches,
        case .blob(let items) = rows.cell(3), items.count % 16 == 0, items.count / 16 <= limit
      else { return nil }
      // The first one must begin where the reader stands, on the same history.
      if reached == start {
        guard case .text(let chain) = rows.cell(4), chain.elementsEqual(first.head.chain.hex.utf8)
        else {
          return nil
        }
      }
      for start in stride(from: 0, to: items.count, by: 16) {
        changes.items.insert(EntityID(bytes: items[start..<start + 16]))
      }
      guard changes.items.count <= limit else { return nil }
      if touches == 1 { changes.touchesVocabularies = true }
      reached = sequence
    }
    return reached == Int64(clamping: last.sequence) ? changes : nil
  }
}
