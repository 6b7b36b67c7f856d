import CatalogStore
import EventLog
import Logging
public import Projections

/// Values that a revert removed, and that an import makes again: another document has the same mistake.
///
/// The document of the reverted operation itself stays reverted. A later one is another document, and is imported; its report says
/// which values are there again.
///
/// ```swift
/// let returned = try await library.imports.apply(["evening.m3u8"]).returned
/// returned.first?.rows          // 20
/// returned.first?.revertedRows  // 30
/// ```
public struct ReturnedValues: Hashable, Sendable {
  /// The operations that the revert took back, one of which imported a document; in the order of the log.
  public let reverted: [RevertedRow]
  /// The changes of the import that make values and rows as they were before the revert.
  public let summary: OperationSummary
  /// How many rows the revert changed, added or removed.
  public let revertedRows: Int
  /// How many other rows the import changes: of the same column if that is the only one, and none was added or removed. A revert of the
  /// import takes these back, too.
  public let otherRows: Int

  /// How many rows the import changes, adds or removes as they were before the revert.
  public var rows: Int {
    summary.tables.reduce(0) { $0 + $1.added + $1.removed + $1.changed }
  }

  /// - Parameters:
  ///   - revert: the changes of rows by the revert.
  ///   - changes: those by the import.
  /// - Returns: nil if the import makes nothing of it again.
  init?(_ reverted: [RevertedRow], _ revert: [RowChange], _ changes: [RowAddress: RowChange]) {
    let undone = RowChanges.withoutStampsAndOwnTables(revert).changes
    let back = undone.compactMap { undone in
      changes[undone.address].flatMap { $0.goingBack(before: undone) }
    }
    if back.isEmpty { return nil }
    self.reverted = reverted
    let summary = OperationSummary(back)
    let (table, column) = (back[0].table, summary.onlyColumn)
    let alike = changes.values.count { change in
      guard let place = column.flatMap({ table.index(of: $0) }) else { return true }
      return change.table === table && change.before?[place] != change.after?[place]
    }
    self.summary = summary
    otherRows = alike - back.count
    revertedRows = undone.count
  }
}

extension OperationSummary {
  /// The column, if rows of one table changed in it alone, and none came or went.
  package var onlyColumn: String? {
    guard tables.count == 1, tables[0].columns.count == 1, tables[0].added + tables[0].removed == 0
    else { return nil }
    return tables[0].columns[0].column
  }
}

extension RowChange {
  /// The part of a change that makes values again which another change removed; nil if there is none.
  fileprivate func goingBack(before other: RowChange) -> RowChange? {
    switch (before, after, other.before, other.after) {
    case (nil, let after?, let old?, nil):
      // Another row may have the key now.
      let isSame = table.columns.indices.allSatisfy { column in
        table.key.contains(column) || table.columns[column].isChangeStamp
          || after[column] == old[column]
      }
      return isSame ? self : nil
    case (.some, nil, nil, .some): return self
    case (let before?, let after?, let old?, let new?):
      var back = before
      for column in table.columns.indices where !table.columns[column].isChangeStamp {
        if old[column] != new[column], before[column] != after[column],
          after[column] == old[column]
        {
          back[column] = after[column]
        }
      }
      return back == before ? nil : RowChange(table, key: key, before: before, after: back)
    default: return nil
    }
  }
}

extension [RevertedRow] {
  /// The operations that are reverted by one revert each, the newest revert first. Reverts that took back no document are left out:
  /// those of other changes, and reverts of reverts.
  fileprivate var byRevert: [(revert: EntityID, operations: [RevertedRow])] {
    Dictionary(grouping: self, by: \.revertedBy)
      .filter { $0.value.contains { !$0.documents.isEmpty } }
      .map { ($0.key, $0.value.sorted { $0.first < $1.first }) }
      .sorted {
        ($1.operations[0].revertedAt, $1.operations[0].first)
          < ($0.operations[0].revertedAt, $0.operations[0].first)
      }
  }
}

extension OpenedCatalog {
  /// How many reverts are compared with an import, the newest ones.
  private static let comparedReverts = 10
  /// How many events a history may lack that is brought up to date for it.
  private static let missingEvents: UInt64 = 10_000

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
      let reverts = try reverts().byRevert.prefix(Self.comparedReverts)
      guard !reverts.isEmpty, let history = try history(through: sequence) else { return [] }
      let changes = Dictionary(changes.map { ($0.address, $0) }) { $1 }
      return try reverts.compactMap { revert, operations in
        guard let batch = try history.batch(of: revert),
          try history.rowCount(of: batch) < WatchedRows.most
        else { return nil }
        let undone = try history.changes(
          after: batch.firstSequence - 1, through: batch.lastSequence,
          in: kind.schema.tables.filter { !$0.isOwn })
        return ReturnedValues(operations, undone, changes)
      }
    } catch {
      // What was appended is in the log, whatever the history is like.
      options.logger.debug("values that an import makes again are not counted: \(error)")
      return []
    }
  }

  /// The history up to an event, if that costs less than a replay of a long log.
  private func history(through sequence: UInt64) throws -> HistoryDatabase? {
    let states = states
    let isSmall = log.reader.keepsOthersOut && directory.logBytes <= Self.small
    let known = try states.history?.openAsItIs()
    if let known, known.checkpoint.sequence + Self.missingEvents < sequence { return known }
    return isSmall || known != nil ? try states.readyHistory(through: sequence) : nil
  }
}

extension EventCatalog {
  /// Finds the values that an import would make again and that reverts in force removed, if the catalog is not opened. The log is
  /// replayed in memory if an operation is reverted now.
  ///
  /// - Parameter sequence: the last event before the import.
  /// - Returns: nil if others appended meanwhile.
  package static func returnedValuesNow<Value: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, after sequence: UInt64, options: OpeningOptions,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> [ReturnedValues]? {
    guard try hasReverts(in: directory, kind, options) else { return [] }
    let trial = try ImportTrial(in: directory, kind, options: options)
    guard trial.sequence == sequence else { return nil }
    let planned = try plan(.replayed(trial.rows))
    do {
      return try trial.apply(planned.events, by: "trial").returned
    } catch let error as ProjectionError {
      options.logger.debug("values that an import makes again are not counted: \(error)")
      return []
    }
  }
}

/// The rows of a log in memory, with what the reverts in force did to them.
struct ReplayedReverts {
  let folded: ProjectionRebuild.FoldedLog
  /// The changes of rows by each operation that reverted others.
  private let undone: [EntityID: [RowChange]]

  /// Replays a log.
  ///
  /// - Parameters:
  ///   - reverts: the operations that are reverted at its end.
  ///   - last: the event that is its end for this; nil is the last one.
  init(
    _ log: CatalogLog, _ reverts: [RevertedRow], through last: UInt64? = nil,
    progress: @escaping ProgressObserver
  ) throws {
    let rebuild = ProjectionRebuild(log, through: last, progress: progress)
    guard !reverts.isEmpty else {
      (folded, undone) = (try rebuild.fold(), [:])
      return
    }
    var touched: [EntityID: TouchedRows] = [:]
    for revert in reverts { touched[revert.revertedBy] = TouchedRows() }
    var operation: EntityID?
    let rows = MemoryRowStore(schema: log.kind.schema)
    let watched = ObservedRowStore(
      rows, isWatched: { table, _ in operation != nil && !table.isOwn },
      onChange: { change in if let operation { touched[operation]?.add(change) } })
    let checkpoint = try rebuild.fold(into: watched) {
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
    return reverts.byRevert.compactMap {
      ReturnedValues($0.operations, undone[$0.revert] ?? [], byAddress)
    }
  }
}
