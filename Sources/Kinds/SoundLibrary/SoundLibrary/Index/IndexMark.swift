import CatalogStore
import GRDB

/// Which state of the database an index stands for.
struct IndexMark: Hashable, Sendable {
  let checkpoint: Checkpoint
  /// Grows where a rebuild replaces all rows: it may repair some without moving the checkpoint.
  let epoch: Int64

  /// Nil for a database without a checkpoint.
  static func read(_ database: Database) throws -> IndexMark? {
    guard let checkpoint = try Checkpoint.read(database) else { return nil }
    return IndexMark(checkpoint: checkpoint, epoch: try Checkpoint.epoch(database))
  }

  /// Whether an item may have a number: an event gives each number. One far away would take memory for all before it.
  ///
  /// - Parameter next: the number after the greatest that is known.
  func canHave(itemNumber number: Int64, next: Int) -> Bool {
    number > 0 && (number <= next || UInt64(number) <= checkpoint.sequence)
  }

  /// Whether the rows have gone on from `other` by transactions that the journal may know.
  func follows(_ other: IndexMark) -> Bool {
    epoch == other.epoch && checkpoint.logID == other.checkpoint.logID
      && checkpoint.fingerprint == other.checkpoint.fingerprint
      && checkpoint.sequence > other.checkpoint.sequence
  }
}
