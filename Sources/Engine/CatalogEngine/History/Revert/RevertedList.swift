import Projections

/// A list that operations changed, and what becomes of it.
struct RevertedList {
  /// A member, and the number that tells it from equal ones.
  struct Member: Hashable {
    let values: [Value]
    let number: Int
  }

  /// The list at a moment.
  struct State {
    /// In the order of the list.
    let rows: [[Value]]
    let members: [Member]

    fileprivate init(rows: [[Value]], members: [Member]) {
      (self.rows, self.members) = (rows, members)
    }

    /// - Parameter numbers: of the members, in their order; nil if none was ever in the list twice.
    init(_ rule: ReversalRules.OrderedList, _ rows: [[Value]], numbers: [Int]?) {
      self.rows = rule.ordered(rows)
      members = self.rows.enumerated().map { place, row in
        Member(values: rule.member.map { row[$0] }, number: numbers?[place] ?? 0)
      }
    }

    fileprivate var named: [(member: Member, row: [Value])] {
      zip(members, rows).map { (member: $0, row: $1) }
    }

    fileprivate var counts: [[Value]: Int] {
      members.reduce(into: [:]) { $0[$1.values, default: 0] += 1 }
    }

    /// The list in which a member that came later takes the number of an equal one which the operations added and a later event removed.
    fileprivate func standing(for added: [Member], before: State, after: State) -> State {
      let missing = Dictionary(grouping: added.filter { !members.contains($0) }, by: \.values)
      guard !missing.isEmpty else { return self }
      let known = Set(before.members).union(after.members)
      let (old, new, now) = (before.counts, after.counts, counts)
      var names = members
      for (values, missing) in missing {
        let wanted = min(now[values] ?? 0, new[values] ?? 0) - (old[values] ?? 0)
        let present = added.count { $0.values == values } - missing.count
        let newer = names.indices.reversed().filter {
          names[$0].values == values && !known.contains(names[$0])
        }
        for (place, member) in zip(newer, missing).prefix(max(0, wanted - present)) {
          names[place] = member
        }
      }
      return State(rows: rows, members: names)
    }
  }

  let rule: ReversalRules.OrderedList
  /// The values of the columns that name the list.
  let list: [Value]
  /// The list before the operations, after them, and now.
  let before, after, present: State
  /// Members that stay though the operations added them, with the reason.
  var kept: [Member: RevertConflict.Reason] = [:]
  /// Members that do not come back though the operations removed them, with the reason.
  var left: [Member: RevertConflict.Reason] = [:]
  /// Members that are not of the part which is brought back.
  var outside: Set<Member> = []
  /// Whether the list stays as it is: the operations were taken back before, and of equal members no one can say which is left.
  var isHeld = false
  /// The order in which an earlier revert left the list: it moved back what the operations had moved. Nil if there was none.
  var reverted: [Member]?
  private let isForced: Bool

  init(
    _ rule: ReversalRules.OrderedList, list: [Value], before: State, after: State, present: State,
    isForced: Bool
  ) {
    (self.rule, self.list, self.isForced) = (rule, list, isForced)
    (self.before, self.after) = (before, after)
    let old = Set(before.members)
    self.present = present.standing(
      for: after.members.filter { !old.contains($0) }, before: before, after: after)
  }

  var table: TableDescription { rule.table }

  /// Members that the operations removed and for which an equal one came since: they are back.
  private var replaced: Set<Member> {
    let there = Set(after.members).union(present.members)
    let missing = before.members.filter { !there.contains($0) }
    guard !missing.isEmpty else { return [] }
    let (old, new, now) = (before.counts, after.counts, present.counts)
    var coming: [[Value]: Int] = [:]
    return Set(
      missing.filter { member in
        let values = member.values
        let wanted = (old[values] ?? 0) - max(new[values] ?? 0, now[values] ?? 0)
        coming[values, default: 0] += 1
        return coming[values, default: 0] > wanted
      })
  }

  private var merge: MemberMerge<Member> {
    MemberMerge(
      before: before.members, after: after.members, present: present.members,
      keeping: outside.union(kept.keys), leaving: outside.union(left.keys).union(replaced),
      holding: outside,
      isForced: isForced, reverted: reverted)
  }

  /// The rows that the list is to have, in their order.
  func target() -> [[Value]] { targetMembers().map(\.row) }

  /// The members that the list is to have, in their order, with their rows.
  ///
  /// A member keeps its number: if the first of two equal ones does not come back, the other one is still the second.
  private func targetMembers() -> [(member: Member, row: [Value])] {
    if isHeld { return present.named }
    if kept.isEmpty, left.isEmpty, outside.isEmpty, present.rows == after.rows {
      return before.named
    }
    let members = merge.result
    if members == present.members { return present.named }
    let rows = [before, after, present].map { state in
      Dictionary(zip(state.members, state.rows), uniquingKeysWith: { first, _ in first })
    }
    return members.enumerated().compactMap { place, member in
      guard var row = rows[2][member] ?? rows[0][member] else { return nil }
      // What else a row of the list has goes back if no later event changed it.
      if !outside.contains(member), let before = rows[0][member], let after = rows[1][member] {
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
    let (wanted, now) = (byKey(target), byKey(present.rows))
    let (old, new) = (byKey(before.rows), byKey(after.rows))
    func state(_ key: [Value]) -> RevertedRowState {
      var state = RevertedRowState(
        table, key: key, before: old[key], after: new[key], present: now[key])
      state.target = wanted[key]
      return state
    }
    return present.rows.map(table.key).filter { wanted[$0] == nil }.map(state)
      + target.filter { now[table.key(of: $0)] != $0 }.map { state(table.key(of: $0)) }
  }

  /// The members that the operations added and that are in the list now, with their rows.
  var added: [(member: Member, row: [Value])] {
    let known = Set(before.members)
    let new = Set(after.members)
    return present.named.filter { !known.contains($0.member) && new.contains($0.member) }
  }

  /// Whether the list has a member now.
  func isPresent(_ member: Member) -> Bool { present.members.contains(member) }

  /// The member at a row of a trial: the row that goes, or the one that comes.
  func member(ofRow row: [Value], before isBefore: Bool) -> Member? {
    if isBefore { return present.named.first { $0.row == row }?.member }
    return targetMembers().first { $0.row == row }?.member
  }

  /// Members that stay otherwise than before the operations, each with its row and the reason.
  var conflicts: [(row: [Value], reason: RevertConflict.Reason)] {
    var found: [(row: [Value], reason: RevertConflict.Reason)] = []
    if isHeld {
      let now = Set(present.members).union(after.members)
      let missing = before.named.filter { !now.contains($0.member) }
      return (added + missing).filter { !outside.contains($0.member) }
        .map { ($0.row, .changedLater) }
    }
    let moved = present.rows == after.rows ? [] : merge.movedLater
    for (member, row) in present.named {
      if let reason = kept[member] {
        found.append((row, reason))
      } else if moved.contains(member) {
        found.append((row, .changedLater))
      }
    }
    for (member, row) in before.named {
      if let reason = left[member] { found.append((row, reason)) }
    }
    return found
  }

  /// Leaves the members alone whose row from before the operations is none of some.
  ///
  /// - Parameter isChosen: whether a row from before is.
  mutating func choose(_ isChosen: ([Value]) throws -> Bool) rethrows {
    outside = Set(present.members).union(after.members)
    for (member, row) in before.named {
      if try isChosen(row) { outside.remove(member) } else { outside.insert(member) }
    }
  }

  /// Leaves the members as they are that the operations added or removed: only what they moved is brought back.
  mutating func chooseMoved() {
    outside.formUnion(Set(before.members).symmetricDifference(after.members))
  }

  /// The members of which a forced revert takes the later place: their rows now, and those that they are to have.
  var overwritten: [(present: [Value], target: [Value])] {
    let members = merge.overwritten
    guard !members.isEmpty else { return [] }
    let target = Dictionary(
      targetMembers().map { ($0.member, $0.row) }, uniquingKeysWith: { first, _ in first })
    return present.named.filter { members.contains($0.member) }.compactMap { member, row in
      target[member].flatMap { $0 == row ? nil : (present: row, target: $0) }
    }
  }
}

extension ReversalRules.OrderedList {
  /// Rows of a list, in its order.
  func ordered(_ rows: [[Value]]) -> [[Value]] {
    rows.sorted { number(of: $0) < number(of: $1) }
  }

  fileprivate func number(of row: [Value]) -> Int64 {
    if case .integer(let number) = row[place] { number } else { start }
  }
}
