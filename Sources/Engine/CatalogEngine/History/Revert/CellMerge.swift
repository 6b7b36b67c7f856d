import Projections

/// Finds what cells are to be: the value before the operations, if they still have the one after them.
struct CellMerge {
  /// The columns of each table that are brought back together, each once: those that the kind sets itself and those that say
  /// when the row was written are in none.
  private let units: [[[Int]]]
  private let stamps: [[Int]]
  /// The sets whose rows come and go with their members, and those that are cells of rows.
  private let sets, cellSets: [Int: ReversalRules.SetColumn]
  private let isForced: Bool

  init(_ schema: Schema, _ rules: ReversalRules, isForced: Bool) {
    self.isForced = isForced
    stamps = schema.tables.map { table in
      table.columns.indices.filter { table.columns[$0].isChangeStamp }
    }
    units = schema.tables.map { table in
      let settled = Set(rules.settled.filter { $0.table === table }.flatMap(\.places))
      let together = rules.together.filter { $0.table === table }.map(\.places)
      let single = table.columns.indices.filter { place in
        !settled.contains(place) && !table.columns[place].isChangeStamp
          && !together.contains { $0.contains(place) }
      }
      return together + single.map { [$0] }
    }
    func sets(ofRow: Bool) -> [Int: ReversalRules.SetColumn] {
      Dictionary(
        rules.sets.filter { $0.isOfRow == ofRow }.map { ($0.table.ordinal, $0) },
        uniquingKeysWith: { $1 })
    }
    self.sets = sets(ofRow: false)
    cellSets = sets(ofRow: true)
  }

  /// The columns that are brought back, of a table.
  func columns(of table: TableDescription) -> [Int] { units[table.ordinal].flatMap(\.self) }

  /// Keeps the present values of some columns, and of those that are brought back with them.
  ///
  /// - Returns: the columns among them that the operations changed; empty if the row comes or goes as a whole, or if all that is
  ///   brought back is among them.
  func keep(_ columns: [Int], of state: inout RevertedRowState) -> [Int] {
    guard let before = state.before, let after = state.after, let present = state.present,
      var target = state.target
    else { return [] }
    let kept = units[state.table.ordinal].filter { $0.contains(where: columns.contains) }.joined()
    for place in kept { target[place] = present[place] }
    // The row is not as before then, and was written since.
    for place in stamps[state.table.ordinal] { target[place] = present[place] }
    guard !isSame(target, present, state.table) else { return [] }
    state.target = target
    return kept.filter { before[$0] != after[$0] && present[$0] != before[$0] }
  }

  /// Some columns, and those that are brought back with them.
  func united(_ columns: [Int], of table: TableDescription) -> [Int] {
    columns + units[table.ordinal].filter { $0.contains(where: columns.contains) }.joined()
  }

  func isSet(_ table: TableDescription) -> Bool { sets[table.ordinal] != nil }

  /// Whether two rows are the same but for what the kind sets itself and stamps.
  func isSame(_ left: [Value]?, _ right: [Value]?, _ table: TableDescription) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return units[table.ordinal].allSatisfy { unit in unit.allSatisfy { left[$0] == right[$0] } }
  }

  /// A row of which the operations changed only what the kind sets itself, with the stamps of before; nil if it has other
  /// changes, or if a later event wrote it.
  func stamped(_ state: RevertedRowState) -> [Value]? {
    guard let before = state.before, let after = state.after, var row = state.present,
      row == after, isSame(before, after, state.table)
    else { return nil }
    let changed = state.table.columns.indices.filter { before[$0] != after[$0] }
    let stamps = stamps[state.table.ordinal]
    guard changed.contains(where: stamps.contains), !changed.allSatisfy(stamps.contains) else {
      return nil
    }
    for place in stamps { row[place] = before[place] }
    return row
  }

  /// The columns that an operation changed, of those that are brought back.
  func changedColumns(_ state: RevertedRowState) -> [Int] {
    guard let before = state.before, let after = state.after else { return [] }
    return units[state.table.ordinal].joined().filter { before[$0] != after[$0] }
  }

  /// Decides what the row is to be.
  ///
  /// - Parameters:
  ///   - part: what of the row is to be brought back.
  ///   - isChosen: whether a row of a set is, by a row that has one member alone.
  ///   - united: the member that a member of a set was united with; nil if it was united with none, and if the row had both before and
  ///     that counts.
  func decide(
    _ state: inout RevertedRowState, _ part: RevertPart, isChosen: ([Value]) throws -> Bool,
    united: (ReversalRules.SetColumn, String, Bool) throws -> String?
  ) rethrows {
    if let set = sets[state.table.ordinal] {
      return try decide(&state, set, part, isChosen, united)
    }
    guard let before = state.before, let after = state.after else {
      guard part.hasWholeRows(of: state.table) else {
        state.target = state.present
        return
      }
      if !isSame(state.present, state.after, state.table) {
        if isForced {
          state.overwritten = state.table.columns.indices.filter {
            state.present?[$0] != state.after?[$0]
          }
        } else {
          state.reason = .changedLater
        }
      }
      return
    }
    guard let present = state.present else {
      let isWanted = units[state.table.ordinal].contains { unit in
        part.has(unit, of: state.table) && unit.contains { before[$0] != after[$0] }
      }
      guard isWanted else {
        state.target = nil
        return
      }
      // A later event removed it. It does not come back for a cell, forced or not: the operations did not write the others.
      state.reason = .changedLater
      return
    }
    var target = present
    for unit in units[state.table.ordinal] {
      let changed = unit.filter { before[$0] != after[$0] }
      guard !changed.isEmpty, part.has(unit, of: state.table),
        changed.contains(where: { present[$0] != before[$0] })
      else { continue }
      if let set = cellSets[state.table.ordinal], unit == [set.column],
        let value = merged(set, before, after, present)
      {
        target[set.column] = value
        continue
      }
      if unit.contains(where: { present[$0] != after[$0] }) {
        guard isForced else {
          state.changedLater += changed
          continue
        }
        state.overwritten += unit.filter { present[$0] != after[$0] && present[$0] != before[$0] }
      }
      for place in unit { target[place] = before[place] }
    }
    // Once all else is as before, the row was not written since then.
    if isSame(target, before, state.table), target != present {
      for place in stamps[state.table.ordinal] { target[place] = before[place] }
    }
    state.target = target
    if target == present, !state.changedLater.isEmpty { state.reason = .changedLater }
  }

  /// The present value of a set that is a cell, without the members that the operations added and with those that they removed;
  /// nil if one of the values is no set.
  private func merged(
    _ set: ReversalRules.SetColumn, _ before: [Value], _ after: [Value], _ present: [Value]
  ) -> Value? {
    func members(_ row: [Value]) -> Set<String>? {
      row[set.column] == .null ? [] : set.members(row[set.column])
    }
    guard let old = members(before), let new = members(after), let now = members(present) else {
      return nil
    }
    let result = now.subtracting(new.subtracting(old)).union(old.subtracting(new))
    if result == now { return present[set.column] }
    if result == old { return before[set.column] }
    return result.isEmpty ? .null : set.value(result)
  }

  /// A row of a set with the members alone that the operations added or removed; nil if it is none of a set, or has none.
  func changedMembers(of state: RevertedRowState) -> [Value]? {
    guard let set = sets[state.table.ordinal],
      var row = state.present ?? state.after ?? state.before
    else { return nil }
    func members(_ row: [Value]?) -> Set<String> {
      row.flatMap { set.members($0[set.column]) } ?? []
    }
    let changed = members(state.before).symmetricDifference(members(state.after))
    guard !changed.isEmpty else { return nil }
    row[set.column] = set.value(changed)
    return row
  }

  /// A row of a set with the members alone that go though later events put them there; nil if it is none of a set.
  func laterMembers(of state: RevertedRowState) -> [Value]? {
    guard let set = sets[state.table.ordinal], var row = state.present else { return nil }
    func members(_ row: [Value]?) -> Set<String> {
      row.flatMap { set.members($0[set.column]) } ?? []
    }
    row[set.column] = set.value(
      members(row).subtracting(members(state.target)).subtracting(members(state.after)))
    return row
  }

  /// Removes the members that the operations added to a set, and restores those that they removed.
  private func decide(
    _ state: inout RevertedRowState, _ set: ReversalRules.SetColumn, _ part: RevertPart,
    _ isChosen: ([Value]) throws -> Bool,
    _ united: (ReversalRules.SetColumn, String, Bool) throws -> String?
  ) rethrows {
    func members(_ row: [Value]?) -> Set<String>? {
      guard let row else { return [] }
      return set.members(row[set.column])
    }
    guard let before = members(state.before), let after = members(state.after),
      let present = members(state.present),
      let row = state.present ?? state.before ?? state.after
    else {
      state.reason = .changedLater
      return
    }
    func isWanted(_ member: String) throws -> Bool {
      var single = row
      single[set.column] = set.value([member])
      return try part.has(set.column, of: state.table, shownIn: set.shownIn(member))
        && isChosen(single)
    }
    let added = try after.subtracting(before).filter(isWanted)
    // A member that was united with another one since returns as that one, as the union would have left it.
    let removed = try before.subtracting(after).filter(isWanted).map {
      try united(set, $0, false) ?? $0
    }
    var result = present.subtracting(added).union(removed)
    let others = Set(try added.subtracting(present).compactMap { try united(set, $0, true) })
      .intersection(present).subtracting(before).subtracting(added)
    if !isForced {
      state.united = others
    } else if !others.isEmpty {
      result.subtract(others)
      state.overwritten = [set.column]
    }
    if result == present {
      state.target = state.present
    } else if result.isEmpty {
      state.target = nil
    } else {
      var row = row
      row[set.column] = set.value(result)
      state.target = row
    }
  }
}
