import GRDB
import Synchronization

/// The index that the reads of one process share.
///
/// Made when first asked for, and carried on by what the journal says has changed since. Every use is
/// bound to the checkpoint of the snapshot that the caller reads.
package final class IndexCache: Sendable {
  /// From how many items on there is an index: fewer are as quickly found by SQL.
  private let threshold: Int
  private let state = Mutex<CatalogIndex?>(nil)

  package init(threshold: Int) {
    self.threshold = threshold
  }

  /// The index at the state that a snapshot shows; nil where SQL is to answer.
  ///
  /// Others who ask meanwhile wait: they need what is being made.
  ///
  /// - Parameter parts: what the index must have beside tags.
  func index(of database: Database, with parts: CatalogIndex.Parts) throws -> CatalogIndex? {
    guard let mark = try IndexMark.read(database) else { return nil }
    return try state.withLock { current in
      var index: CatalogIndex
      if let known = current, known.mark == mark {
        index = known
      } else if let known = current, known.mark.follows(mark) || known.mark.epoch > mark.epoch {
        // This snapshot is older than what others have seen already: there is no way back.
        return nil
      } else {
        guard parts.isMade else { return nil }
        guard try isWorthwhile(database) else {
          current = nil
          return nil
        }
        index = try Self.index(at: mark, after: current, database)
      }
      try index.make(parts, database)
      current = index
      return index
    }
  }

  private static func index(
    at mark: IndexMark, after known: CatalogIndex?, _ database: Database
  ) throws -> CatalogIndex {
    if let known, mark.follows(known.mark),
      let changes = try ChangeJournal.read(
        from: known.mark.checkpoint.sequence, to: mark.checkpoint.sequence, database)
    {
      return try known.advanced(to: mark, changes, database)
    }
    return try CatalogIndex(mark, database)
  }

  private func isWorthwhile(_ database: Database) throws -> Bool {
    let greatest = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT max(number) FROM projection_item"))
    return greatest ?? 0 >= threshold
  }

  /// Forgets everything.
  func clear() {
    state.withLock { $0 = nil }
  }
}
