import CatalogModel
import CatalogStore
import Projections
import Support

/// Makes the events of a plan, tries them over the present rows, and leaves what the trial finds.
extension RevertPlanner {
  /// The rows and events of one round.
  struct Trial {
    var states: [RevertedRowState] = []
    /// The list of each of its rows.
    var lists: [RowAddress: Int] = [:]
    var planned: [RowAddress: RevertedRowState] = [:]
    var numbering: SurrogateNames.Numbering
    var events: [Kind.Event] = []
  }

  mutating func makeTrial() throws -> Trial {
    keepOwned()
    var trial = Trial(numbering: try past.numbering())
    trial.states = rows.filter(\.isChange)
    for (place, list) in lists.enumerated() {
      for state in list.changes {
        trial.lists[state.address] = place
        trial.states.append(state)
      }
    }
    for state in trial.states { trial.planned[state.address] = state }
    trial.events = try restoringEvents(trial.states, &trial.numbering)
    return trial
  }

  /// Rows of an event, at most, and their bytes.
  private static var rowsPerEvent: Int { 500 }
  private static var bytesPerEvent: Int { 1 << 20 }

  /// Rows that refer to others are removed before them, and put back after them.
  func restoringEvents(
    _ states: [RevertedRowState], _ numbering: inout SurrogateNames.Numbering
  ) throws -> [Kind.Event] {
    var ofTable: [Int: [RevertedRowState]] = [:]
    for state in states { ofTable[state.table.ordinal, default: []].append(state) }
    var events: [Kind.Event] = []
    func add(_ rows: RestoredRows) throws {
      switch kind.wayBack(to: rows) {
      case .events(let own): events += own
      case .impossible(let reason):
        throw CatalogError(.changeRefused, "this cannot be undone, because \(reason)")
      }
    }
    let tables = kind.schema.tables
    for table in tables.reversed() {
      let gone = (ofTable[table.ordinal] ?? []).filter { $0.target == nil }
      for piece in Self.pieces(of: gone) {
        let keys = try piece.map { try past.numbered(key: $0.key, of: table, &numbering) }
        try add(RestoredRows(table, rows: [], gone: keys))
      }
    }
    for table in tables {
      let written = (ofTable[table.ordinal] ?? []).filter { $0.target != nil }
      for (columns, states) in byColumns(written, of: table) {
        // Rows may exchange values that are unique: an event at a time, one of them would meet the other.
        let isWhole = states.contains(where: changesUniqueValue)
        for piece in isWhole ? [states] : Self.pieces(of: states) {
          let values = try piece.map { state in
            let row = try past.numbered(state.target ?? [], of: table, &numbering)
            return columns.map { row[$0] }
          }
          try add(
            RestoredRows(
              table: table.name, columns: columns.map { table.columns[$0].name }, rows: values,
              key: [], gone: []
            ).written(in: table))
        }
      }
    }
    return events
  }

  /// The rows by the columns that an event has to have, in the order of the first row of each: those of the key, and those that
  /// change. A row that comes back has all, and so has one that changes what must be unique, since rows may exchange it.
  private func byColumns(
    _ states: [RevertedRowState], of table: TableDescription
  ) -> [(columns: [Int], states: [RevertedRowState])] {
    var places: [[Int]: Int] = [:]
    var found: [(columns: [Int], states: [RevertedRowState])] = []
    for state in states {
      let columns = writtenColumns(of: state)
      if let place = places[columns] {
        found[place].states.append(state)
      } else {
        places[columns] = found.count
        found.append((columns, [state]))
      }
    }
    return found
  }

  /// The columns of a row that its event has.
  private func writtenColumns(of state: RevertedRowState) -> [Int] {
    let columns = Array(state.table.columns.indices)
    let changed = state.changedColumns
    guard state.present != nil, !state.isKept, !writesWholeRows, !changesUniqueValue(of: state)
    else { return columns }
    return columns.filter { state.table.key.contains($0) || changed.contains($0) }
  }

  private func changesUniqueValue(of state: RevertedRowState) -> Bool {
    state.present != nil
      && state.table.uniques.joined().contains(where: state.changedColumns.contains)
  }

  /// Whether a row lost a cell that no event has: the kind removed the row on the way, and an event with some of its columns
  /// brought it back.
  func losesCells(_ changes: [RowChange], _ trial: Trial) throws -> Bool {
    guard !writesWholeRows else { return false }
    return try changes.contains { change in
      guard let before = change.before, let after = change.after,
        let state = trial.planned[try past.planned(change.address, trial.numbering)],
        state.target != nil
      else { return false }
      let written = writtenColumns(of: state)
      guard written.count < state.table.columns.count else { return false }
      return merge.columns(of: change.table).contains { column in
        !written.contains(column) && after[column] != before[column]
      }
    }
  }

  static func pieces(of states: [RevertedRowState]) -> [[RevertedRowState]] {
    var pieces: [[RevertedRowState]] = []
    var bytes = 0
    for state in states {
      let length = (state.target ?? state.key).reduce(0) { $0 + $1.length }
      if pieces.isEmpty || pieces[pieces.count - 1].count == rowsPerEvent
        || bytes + length > bytesPerEvent
      {
        pieces.append([])
        bytes = 0
      }
      pieces[pieces.count - 1].append(state)
      bytes += length
    }
    return pieces
  }

  // MARK: Trial

  /// Applies the events over the present rows.
  ///
  /// - Returns: what they changed, and rows that have to stay: a row that is removed while another refers to it, and a row that
  ///   refers to none.
  func tried(
    _ events: [Kind.Event], _ trial: Trial, by: String, at: Timestamp
  ) throws -> (changes: [RowChange], found: [RowAddress: RevertConflict.Reason]) {
    var touched = TouchedRows()
    let observed = ObservedRowStore(OverlaidRowStore(past.rows, past.schema)) { touched.add($0) }
    let operation = EntityID(high: 0, low: 0)
    var sequence = past.head.sequence
    for event in events {
      sequence += 1
      try kind.apply(
        Recorded(sequence: sequence, at: at, operation: operation, by: by, event: event),
        to: observed)
    }
    let changes = touched.changes.sorted { $0.table.ordinal < $1.table.ordinal }
    let checks = ReferenceTrial(rules, past.schema, past.rows, changes) {
      try past.hadRow($0, where: $1, are: $2, trial.numbering)
    }
    return (
      changes,
      try checks.rowsToLeave { address in
        trial.planned[try past.planned(address, trial.numbering)]
      }
    )
  }

  /// Leaves what a trial found.
  ///
  /// - Returns: whether something was found.
  mutating func leave(
    _ found: [RowAddress: RevertConflict.Reason], _ trial: Trial
  ) throws -> Bool {
    var isLeft = false
    var stuck: [RowAddress] = []
    for (own, foundReason) in found {
      let address = try past.planned(own, trial.numbering)
      let reason = try past.planned(foundReason, trial.numbering)
      if isForced, case .neededBy(let child) = reason, try takeAlong(child, with: address) {
        isLeft = true
        continue
      }
      guard let list = trial.lists[address] else {
        if let place = places[address], rows[place].reason == nil {
          rows[place].reason = reason
          isLeft = true
        } else {
          stuck.append(own)
        }
        continue
      }
      guard let state = trial.planned[address] else {
        stuck.append(own)
        continue
      }
      if case .neededBy = reason, let row = state.present,
        let member = lists[list].member(ofRow: row, before: true)
      {
        isLeft = lists[list].kept.updateValue(reason, forKey: member) == nil || isLeft
      } else if let row = state.target,
        let member = lists[list].member(ofRow: row, before: false)
      {
        // A member that only has another place refers to what it referred to before.
        if lists[list].isPresent(member) { continue }
        isLeft = lists[list].left.updateValue(reason, forKey: member) == nil || isLeft
      } else {
        stuck.append(own)
      }
    }
    // What cannot stay would be tried for ever.
    guard isLeft || stuck.isEmpty else {
      let rows = stuck.map { "\(past.schema.tables[$0.table].name) \($0.key)" }.sorted()
      throw CatalogError(
        .changeRefused,
        "this cannot be undone, because rows that refer to each other would be lost: \(rows.joined(separator: ", "))"
      )
    }
    return isLeft
  }

  /// Removes a row of the program's own with the row that it refers to, if people see both as that one: it is a later value of it.
  ///
  /// - Returns: whether the plan has it now.
  private mutating func takeAlong(_ child: RowAddress, with address: RowAddress) throws -> Bool {
    let tables = past.schema.tables
    let isMember = rules.lists.contains { $0.table.ordinal == child.table }
    guard tables[child.table].isOwn, !isMember,
      places[child].map({ rows[$0].owner == address && !rows[$0].isChange }) ?? true,
      let parent = try past.present(tables[address.table], address.key),
      let row = try past.present(tables[child.table], child.key)
    else { return false }
    let seen = past.seenRows(row, of: tables[child.table])
    let itself = [try past.shown(address)] + past.seenRows(parent, of: tables[address.table])
    guard !seen.isEmpty, seen.allSatisfy(itself.contains) else { return false }
    var state = RevertedRowState(
      tables[child.table], key: child.key, before: nil, after: nil, present: row)
    state.owner = address
    state.overwritten = Array(row.indices)
    if let place = places[child] {
      rows[place] = state
    } else {
      places[child] = rows.count
      rows.append(state)
    }
    return true
  }

  /// Keeps the rows that would go with a row that stays after all.
  mutating func keepOwned() {
    for place in rows.indices where rows[place].isChange {
      guard let owner = rows[place].owner.flatMap({ places[$0] }), !rows[owner].isGoing else {
        continue
      }
      rows[place].target = rows[place].present
      rows[place].overwritten = []
    }
  }

  /// Adds the rows that the kind removed on the way, since what they need was away for a moment: they are written again.
  ///
  /// - Returns: whether there is one.
  mutating func keepRemoved(_ changes: [RowChange], _ trial: Trial) throws -> Bool {
    let count = rows.count
    let ofLists = Set(rules.lists.map(\.table.ordinal))
    for change in changes where change.after == nil {
      let address = try past.planned(change.address, trial.numbering)
      guard places[address] == nil, trial.planned[address] == nil,
        !ofLists.contains(address.table),
        !rules.derived.contains(where: { $0 === change.table }),
        let row = try past.present(change.table, address.key)
      else { continue }
      var state = RevertedRowState(
        change.table, key: address.key, before: row, after: row, present: row)
      state.isKept = true
      places[address] = rows.count
      rows.append(state)
    }
    return rows.count > count
  }

  /// Rows that stay for another row's sake that has gone another way in a later round.
  ///
  /// - Parameter changes: the changes of the last trial.
  func outdatedReasons(since changes: [RowChange], _ trial: Trial) throws -> Set<Int> {
    var states: [RowAddress: [Value]?] = [:]
    for change in changes {
      states[try past.planned(change.address, trial.numbering)] = .some(change.after)
    }
    func exists(_ address: RowAddress) throws -> Bool {
      if let state = states[address] { return state != nil }
      return try past.present(past.schema.tables[address.table], address.key) != nil
    }
    var outdated: Set<Int> = []
    for (place, state) in rows.enumerated() {
      switch state.reason {
      case .neededBy(let child):
        if try !exists(child) { outdated.insert(place) }
      case .missing(let parent) where past.isKey(parent):
        if try exists(parent) { outdated.insert(place) }
      default: continue
      }
    }
    guard !outdated.isEmpty else { return [] }
    var count = 0
    while count != outdated.count {
      count = outdated.count
      for (place, state) in rows.enumerated() {
        if case .belongsTo(let address) = state.reason, let other = places[address],
          outdated.contains(other)
        {
          outdated.insert(place)
        }
      }
    }
    return outdated
  }
}
