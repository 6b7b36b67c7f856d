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
      merge.decide(&state, part)
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
        var list = RevertedList(
          rule, list: list, before: before, after: after, present: present, isForced: isForced)
        list.reverted = try isReverted ? orderOfRevert(of: list) : nil
        // What a revert left may be what the operations wrote: of equal members some went.
        let isLeft = list.reverted.map { $0 == list.orderedMembers(present) } ?? false
        list.isHeld =
          try isReverted && (after != present || isLeft)
          && past.hadEqualMembers(rule, of: list.list)
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
  private func orderOfRevert(of list: RevertedList) throws -> [RevertedList.Member]? {
    guard
      let last = try past.lastRevert(of: list.table, where: list.rule.list, are: list.list)
    else { return nil }
    let left = list.orderedMembers(
      try past.rows(of: list.table, where: list.rule.list, are: list.list, after: last))
    let present = list.orderedMembers(list.present)
    let isAgain =
      !MemberMerge.moved(left, present).isEmpty
      && MemberMerge.moved(list.orderedMembers(list.after), present).isEmpty
    return isAgain ? nil : left
  }

  /// Drops what is not of the part that is brought back, but for the program's own rows that come and go with its rows.
  mutating func keepPart() {
    let tables = Set(part.tables)
    func isNamed(_ table: TableDescription) -> Bool {
      tables.isEmpty || tables.contains(table.name)
    }
    let isChosen = chosen != nil
    let named = part.tables
    lists.removeAll { list in
      !tables.isEmpty && !tables.contains(list.table.name)
        || isChosen && named != [list.table.name]
    }
    var isKept = rows.map { state in
      merge.isSet(state.table)
        || isNamed(state.table) && (chosen?.contains(state.key) ?? true)
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
