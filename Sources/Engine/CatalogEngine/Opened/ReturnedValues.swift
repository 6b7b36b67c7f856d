import CatalogStore
import EventLog
import Logging
public import Projections

/// Values that a revert removed, and that an import makes again: another document has the same mistake.
///
/// The document of the reverted operation itself stays reverted. A later one is another document, and is imported; its report says
/// which values are there again.
public struct ReturnedValues: Hashable, Sendable {
  /// The operation that first made the values, and its revert.
  public let reverted: RevertedRow
  /// The changes of the import that make rows as they were before the revert.
  public let summary: OperationSummary
  /// How many rows the revert changed, added or removed.
  public let revertedRows: Int

  /// How many rows the import changes, adds or removes as they were before the revert.
  public var rows: Int {
    summary.tables.reduce(0) { $0 + $1.added + $1.removed + $1.changed }
  }

  /// - Parameters:
  ///   - revert: what the revert did to the rows.
  ///   - changes: what the import does to them.
  /// - Returns: nil if the import makes nothing of it again.
  init?(_ reverted: RevertedRow, _ revert: [RowChange], _ changes: [RowAddress: RowChange]) {
    let undone = RowChanges.withoutStampsAndOwnTables(revert).changes
    let back = undone.compactMap { undone in
      changes[undone.address].flatMap { $0.goingBack(before: undone) }
    }
    if back.isEmpty { return nil }
    self.reverted = reverted
    summary = OperationSummary(back)
    revertedRows = undone.count
  }
}

extension RowChange {
  /// The part of a change that makes values again which another change removed; nil if there is none.
  fileprivate func goingBack(before other: RowChange) -> RowChange? {
    guard let before, let after else {
      let comesAgain = before == nil && after != nil && other.before != nil && other.after == nil
      let goesAgain = before != nil && after == nil && other.before == nil && other.after != nil
      return comesAgain || goesAgain ? self : nil
    }
    guard let old = other.before, let new = other.after else { return nil }
    var back = before
    for column in table.columns.indices where !table.columns[column].isChangeStamp {
      if old[column] != new[column], before[column] != after[column], after[column] == old[column] {
        back[column] = after[column]
      }
    }
    return back == before ? nil : RowChange(table, key: key, before: before, after: back)
  }
}

extension OpenedCatalog {
  /// The operations that are reverted now.
  func reverts() throws -> [RevertedRow] {
    guard let table = kind.reverted else { return [] }
    return try projection.readProved(loading: []) { try $0.rows(of: table) }
  }

  /// Finds the values that an import made again and that reverts in force removed. The history says what these did: without one
  /// nothing is found.
  ///
  /// - Parameter sequence: the last event before the import.
  func returned(by changes: [RowChange], after sequence: UInt64) -> [ReturnedValues] {
    if changes.isEmpty { return [] }
    do {
      let reverts = try reverts()
      // A history that is there is brought up to date; to make one of a long log would be more than the import.
      let states = states
      let isThere = try states.history?.openAsItIs() != nil
      let isSmall = log.reader.keepsOthersOut && directory.logBytes <= Self.small
      guard isThere || isSmall,
        let history = try states.readyHistory(through: sequence)
      else { return [] }
      let changes = Dictionary(changes.map { ($0.address, $0) }) { $1 }
      return try reverts.compactMap { revert in
        guard let batch = try history.batch(of: revert.revertedBy) else { return nil }
        let undone = try history.changes(
          after: batch.firstSequence - 1, through: batch.lastSequence)
        return ReturnedValues(revert, undone, changes)
      }
    } catch {
      // What was appended is in the log, whatever the history is like.
      options.logger.debug("values that an import makes again are not counted: \(error)")
      return []
    }
  }
}

extension EventCatalog {
  /// Finds the values that an import would make again and that reverts in force removed, if the catalog is not opened. The log is
  /// replayed in memory if an operation is reverted now.
  package static func returnedValuesNow<Value: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> [ReturnedValues] {
    guard let table = kind.reverted else { return [] }
    let reverts = try OpenedCatalog.readProvedAtHead(
      of: directory, kind, options: options, loading: []
    ) { try $0.rows(of: table) }.result
    if reverts.isEmpty { return [] }
    let trial = try ImportTrial(in: directory, kind, options: options)
    let planned = try plan(.replayed(trial.rows))
    do {
      return try trial.apply(planned.events, by: "trial")
    } catch let error as ProjectionError {
      options.logger.debug("values that an import makes again are not counted: \(error)")
      return []
    }
  }
}

/// The rows of a log in memory, with what the reverts in force did to them.
struct ReplayedReverts {
  let folded: ProjectionRebuild.FoldedLog
  /// By the operations that reverted others.
  private let undone: [EntityID: [RowChange]]

  /// Replays a log.
  ///
  /// - Parameter reverts: the operations that are reverted at its end.
  init(_ log: CatalogLog, _ reverts: [RevertedRow], progress: @escaping ProgressObserver) throws {
    guard !reverts.isEmpty else {
      (folded, undone) = (try ProjectionRebuild(log, progress: progress).fold(), [:])
      return
    }
    var touched: [EntityID: TouchedRows] = [:]
    for revert in reverts { touched[revert.revertedBy] = TouchedRows() }
    var operation: EntityID?
    let rows = MemoryRowStore(schema: log.kind.schema)
    let watched = ObservedRowStore(
      rows, isWatched: { table, _ in operation != nil && !table.isOwn },
      onChange: { change in if let operation { touched[operation]?.add(change) } })
    let checkpoint = try ProjectionRebuild(log, progress: progress).fold(into: watched) {
      operation = touched[$0.operation] == nil ? nil : $0.operation
    }
    folded = ProjectionRebuild.FoldedLog(rows: rows, checkpoint: checkpoint, conflicts: [])
    undone = touched.mapValues(\.changes)
  }

  var hasReverts: Bool { !undone.isEmpty }

  /// The values that changes make again.
  ///
  /// - Parameter reverts: those that are in force after the changes: a document that a person takes again ends its revert.
  func returned(_ reverts: [RevertedRow], by changes: [RowChange]) -> [ReturnedValues] {
    let shown = RowChanges.withoutStampsAndOwnTables(changes).changes
    let byAddress = Dictionary(shown.map { ($0.address, $0) }) { $1 }
    return reverts.compactMap { ReturnedValues($0, undone[$0.revertedBy] ?? [], byAddress) }
  }
}
