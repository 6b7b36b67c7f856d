import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

/// Plans what takes operations back, cell by cell.
///
/// A cell that still has the value which the operations wrote gets back the one before; a cell that a later event changed stays.
/// A row that the operations added goes, unless a later event changed it or a row that stays refers to it: then it stays with
/// the rows that belong to it. The plan is tried over the present rows, which stay as they are.
struct RevertPlanner<Kind: CatalogKind> {
  let kind: Kind
  let past: RevertPast
  let part: RevertPart
  /// The keys of the rows that meet the part's condition; nil if it has none.
  let chosen: Set<[Value]>?
  let isForced: Bool
  let rules: ReversalRules
  let merge: CellMerge

  var rows: [RevertedRowState] = []
  var places: [RowAddress: Int] = [:]
  var lists: [RevertedList] = []
  /// Rows of sets with members that later events put in the place of those of the operations.
  var united: [RevertedRowState] = []
  /// Rows that the operations added, and that stay since columns are of rows that were there.
  var added: [AddedRows] = []
  /// Whether events have all columns of a row, and not only those that change.
  var writesWholeRows = false

  /// - Parameter chosen: the keys of the rows that meet the part's condition; nil if it has none.
  init(
    _ kind: Kind, _ past: RevertPast, _ part: RevertPart, choosing chosen: Set<[Value]>?,
    isForced: Bool
  ) {
    (self.kind, self.past, self.part, self.chosen) = (kind, past, part, chosen)
    self.isForced = isForced
    rules = kind.reversalRules
    merge = CellMerge(kind.schema, rules, isForced: isForced)
  }

  /// - Parameters:
  ///   - reason: kept in the events.
  ///   - at: the time of the events in a trial.
  /// - Throws: `CatalogError` with `changeRefused` if operations of this kind cannot be taken back.
  mutating func plan(reason: String?, by: String, at: Timestamp) throws -> RevertDraft<Kind.Event> {
    let operations = try past.operations(documents: rules.documents, reason: reason)
    let markers = try operations.map { operation in
      guard let marker = kind.event(reverting: operation) else {
        throw CatalogError(
          .changeRefused,
          "a catalog of kind \"\(kind.name)\" has no events that take operations back")
      }
      return marker
    }
    try findRows()
    try findLists()
    if !part.isWhole { try keepPart() }
    if !isForced { try blockWholeLists() }
    try spreadConflicts()
    blockWhatKindRefuses()
    try spreadConflicts()
    var changes: [RowChange] = []
    var events: [Kind.Event] = []
    var reconsidered: Set<Int> = []
    var numbering: SurrogateNames.Numbering
    // Each round leaves at least one more row as it is, keeps one, or looks at one for the last time.
    while true {
      (events, changes) = ([], [])
      let trial = try makeTrial()
      numbering = trial.numbering
      if !trial.states.isEmpty {
        events = markers + trial.events
        let found: [RowAddress: RevertConflict.Reason]
        do {
          (changes, found) = try tried(events, trial, by: by, at: at)
        } catch is ProjectionError where !writesWholeRows {
          // A row that went on the way comes back without the columns that its event does not have.
          writesWholeRows = true
          continue
        }
        if try losesCells(changes, trial) {
          writesWholeRows = true
          continue
        }
        if try leave(found, trial) {
          try spreadConflicts()
          continue
        }
        if try keepRemoved(changes, trial) { continue }
      }
      let outdated = try outdatedReasons(since: changes, trial).subtracting(reconsidered)
      guard !outdated.isEmpty else { break }
      for place in outdated { rows[place].reason = nil }
      reconsidered.formUnion(outdated)
      try spreadConflicts()
    }
    // A row that the kind keeps may be all that is left.
    if changes.allSatisfy({ $0.table === kind.reverted?.description }) {
      (events, changes) = ([], [])
    }
    let conflicts = try conflicts(numbering)
    let overwritten = try overwrittenRows(changes)
    let planned = PlannedRows(past)
    return RevertDraft(
      operations: operations, events: events, changes: changes, conflicts: conflicts,
      overwritten: overwritten, added: added, head: past.head, row: { try planned.row($0, $1) })
  }

  // MARK: Conflicts

  /// - Parameter numbering: that of the last trial.
  private func conflicts(
    _ numbering: SurrogateNames.Numbering
  ) throws -> [RevertConflict] {
    var numbering = numbering
    var found: [RevertConflict] = []
    var known = KnownCauses()
    func add(
      _ table: TableDescription, _ row: [Value], _ columns: [Int], _ reason: RevertConflict.Reason,
      _ address: RowAddress, of state: RevertedRowState? = nil, in list: RevertedList? = nil
    ) throws {
      let reverted = try past.causes(address, columns).reverted
      let later = try past.causes(address, merge.united(columns, of: table)).later
      let shown = try past.shown(row, of: table)
      // A row of a list that stays whole may not have been changed itself.
      let isOwn = reason == .changedLater && later != nil
      let maker =
        isOwn
        ? later
        : try laterCause(of: reason, address, state, &known)
          ?? (later == nil ? list.flatMap { try laterChange(of: $0, reason, &known) } : nil)
      var conflict = RevertConflict(
        table: table, key: table.key(of: shown), row: shown, columns: columns,
        reason: try past.shown(reason, &numbering), other: try past.otherRow(of: reason),
        otherColumns: otherColumns(of: reason, table), reverted: reverted, later: maker ?? later,
        seen: try seenInPart(state.flatMap(merge.changedMembers) ?? row, of: table).map(seen),
        seenOther: try seenOther(than: table, row, of: reason))
      if case .belongsTo(let other) = reason {
        conflict.isOtherGone =
          try past.present(kind.schema.tables[other.table], other.key) == nil
      }
      found.append(conflict)
    }
    for state in rows {
      guard let row = state.present ?? state.after ?? state.before else { continue }
      if let reason = state.reason, state.isAdded || state.isRemoved || state.present == nil {
        let isRemovedLater =
          reason == .changedLater && state.after != nil && state.present == nil
        try add(
          state.table, row, [], isRemovedLater ? .removedLater : reason, state.address, of: state)
      } else if let reason = state.reason {
        var columns = merge.changedColumns(state).filter { column in
          state.present?[column] != state.before?[column]
            && part.has(merge.united([column], of: state.table), of: state.table)
        }
        // Columns can stay for a later event, and the others for another reason.
        let later = state.isStrict ? [] : state.changedLater
        if !later.isEmpty {
          try add(state.table, row, later, .changedLater, state.address)
          columns = reason == .changedLater ? [] : columns.filter { !later.contains($0) }
        }
        if later.isEmpty || !columns.isEmpty {
          try add(state.table, row, columns, reason, state.address, of: state)
        }
      } else {
        if !state.changedLater.isEmpty {
          try add(state.table, row, state.changedLater, .changedLater, state.address)
        }
        for (unique, kept) in state.taken {
          try add(
            state.table, row, kept, .taken(state.names(unique)), state.address, of: state)
        }
      }
    }
    for state in united where places[state.address].flatMap({ rows[$0].reason }) == nil {
      if let conflict = try conflict(ofUnited: state) { found.append(conflict) }
    }
    for list in lists {
      for (row, reason) in list.conflicts {
        let address = RowAddress(list.table, key: list.table.key(of: row))
        try add(list.table, row, [], reason, address, in: list)
      }
    }
    return found.enumerated().sorted {
      ($0.element.table.ordinal, $0.offset) < ($1.element.table.ordinal, $1.offset)
    }.map(\.element)
  }

  /// The members of a set that stay, since later events put them in the place of those that the operations added.
  private func conflict(ofUnited state: RevertedRowState) throws -> RevertConflict? {
    guard var row = state.present, let set = rules.sets.first(where: { $0.table === state.table }),
      let after = state.after.flatMap({ set.members($0[set.column]) })
    else { return nil }
    let causes = try after.compactMap { try past.union(ofOwn: $0, in: set, at: state.address) }
      .filter { state.united.contains($0.other) }.map(\.event)
    row[set.column] = set.value(state.united)
    let shown = try past.shown(row, of: state.table)
    return RevertConflict(
      table: state.table, key: state.table.key(of: shown), row: shown, columns: [set.column],
      reason: .changedLater, other: nil, otherColumns: nil,
      reverted: try past.causes(state.address, [set.column]).reverted,
      later: causes.max { $0.sequence < $1.sequence },
      seen: try seenInPart(row, of: state.table).map(seen), seenOther: nil)
  }

  /// The columns of a reference to others than the key; nil if the reason names a row by its key.
  private func otherColumns(of reason: RevertConflict.Reason, _ table: TableDescription) -> [Int]? {
    guard case .missing(let parent) = reason, !past.isKey(parent) else { return nil }
    return kind.schema.references(with: rules).first {
      $0.child === table && $0.parent.ordinal == parent.table
        && $0.parentColumns.count == parent.key.count
    }?.parentColumns
  }

  private func seen(_ address: RowAddress) throws -> SeenRow {
    SeenRow(
      address: address, row: try past.lastRow(kind.schema.tables[address.table], address.key))
  }

  /// A row that people see in the place of the other row of a reason: not the one that they see in the place of the row itself,
  /// if there is another.
  private func seenOther(
    than table: TableDescription, _ row: [Value], of reason: RevertConflict.Reason
  ) throws -> SeenRow? {
    guard let other = try past.plannedOther(of: reason) else { return nil }
    let rows = past.seenRows(other.row, of: other.table)
    let own = past.seenRows(row, of: table)
    return try (rows.first { !own.contains($0) } ?? rows.first).map(seen)
  }

  /// - Parameter changes: those of the last trial.
  private func overwrittenRows(_ changes: [RowChange]) throws -> [OverwrittenRow] {
    let places = try lists.flatMap { list in
      try list.overwritten.map { present, target in
        OverwrittenRow(
          table: list.table,
          key: try past.shown(list.table.key(of: present), at: list.table.key, of: list.table),
          present: try past.shown(present, of: list.table),
          target: try past.shown(target, of: list.table), columns: [list.rule.place])
      }
    }
    let cells = try overwrittenCells()
    var known = Set((cells + places).map { RowAddress($0.table, key: $0.key) })
    var after: [RowAddress: [Value]?] = [:]
    for change in changes { after[change.address] = .some(change.after) }
    var seen: [OverwrittenRow] = []
    for state in rows where state.isChange && !state.overwritten.isEmpty {
      guard let row = merge.laterMembers(of: state) ?? state.present else { continue }
      for address in past.seenRows(row, of: state.table) where known.insert(address).inserted {
        let table = kind.schema.tables[address.table]
        let present = try past.rows.row(in: table, key: address.key)
        let target = after[address] ?? present
        // What people neither saw nor will see costs them nothing.
        guard present != nil || target != nil else { continue }
        seen.append(
          OverwrittenRow(
            table: table, key: address.key, present: present, target: target, columns: []))
      }
    }
    return cells + places + seen
  }

  /// The rows whose cells go, but for those of the program's own that people see as others.
  private func overwrittenCells() throws -> [OverwrittenRow] {
    try rows.compactMap { state in
      guard state.isChange, !past.isSeenAsOthers(state.table),
        !state.overwritten.isEmpty || state.present == nil && state.after != nil
      else { return nil }
      let columns = state.overwritten.filter { state.present?[$0] != state.target?[$0] }
      let isWhole = state.present == nil || state.target == nil
      // A row that was removed and added again can have its values from before already.
      guard isWhole || !columns.isEmpty else { return nil }
      return OverwrittenRow(
        table: state.table,
        key: try past.shown(state.key, at: state.table.key, of: state.table),
        present: try state.present.map { try past.shown($0, of: state.table) },
        target: try state.target.map { try past.shown($0, of: state.table) },
        columns: isWhole ? [] : columns)
    }
  }
}
