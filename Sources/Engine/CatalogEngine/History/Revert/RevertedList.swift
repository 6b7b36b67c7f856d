import Projections

/// A list that operations changed, and what becomes of it.
struct RevertedList {
  /// A member, and how often it is in the list before this place.
  struct Member: Hashable {
    let values: [Value]
    let repetition: Int
  }

  let rule: ReversalRules.OrderedList
  /// The values of the columns that name the list.
  let list: [Value]
  /// The rows in the order of the list: before the operations, after them, and now.
  let before, after, present: [[Value]]
  /// Members that stay though the operations added them, with the reason.
  var kept: [Member: RevertConflict.Reason] = [:]
  /// Members that do not come back though the operations removed them, with the reason.
  var left: [Member: RevertConflict.Reason] = [:]
  /// Whether the list stays as it is: the operations were taken back before, and of equal members no one can say which is left.
  var isHeld = false
  /// The order in which an earlier revert left the list: it moved back what the operations had moved. Nil if there was none.
  var reverted: [Member]?
  private let isForced: Bool

  init(
    _ rule: ReversalRules.OrderedList, list: [Value], before: [[Value]], after: [[Value]],
    present: [[Value]], isForced: Bool
  ) {
    func ordered(_ rows: [[Value]]) -> [[Value]] { rule.ordered(rows) }
    (self.rule, self.list, self.isForced) = (rule, list, isForced)
    (self.before, self.after, self.present) = (ordered(before), ordered(after), ordered(present))
  }

  var table: TableDescription { rule.table }

  /// The members of rows, in their order.
  func members(_ rows: [[Value]]) -> [Member] {
    var count: [[Value]: Int] = [:]
    return rows.map { row in
      let values = rule.member.map { row[$0] }
      defer { count[values, default: 0] += 1 }
      return Member(values: values, repetition: count[values, default: 0])
    }
  }

  /// The members of rows in any order, in the order of the list.
  func orderedMembers(_ rows: [[Value]]) -> [Member] { members(rule.ordered(rows)) }

  private var merge: MemberMerge<Member> {
    MemberMerge(
      before: members(before), after: members(after), present: members(present),
      keeping: Set(kept.keys), leaving: Set(left.keys), isForced: isForced, reverted: reverted)
  }

  /// The rows that the list is to have, in their order.
  func target() -> [[Value]] { targetMembers().map(\.row) }

  /// The members that the list is to have, in their order, with their rows.
  ///
  /// A member keeps its number: if the first of two equal ones does not come back, the other one is still the second.
  private func targetMembers() -> [(member: Member, row: [Value])] {
    func named(_ rows: [[Value]]) -> [(member: Member, row: [Value])] {
      zip(self.members(rows), rows).map { (member: $0, row: $1) }
    }
    if isHeld { return named(present) }
    if kept.isEmpty, left.isEmpty, present == after { return named(before) }
    let members = merge.result
    if members == self.members(present) { return named(present) }
    let rows = [before, after, present].map { rows in
      Dictionary(zip(self.members(rows), rows), uniquingKeysWith: { first, _ in first })
    }
    return members.enumerated().compactMap { place, member in
      guard var row = rows[2][member] ?? rows[0][member] else { return nil }
      // What else a row of the list has goes back if no later event changed it.
      if let before = rows[0][member], let after = rows[1][member] {
        for column in table.columns.indices
        where !rule.member.contains(column) && column != rule.place && row[column] == after[column]
        {
          row[column] = before[column]
        }
      }
      row[rule.place] = .integer(rule.start + Int64(place))
      return (member: member, row: row)
    }
  }

  /// The rows that are another now, or are no longer there.
  var changes: [RevertedRowState] {
    let target = target()
    func byKey(_ rows: [[Value]]) -> [[Value]: [Value]] {
      Dictionary(rows.map { (table.key(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }
    let (wanted, now, old, new) = (byKey(target), byKey(present), byKey(before), byKey(after))
    func state(_ key: [Value]) -> RevertedRowState {
      var state = RevertedRowState(
        table, key: key, before: old[key], after: new[key], present: now[key])
      state.target = wanted[key]
      return state
    }
    return present.map(table.key).filter { wanted[$0] == nil }.map(state)
      + target.filter { now[table.key(of: $0)] != $0 }.map { state(table.key(of: $0)) }
  }

  /// The members that the operations added and that are in the list now, with their rows.
  var added: [(member: Member, row: [Value])] {
    let known = Set(members(before))
    let new = Set(members(after))
    return zip(members(present), present).filter { !known.contains($0.0) && new.contains($0.0) }
      .map { (member: $0.0, row: $0.1) }
  }

  /// Whether the list has a member now.
  func isPresent(_ member: Member) -> Bool { members(present).contains(member) }

  /// The member at a row of a trial: the row that goes, or the one that comes.
  func member(ofRow row: [Value], before isBefore: Bool) -> Member? {
    if isBefore { return zip(members(present), present).first { $0.1 == row }?.0 }
    return targetMembers().first { $0.row == row }?.member
  }

  /// Members that stay otherwise than before the operations, each with its row and the reason.
  var conflicts: [(row: [Value], reason: RevertConflict.Reason)] {
    var found: [(row: [Value], reason: RevertConflict.Reason)] = []
    if isHeld {
      let now = Set(members(present)).union(members(after))
      let missing = zip(members(before), before).filter { !now.contains($0.0) }
      return (added.map(\.row) + missing.map(\.1)).map { ($0, .changedLater) }
    }
    let moved = present == after ? [] : merge.movedLater
    for (member, row) in zip(members(present), present) {
      if let reason = kept[member] {
        found.append((row, reason))
      } else if moved.contains(member) {
        found.append((row, .changedLater))
      }
    }
    for (member, row) in zip(members(before), before) {
      if let reason = left[member] { found.append((row, reason)) }
    }
    return found
  }
}

extension ReversalRules.OrderedList {
  fileprivate func ordered(_ rows: [[Value]]) -> [[Value]] {
    rows.sorted { number(of: $0) < number(of: $1) }
  }

  fileprivate func number(of row: [Value]) -> Int64 {
    if case .integer(let number) = row[place] { number } else { start }
  }
}
