import GRDB
import Synchronization

/// The index that the reads of one process share.
///
/// Made when first asked for, and carried on by what the journal says has changed since. Every use is
/// bound to the checkpoint of the snapshot that the caller reads.
package final class IndexCache: Sendable {
  private struct State {
    var index: CatalogIndex?
    /// Whether the catalog was below the threshold when it was asked for last.
    var isSmall = false
  }

  /// From how many items on there is an index: fewer are as quickly found by SQL.
  private let threshold: Int
  private let state = Mutex(State())

  package init(threshold: Int) {
    self.threshold = threshold
  }

  /// The index at the state that a snapshot shows; nil where SQL is to answer.
  ///
  /// Others who ask meanwhile wait: they need what is being made.
  ///
  /// - Parameter parts: what the index must have beside tags.
  func index(of database: Database, with parts: CatalogIndex.Parts) throws -> CatalogIndex? {
    guard threshold < .max, let mark = try IndexMark.read(database) else { return nil }
    return try state.withLock { state in
      var index: CatalogIndex
      if let known = state.index, known.mark == mark {
        index = known
      } else if let known = state.index, known.mark.follows(mark) || known.mark.epoch > mark.epoch {
        // This snapshot is older than what others have seen already: there is no way back.
        return nil
      } else {
        guard parts.isMade else { return nil }
        state.isSmall = try isSmall(database)
        if state.isSmall {
          state.index = nil
          return nil
        }
        index = try Self.index(at: mark, after: state.index, database)
      }
      try index.make(parts, database)
      state.index = index
      return index
    }
  }

  /// Whether a question would have to make parts that take their time.
  func lacks(_ parts: CatalogIndex.Parts) -> Bool {
    guard threshold < .max, parts.isMade else { return false }
    // Who holds the lock is making something: to wait for it here would keep a thread from other tasks.
    return state.withLockIfAvailable { !$0.isSmall && !($0.index?.has(parts) ?? false) } ?? true
  }

  private static func index(
    at mark: IndexMark, after known: CatalogIndex?, _ database: Database
  ) throws -> CatalogIndex {
    if let known, mark.follows(known.mark),
      let changes = try ChangeJournal.read(
        from: known.mark.checkpoint, to: mark.checkpoint, database)
    {
      return try known.advanced(to: mark, changes, database)
    }
    return try CatalogIndex(mark, database)
  }

  private func isSmall(_ database: Database) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT max(number) FROM projection_item")
    let greatest = try statement.firstRow(of: StoredRow.Origin("projection_item")) { row in
      try row.isNull(0) ? 0 : row.integer(0)
    }
    return greatest ?? 0 < threshold
  }

  /// Forgets everything.
  func clear() {
    state.withLock { $0 = State() }
  }
}
