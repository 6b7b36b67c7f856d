import CatalogModel
import EventLog
public import Projections
import Support

extension EventCatalog {
  /// Takes back what operations changed: appends the events that bring the rows back, as one batch.
  ///
  /// A row that later events changed stays as it is, with what belongs to it and what it needs, and is among the conflicts. A
  /// revert is an operation itself and can be reverted.
  ///
  /// ```swift
  /// let report = try await shelf.revert(.events(3_534...3_600), reason: "the wrong export")
  /// for conflict in report.conflicts { … }
  /// ```
  ///
  /// - Parameters:
  ///   - reason: kept in the log; at most 4,096 bytes.
  ///   - force: whether rows are brought back which later events changed.
  /// - Throws: `CatalogError`: `notFound` if no operation or more than one has this id; `noMoment` for events that are not
  ///   whole batches, and for event 1; `changeRefused` if the kind cannot take operations back; as `change`.
  public func revert(
    _ operation: OperationName, reason: String? = nil, force: Bool = false, wait: Duration? = nil
  ) async throws -> RevertReport {
    try await Blocking.run {
      let (draft, change) = try self.revertNow(
        operation, reason: reason, isForced: force, wait: wait)
      return RevertReport(draft, of: self.kind.schema, change: change)
    }
  }

  /// Plans what `revert` would do now. Nothing is written to the catalog; the first call makes a history, as `past(after:)` does.
  ///
  /// - Throws: as `revert`.
  public func plannedRevert(
    _ operation: OperationName, force: Bool = false
  ) async throws -> RevertReport {
    try await Blocking.run {
      RevertReport(
        try self.draftRevert(operation, isForced: force), of: self.kind.schema, change: nil)
    }
  }

  /// The operations that are reverted now, by their first events.
  public func revertedOperations() async throws -> [RevertedRow] {
    guard let table = kind.reverted else { return [] }
    return try await rows(of: table).sorted { $0.first < $1.first }
  }

  /// The head of the log moved while a revert was planned.
  private struct HeadMoved: Error {
    let head: LogHead
  }

  package func revertNow(
    _ operation: OperationName, reason: String?, isForced: Bool, wait: Duration? = nil,
    note: (HistoryNote) -> Void = { _ in }
  ) throws -> (draft: RevertDraft<Kind.Event>, change: ChangeReport) {
    // Others may append while this is planned; then it is planned again.
    let deadline = ContinuousClock.now + patience(wait)
    while true {
      let draft = try draftRevert(operation, reason: reason, isForced: isForced, note: note)
      do {
        let change = try changeNow(
          by: Self.source(draft.operations), wait: wait, rows: draft.changes.count
        ) { _ in
          let head = try opened.log.head()
          guard let head, head != draft.head else { return draft.events }
          throw HeadMoved(head: head)
        }
        return (draft, change)
      } catch let error as HeadMoved {
        guard ContinuousClock.now < deadline else {
          throw EventLogError.headMoved(from: draft.head, to: error.head, opened.log.reader.place)
        }
      }
    }
  }

  /// Plans what takes operations back.
  package func draftRevert(
    _ operation: OperationName, reason: String? = nil, isForced: Bool,
    note: (HistoryNote) -> Void = { _ in }
  ) throws -> RevertDraft<Kind.Event> {
    try opened.requirePresent()
    let log = opened.log
    let head = try opened.requireHead()
    guard let catalog = CatalogHistory(opened.directory, log, progress: opened.options.progress)
    else {
      throw CatalogError(
        .changeRefused,
        "the tables of this kind can have no history, from which rows are restored")
    }
    let range = try OperationRange(operation, in: log, history: catalog)
    guard let history = try catalog.open(through: head.sequence, note) else {
      throw CatalogError(
        .readOnly,
        "\(catalog.path) cannot be made, from which rows are restored; revert in a catalog that can be written"
      )
    }
    var planner = RevertPlanner(kind, history, range, isForced: isForced)
    return try planner.plan(
      reason: reason, by: "revert", at: opened.options.clock.now())
  }

  /// The source of a revert in the log.
  private static func source(_ operations: [RevertedOperation]) -> String {
    guard operations.count > 1, let first = operations.first, let last = operations.last else {
      return "revert:\(operations.first?.operation.description ?? "")"
    }
    return "revert:\(first.first)..\(last.last)"
  }
}
