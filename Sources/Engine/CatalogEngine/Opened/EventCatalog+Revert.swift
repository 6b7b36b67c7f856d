import CatalogModel
import EventLog
public import Projections
import Support

extension EventCatalog {
  /// Takes back what operations changed, cell by cell: appends the events that bring the cells back, as one batch.
  ///
  /// A cell that later events changed stays as it is, and so does a row that another one needs, with what belongs to it; both are
  /// among the conflicts. A revert is an operation itself and can be reverted.
  ///
  /// ```swift
  /// let report = try await shelf.revert(.events(3_534...3_600), reason: "the wrong export")
  /// for conflict in report.conflicts { … }
  /// try await shelf.revert(.prefix("1318f01b"), tables: ["book"], columns: ["price"])
  /// ```
  ///
  /// - Parameters:
  ///   - tables: the tables that are brought back; all if it is empty.
  ///   - columns: the columns that are brought back, in any of the tables; all if it is empty. Rows that the operation added or
  ///     removed stay then.
  ///   - condition: SQL that a row of the one table must meet as it was before the operation; nil if all rows are restored.
  ///   - reason: kept in the log; at most 4,096 bytes.
  ///   - force: whether cells are brought back which later events changed. `RevertReport.overwritten` has their values.
  /// - Throws: `CatalogError`: `notFound` if no operation or more than one has this id; `noMoment` for events that are not
  ///   whole batches, and for event 1; `changeRefused` if the kind cannot take operations back, and for a table or a column
  ///   that the catalog does not have; as `change`.
  public func revert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, reason: String? = nil, force: Bool = false,
    wait: Duration? = nil
  ) async throws -> RevertReport {
    try await Blocking.run {
      let (draft, change) = try self.revertNow(
        operation, RevertPart(tables: tables, columns: columns, condition: condition),
        reason: reason, isForced: force, wait: wait)
      return try RevertReport(draft, of: self.kind.schema, change: change)
    }
  }

  /// Plans what `revert` would do now. Nothing is written.
  ///
  /// - Throws: as `revert`.
  public func plannedRevert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, force: Bool = false
  ) async throws -> RevertReport {
    try await Blocking.run {
      try RevertReport(
        try self.rehearsedRevert(
          operation, RevertPart(tables: tables, columns: columns, condition: condition),
          isForced: force),
        of: self.kind.schema, change: nil)
    }
  }

  /// The operations that are reverted now, by their first events.
  public func revertedOperations() async throws -> [RevertedRow] {
    guard let table = kind.reverted else { return [] }
    return try await rows(of: table).sorted { $0.first < $1.first }
  }

  /// - Parameter accept: throws if the plan is not to be carried out; called for each plan.
  package func revertNow(
    _ operation: OperationName, _ part: RevertPart = RevertPart(), reason: String?,
    isForced: Bool, wait: Duration? = nil,
    accept: (RevertDraft<Kind.Event>) throws -> Void = { _ in }
  ) throws -> (draft: RevertDraft<Kind.Event>, change: ChangeReport) {
    var draft = try draftRevert(operation, part, reason: reason, isForced: isForced)
    try accept(draft)
    // A name such as `head` means another operation once others have appended.
    let named = draft.operations.first.flatMap { first in
      draft.operations.last.map {
        OperationName.events(UInt64(clamping: first.first)...UInt64(clamping: $0.last))
      }
    }
    // A plan reads much of the log, and others need not wait for it: they wait for the next one only, if they appended meanwhile.
    let change = try changeNow(by: Self.source(draft.operations), wait: wait, loading: []) { _ in
      if let head = try opened.log.head(), head != draft.head {
        draft = try draftRevert(named ?? operation, part, reason: reason, isForced: isForced)
        try accept(draft)
      }
      var planned = PlannedChange(draft.events, value: ())
      planned.rows = draft.changes.count
      return planned
    }
    return (draft, change.report)
  }

  /// Plans a revert, and refuses a database that `revertNow` refuses. Nothing is written.
  package func rehearsedRevert(
    _ operation: OperationName, _ part: RevertPart, reason: String? = nil, isForced: Bool
  ) throws -> RevertDraft<Kind.Event> {
    let draft = try draftRevert(operation, part, reason: reason, isForced: isForced)
    try opened.planning(isLocked: false) { try opened.projection.verifyIfTouched() }
    return draft
  }

  /// Plans what takes operations back, from the log alone: one fold of it, in memory.
  package func draftRevert(
    _ operation: OperationName, _ part: RevertPart = RevertPart(), reason: String? = nil,
    isForced: Bool
  ) throws -> RevertDraft<Kind.Event> {
    try opened.requirePresent()
    try opened.requireBegun()
    guard kind.reverted != nil else {
      throw CatalogError(
        .changeRefused,
        "a catalog of kind \"\(kind.name)\" has no events that take operations back")
    }
    try part.require(in: kind.schema, kind.reversalRules)
    let log = opened.log
    let range = try OperationRange(operation, in: log)
    let past = try RevertPast(log, range, progress: opened.options.progress)
    let chosen = try part.rows(before: range, in: log)
    var planner = RevertPlanner(kind, past, part, choosing: chosen, isForced: isForced)
    return try planner.plan(
      reason: reason.map(NormalForm.nfc), by: "revert", at: opened.options.clock.now())
  }

  /// The lines that the events of a plan would be in the log, now and with no operation yet.
  package func lines(of draft: RevertDraft<Kind.Event>) throws -> [String] {
    let at = opened.options.clock.now()
    return try draft.events.enumerated().map { place, event in
      let record = Recorded(
        sequence: draft.head.sequence + 1 + UInt64(place), at: at,
        operation: EntityID(high: 0, low: 0), by: Self.source(draft.operations), event: event)
      var line: [UInt8] = []
      if let excess = kind.encode(record, into: &line) {
        throw CatalogError(
          .changeRefused, "\(kind.type(of: event).rawValue) is refused: \(excess)")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// The source of a revert in the log.
  private static func source(_ operations: [RevertedOperation]) -> String {
    guard operations.count > 1, let first = operations.first, let last = operations.last else {
      return "revert:\(operations.first?.operation.description ?? "")"
    }
    return "revert:\(first.first)..\(last.last)"
  }
}
