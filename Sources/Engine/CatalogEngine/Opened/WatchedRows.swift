import CatalogStore
import Foundation
import Logging
import Projections

/// The rows that an import changes, watched while its events are rehearsed.
final class WatchedRows {
  private var touched = TouchedRows()

  /// From how many rows on nothing is said of them: each is kept as it was and as it is.
  static let most = 100_000

  /// The rows, reported here when they change. The program's own tables are not watched.
  func observing<Store: RowStore>(_ store: Store) -> ObservedRowStore<Store> {
    ObservedRowStore(
      store, isWatched: { [self] table, _ in !table.isOwn && touched.count < Self.most },
      onChange: { [self] in touched.add($0) })
  }

  /// Without those that only have another stamp. Nil if there are too many.
  var changes: [RowChange]? {
    guard touched.count < Self.most else { return nil }
    return RowChanges.withoutStampsAndOwnTables(touched.changes).changes
  }
}

extension EventCatalog {
  /// The summary of a dry run with the columns that never changed, if the catalog has a history with all events. None is made.
  package static func noting(
    _ summary: OperationSummary, in directory: CatalogDirectory, _ kind: Kind,
    after sequence: UInt64, _ options: OpeningOptions
  ) -> OperationSummary {
    summary.noted(after: sequence, options) {
      try CatalogHistory(directory, CatalogLog(directory.store(), kind)).openAsItIs()
    }
  }
}

extension OperationSummary {
  /// The summary with the columns that never changed up to an event, if a history has all events up to it.
  fileprivate func noted(
    after sequence: UInt64, _ options: OpeningOptions, by history: () throws -> HistoryDatabase?
  ) -> OperationSummary {
    do {
      guard let history = try history(), history.checkpoint.sequence >= sequence else {
        return self
      }
      return try history.noting(self, after: sequence)
    } catch {
      // What was found or appended is so, whatever the history is like.
      options.logger.debug("the history does not say which columns never changed: \(error)")
      return self
    }
  }
}

extension OpenedCatalog {
  /// From how many equal changes of a column on a change is remarkable.
  private static let remarkable = 10
  /// The bytes of a log up to which its history is made within about two seconds.
  static let small = 4 << 20

  /// A summary with the columns that never changed up to an event, if the history has all events up to it. It is made or brought
  /// up to date for a remarkable change of a small catalog, since that is what its reader asks next.
  func noting(_ summary: OperationSummary, after sequence: UInt64) -> OperationSummary {
    summary.noted(after: sequence, options) { try history(for: summary, through: sequence) }
  }

  private func history(
    for summary: OperationSummary, through sequence: UInt64
  ) throws -> HistoryDatabase? {
    let columns = summary.tables.flatMap(\.columns)
    let isWorthwhile =
      log.reader.keepsOthersOut && columns.contains { $0.most >= Self.remarkable }
      && directory.logBytes <= Self.small
    return isWorthwhile
      ? try states.readyHistory(through: sequence) : try states.history?.openAsItIs()
  }
}
