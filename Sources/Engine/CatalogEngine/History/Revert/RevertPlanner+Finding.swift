import Projections

/// Finds the rows and lists that the operations changed.
extension RevertPlanner {
  mutating func findRows() throws {
    let ofLists = Set(rules.lists.map(\.table.ordinal))
    let records = Set(rules.documents.map(\.table.ordinal))
    for address in past.addressesOfOperations where !ofLists.contains(address.table) {
      let table = kind.schema.tables[address.table]
      var state = RevertedRowState(
        table, key: address.key, before: try past.before(address), after: try past.after(address),
        present: try past.present(table, address.key))
      if let row = merge.stamped(state), part.isWhole {
        state.target = row
        places[address] = rows.count
        rows.append(state)
        continue
      }
      // An operation that only wrote what the kind sets itself has nothing to bring back, forced or not.
      guard !merge.isSame(state.before, state.after, table),
        !merge.isSame(state.present, state.before, table)
      else { continue }
      // A later document of the same name was imported: which one was the last stays as it is.
      if records.contains(address.table), !merge.isSame(state.present, state.after, table) {
        continue
      }
      try countAdded(state)
      try merge.decide(
        &state, part, isChosen: { try isChosen($0, of: table) },
        united: { set, member, isOwn in
          try isOwn
            ? past.union(ofOwn: member, in: set, at: address)?.other
            : past.union(of: member, in: set)?.other
        })
      if !state.united.isEmpty { united.append(state) }
      guard state.reason != nil || state.target != state.present || !state.changedLater.isEmpty
      else { continue }
      let changed = merge.changedColumns(state)
      state.isStrict = (rules.bundles.joined() + rules.deciding).contains { columns in
        columns.table === table && columns.places.contains(where: changed.contains)
      }
      places[address] = rows.count
      rows.append(state)
    }
  }

  /// Counts a row that the operations added, if it stays with what they gave it in a column of the part.
  private mutating func countAdded(_ state: RevertedRowState) throws {
    let table = state.table
    guard !part.columns.isEmpty, !table.isOwn, state.isAdded, let after = state.after,
      let present = state.present, part.tables.isEmpty || part.tables.contains(table.name),
      part.columns.contains(where: { name in
        table.index(of: name).map { after[$0] != .null && present[$0] == after[$0] } ?? false
      }), try isChosen(present, of: table)
    else { return }
    if let place = added.firstIndex(where: { $0.table === table }) {
      added[place].count += 1
    } else {
      added.append(AddedRows(table: table, count: 1))
    }
  }

  mutating func findLists() throws {
    let isReverted = try areRevertedNow()
    for rule in rules.lists where part.columns.isEmpty || part.has([rule.place], of: rule.table) {
      var known: Set<[Value]> = []
      var found: [[Value]] = []
      for address in past.addressesOfOperations where address.table == rule.table.ordinal {
        for row in [try past.before(address), try past.after(address)].compactMap(\.self) {
          let list = rule.list.map { row[$0] }
          if known.insert(list).inserted { found.append(list) }
        }
      }
      for list in found {
        let (before, after, present) = try past.rows(of: rule.table, where: rule.list, are: list)
        guard before != after else { continue }
        let numbers = try past.memberNumbers(rule, of: list)
        func state(_ rows: [[Value]], after sequence: UInt64) -> RevertedList.State {
          RevertedList.State(rule, rows, numbers: numbers?.numbers(after: sequence))
        }
        var list = RevertedList(
          rule, list: list, before: state(before, after: past.range.first - 1),
          after: state(after, after: past.range.last), present: state(present, after: .max),
          isForced: isForced)
        list.reverted = try isReverted ? orderOfRevert(of: list, numbers) : nil
        // What a revert left may be what the operations wrote: of equal members some went.
        let isLeft =
          list.reverted.map { $0.map(\.values) == list.present.members.map(\.values) } ?? false
        list.isHeld = isReverted && (after != present || isLeft) && numbers != nil
        lists.append(list)
      }
    }
  }

  /// Whether each of the operations was taken back already, and not brought back since.
  private func areRevertedNow() throws -> Bool {
    guard let table = kind.reverted?.description else { return false }
    return try past.range.batches.allSatisfy { batch in
      try past.rows.row(in: table, key: [.id(batch.operation)]) != nil
    }
  }

  /// The order that the last revert of the operations left in a list. Nil if none changed the list, as the revert of a part may
  /// leave it, and if a later event brought the operations' order back.
  private func orderOfRevert(
    of list: RevertedList, _ numbers: NumberedList?
  ) throws -> [RevertedList.Member]? {
    guard
      let last = try past.lastRevert(of: list.table, where: list.rule.list, are: list.list)
    else { return nil }
    let left = RevertedList.State(
      list.rule,
      try past.rows(of: list.table, where: list.rule.list, are: list.list, after: last),
      numbers: numbers?.numbers(after: last)
    ).members
    let present = list.present.members
    let isAgain =
      !MemberMerge.moved(left, present).isEmpty
      && MemberMerge.moved(list.after.members, present).isEmpty
    return isAgain ? nil : left
  }

  /// Whether a row of the plan, or one that people see in its place, met the part's condition.
  private func isChosen(_ row: [Value], of table: TableDescription) throws -> Bool {
    guard let chosen else { return true }
    if part.tables.contains(table.name) {
      return chosen.contains(table.key(of: try past.shown(row, of: table)))
    }
    return seenInPart(row, of: table).contains { chosen.contains($0.key) }
  }

  /// The rows of the part's tables that people see in the place of a row of the plan.
  func seenInPart(_ row: [Value], of table: TableDescription) -> [RowAddress] {
    past.seenRows(row, of: table).filter {
      part.tables.isEmpty || part.tables.contains(kind.schema.tables[$0.table].name)
    }
  }

  /// Whether a row of the plan is of the part's tables, or is seen as a row of one.
  private func isNamed(_ row: [Value]?, of table: TableDescription) -> Bool {
    part.tables.isEmpty || part.tables.contains(table.name)
      || row.map { !seenInPart($0, of: table).isEmpty } ?? false
  }

  /// Drops what is not of the part that is brought back, but for the program's own rows that come and go with its rows.
  mutating func keepPart() throws {
    lists = try lists.compactMap { list in
      guard isNamed((list.before.rows + list.after.rows).first, of: list.table) else { return nil }
      var list = list
      let table = list.table
      if chosen != nil { try list.choose { try isChosen($0, of: table) } }
      // Columns are of rows that stay.
      if !part.columns.isEmpty { list.chooseMoved() }
      return list
    }
    var isKept = try rows.map { state in
      let row = state.present ?? state.after ?? state.before
      return try merge.isSet(state.table)
        || isNamed(row, of: state.table) && (row.map { try isChosen($0, of: state.table) } ?? true)
    }
    func isWhole(_ state: RevertedRowState) -> Bool { state.before == nil || state.after == nil }
    let bundles = bundles
    var waiting = rows.indices.filter { isKept[$0] && isWhole(rows[$0]) }
    var keys: [[BundleKey]] = rows.map { _ in [] }
    for (key, members) in bundles { for place in members { keys[place].append(key) } }
    while let place = waiting.popLast() {
      for other in keys[place].flatMap({ bundles[$0] ?? [] })
      where !isKept[other] && rows[other].table.isOwn && isWhole(rows[other]) {
        isKept[other] = true
        waiting.append(other)
      }
    }
    let kept = rows.indices.filter { isKept[$0] }.map { rows[$0] }
    rows = kept
    places = Dictionary(
      rows.enumerated().map { ($0.element.address, $0.offset) }, uniquingKeysWith: { $1 })
  }
}
