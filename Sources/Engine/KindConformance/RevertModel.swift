import CatalogEngine
import Projections

/// Says what a revert may do to cells, by the rows alone.
///
/// It knows nothing of the planner: it has the rows before the operations, after them, now and then, and says of each cell, of each
/// member of a set and of each member of a list whether it may change. What stays needs a reason, which has to be true.
struct RevertModel<Kind: CatalogKind> {
  typealias Rows = [[[Value]: [Value]]]

  private let kind: Kind
  private let rules: ReversalRules
  /// With the names of rows for their numbers.
  private let before, after, now, then: Rows
  private let isForced: Bool
  private let part: RevertPart
  /// The last event of the operations.
  private let last: UInt64
  private let rowsThen: Rows
  private let rowsNow: Rows
  private let rowsBefore: Rows
  private let rowsAfter: Rows

  /// - Parameters:
  ///   - last: the last event of the operations.
  ///   - part: the part that is restored, of a kind whose rows have no bundles, sets or lists.
  init(
    _ kind: Kind, before: Rows, after: Rows, now: Rows, then: Rows, through last: UInt64,
    isForced: Bool, part: RevertPart = RevertPart()
  ) {
    let rules = kind.reversalRules
    func named(_ rows: Rows) -> Rows { Self.named(rows, rules) }
    (self.kind, self.rules, self.isForced, self.part) = (kind, rules, isForced, part)
    self.last = last
    (self.before, self.after) = (named(before), named(after))
    (self.now, self.then) = (named(now), named(then))
    (rowsBefore, rowsAfter, rowsNow, rowsThen) = (before, after, now, then)
  }

  /// The rows with the name of each numbered row in the columns that have its number.
  private static func named(_ rows: Rows, _ rules: ReversalRules) -> Rows {
    var named = rows
    for surrogate in rules.surrogates {
      let parent = surrogate.number.table
      func name(_ row: [Value]) -> Value {
        let values = surrogate.identity.places.map { row[$0] }
        return values.count == 1 ? values[0] : .text("\(values)")
      }
      let names = rows[parent.ordinal].reduce(into: [Value: Value]()) { names, row in
        names[row.value[surrogate.number.places[0]]] = name(row.value)
      }
      for columns in [surrogate.number] + surrogate.uses {
        let (table, place) = (columns.table, columns.places[0])
        named[table.ordinal] = rows[table.ordinal].values.reduce(into: [:]) { found, row in
          var row = row
          row[place] = names[row[place]] ?? row[place]
          found[table.key(of: row)] = row
        }
      }
    }
    return named
  }

  // MARK: Cells

  /// The first thing that is wrong; nil if nothing is.
  func finding(_ conflicts: [RevertConflict]) throws -> String? {
    var reasons: [RowAddress: [RevertConflict]] = [:]
    for conflict in conflicts where conflict.table !== kind.reverted?.description {
      if let later = conflict.later, later.sequence <= last {
        return "the event that is named as later is not: \(conflict)"
      }
      if conflict.later == nil, [.changedLater, .removedLater].contains(conflict.reason) {
        return "a later event is said to be the reason, and none is named: \(conflict)"
      }
      reasons[RowAddress(conflict.table, key: key(of: conflict)), default: []].append(conflict)
    }
    for table in kind.schema.tables where table !== kind.reverted?.description {
      guard !rules.derived.contains(where: { $0 === table }) else { continue }
      if let list = rules.lists.first(where: { $0.table === table }) {
        if let finding = listFinding(list, &reasons) { return finding }
        continue
      }
      let keys = [before, after, now, then].reduce(into: Set<[Value]>()) {
        $0.formUnion($1[table.ordinal].keys)
      }
      let set = rules.sets.first { $0.table === table && !$0.isOfRow }
      for key in keys {
        let own = reasons.removeValue(forKey: RowAddress(table, key: key)) ?? []
        let cell = RowStates(
          table: table, key: key, old: before[table.ordinal][key], new: after[table.ordinal][key],
          present: now[table.ordinal][key], result: then[table.ordinal][key], conflicts: own)
        let finding = set.map { setFinding(cell, $0) } ?? rowFinding(cell)
        if let finding { return "\(cell.words): \(finding)" }
      }
    }
    return reasons.first.map { "a row is said to stay, and no operation changed it: \($0)" }
  }

  /// The key of a conflict's row with names for numbers. The numbers are those of now, or the last ones: another row may have
  /// such a number now, so that a name counts by which the operations changed a row.
  private func key(of conflict: RevertConflict) -> [Value] {
    let table = conflict.table
    let keys = [rowsNow, rowsAfter, rowsBefore].map { rows in
      table.key(of: Self.named((table, conflict.row), rules, rows))
    }
    return keys.first { before[table.ordinal][$0] != after[table.ordinal][$0] } ?? keys[0]
  }

  /// A row of a conflict with names for numbers, as they are in a state.
  private static func named(
    _ single: (table: TableDescription, row: [Value]), _ rules: ReversalRules, _ now: Rows
  ) -> [Value] {
    var row = single.row
    for surrogate in rules.surrogates {
      func name(_ row: [Value]) -> Value {
        let values = surrogate.identity.places.map { row[$0] }
        return values.count == 1 ? values[0] : .text("\(values)")
      }
      if surrogate.number.table === single.table {
        row[surrogate.number.places[0]] = name(row)
      } else if let use = surrogate.uses.first(where: { $0.table === single.table }),
        let parent = now[surrogate.number.table.ordinal][[row[use.places[0]]]]
      {
        row[use.places[0]] = name(parent)
      }
    }
    return row
  }

  private struct RowStates {
    let table: TableDescription
    let key: [Value]
    let old, new, present, result: [Value]?
    let conflicts: [RevertConflict]

    /// The reason of the whole row.
    var reason: RevertConflict.Reason? { conflicts.first?.reason }

    var words: String {
      "\(table.name) \(key), before \(old as Any), after \(new as Any), now \(present as Any), "
        + "then \(result as Any), \(conflicts.map { ($0.columns, $0.reason) })"
    }
  }

  /// Whether a forced revert removed a row of the kind's own that a later event added, with all rows that people see in its place.
  private func goesWithSeenRows(_ row: RowStates) -> Bool {
    guard isForced, row.table.isOwn, row.old == nil, row.new == nil, row.result == nil,
      let present = row.present,
      let rule = rules.seen.first(where: { $0.table === row.table })
    else { return false }
    let seen = rule.rows(present)
    return !seen.isEmpty
      && seen.allSatisfy { table, key in
        rowsNow[table.ordinal][key] != nil && rowsThen[table.ordinal][key] == nil
      }
  }

  private func rowFinding(_ row: RowStates) -> String? {
    let table = row.table
    let settled = rules.settled.filter { $0.table === table }.flatMap(\.places)
    let stamps = table.columns.indices.filter { table.columns[$0].isChangeStamp }
    var loose = settled + stamps
    if !isOfPart(row) {
      if row.reason != nil { return "it stays, and is not of the part" }
      return isSame(row.present, row.result, besides: loose) ? nil : "it changed without the part"
    }
    if let old = row.old, row.new != nil {
      // Cells that are not of the part are as they are now.
      let others = table.columns.indices.filter { !part.has([$0], of: table) }
      if let present = row.present, let result = row.result,
        others.contains(where: { present[$0] != result[$0] })
      {
        return "a cell changed that is not of the part"
      }
      if row.present != nil || isSame(old, row.new, besides: loose + others) { loose += others }
    }
    // Some columns of a row can stay for a later event, and others for another row's unique value.
    let taken = row.conflicts.filter { if case .taken = $0.reason { true } else { false } }
    let later = row.conflicts.filter { $0.reason == .changedLater }
    if later.count > 1 || row.conflicts.count - taken.count - later.count > 1 {
      return "it stays twice"
    }
    let isChanged = !isSame(row.old, row.new, besides: loose)
    let isBack = isSame(row.present, row.old, besides: loose)
    guard isChanged, !isBack else {
      if row.reason != nil { return "it stays, and there is nothing to restore" }
      return isSame(row.present, row.result, besides: loose) || goesWithSeenRows(row)
        ? nil : "it is another row"
    }
    let isLater = !isSame(row.present, row.new, besides: loose)
    if isLater, rules.documents.contains(where: { $0.table === table }) {
      return row.reason == nil && isSame(row.present, row.result, besides: loose)
        ? nil : "it is the record of a later document, and does not stay"
    }
    guard let old = row.old, let new = row.new, let present = row.present else {
      return wholeFinding(row, isLater, settled)
    }
    let others = row.conflicts.map(\.reason).filter { reason in
      reason != .changedLater && !taken.contains { $0.reason == reason }
    }
    if let reason = others.first {
      if reason == .removedLater { return "it exists, and is said to be removed" }
      guard isSame(row.present, row.result, besides: loose) else { return "it does not stay" }
      return falsehood(
        reason, table, row.old, isLater, row.conflicts.first { $0.reason == reason }?.other)
    }
    for conflict in taken {
      if let words = falsehood(conflict.reason, table, row.old, isLater) { return words }
    }
    guard let result = row.result else { return "it is gone" }
    let said = Set(row.conflicts.flatMap(\.columns))
    let groups = rules.together.filter { $0.table === table }.map(\.places)
    // A row that decides what others mean is brought back whole or not at all.
    let isWhole = (rules.bundles.joined() + rules.deciding).contains { columns in
      columns.table === table && columns.places.contains { old[$0] != new[$0] }
    }
    // A value that another row has keeps its own cells, and no others of a row that can be brought back in part.
    let keptForOthers = Set(
      taken.flatMap { conflict -> [Int] in
        guard case .taken(let names) = conflict.reason, !isWhole else { return conflict.columns }
        let places = names.compactMap(table.index)
        return places + groups.filter { $0.contains(where: places.contains) }.joined()
      })
    // A column that is said to be changed later was, by itself or in its group.
    let untrue = later.flatMap(\.columns).first { column in
      let group = groups.first { $0.contains(column) } ?? [column]
      return !isWhole && group.allSatisfy { present[$0] == new[$0] }
    }
    if let untrue, !rules.bundles.joined().contains(where: { $0.isList && $0.table === table }) {
      return "\(table.columns[untrue].name) is said to be changed later, and was not"
    }
    for column in table.columns.indices where !loose.contains(column) {
      if let set = rules.sets.first(where: {
        $0.table === table && $0.isOfRow && $0.column == column
      }) {
        func members(_ row: [Value]) -> Set<String> {
          row[column] == .null ? [] : set.members(row[column]) ?? []
        }
        let wanted = members(present).subtracting(members(new).subtracting(members(old)))
          .union(members(old).subtracting(members(new)))
        if members(result) != wanted { return "\(table.columns[column].name) is another set" }
        continue
      }
      let own = groups.first { $0.contains(column) } ?? [column]
      // All that the operation changed in the row.
      let changed = table.columns.indices.filter { !loose.contains($0) && old[$0] != new[$0] }
      let isOperations = old[column] != new[column]
      let isGroups = own.contains { old[$0] != new[$0] && present[$0] != old[$0] }
      // What is back already keeps no other cell of the row from coming back.
      let keepsAll =
        isWhole && own.contains(where: changed.contains)
        && changed.contains { present[$0] != new[$0] && present[$0] != old[$0] }
      let isTaken = own.contains(where: keptForOthers.contains)
      let isLater = keepsAll || isTaken || own.contains { present[$0] != new[$0] }
      let name = table.columns[column].name
      if isGroups, !isLater || isForced && !isTaken {
        if result[column] != old[column] { return "\(name) is not as before" }
        if said.contains(column) { return "\(name) is said to stay" }
      } else {
        if result[column] != present[column] { return "\(name) is another, and was not to change" }
        if isOperations, isGroups, present[column] != old[column], !said.contains(column) {
          return "\(name) stays, and no conflict names it"
        }
      }
    }
    return nil
  }

  /// Whether the row comes or goes, or has cells that change, with the part.
  private func isOfPart(_ row: RowStates) -> Bool {
    (part.tables.isEmpty || part.tables.contains(row.table.name))
      && (row.old != nil && row.new != nil || part.hasWholeRows(of: row.table))
  }

  /// Checks a row that was added or removed, or that a later event removed.
  private func wholeFinding(_ row: RowStates, _ isLater: Bool, _ settled: [Int]) -> String? {
    guard let reason = row.reason else {
      if isLater, !isForced { return "a later event changed it, and it does not stay" }
      // A kind may keep a row that it settles.
      return isSame(row.old, row.result, besides: settled) || row.old == nil && !settled.isEmpty
        ? nil : "it is not as before"
    }
    guard isSame(row.present, row.result, besides: settled) else {
      return "it is said to stay, and is another row"
    }
    let isRemovedLater = row.new != nil && row.present == nil
    if (reason == .removedLater) != isRemovedLater, [.changedLater, .removedLater].contains(reason)
    {
      return "the later event did something else"
    }
    return falsehood(reason, row.table, row.old, isLater, row.conflicts[0].other)
  }

  // MARK: Members

  private func setFinding(_ row: RowStates, _ set: ReversalRules.SetColumn) -> String? {
    func members(_ row: [Value]?) -> Set<String> {
      row.flatMap { set.members($0[set.column]) } ?? []
    }
    let (old, new) = (members(row.old), members(row.new))
    let (present, result) = (members(row.present), members(row.result))
    let isOfMembers = row.reason == .changedLater && row.conflicts[0].columns == [set.column]
    if let reason = row.reason, !isOfMembers {
      guard present == result else { return "it does not stay" }
      return falsehood(reason, row.table, row.old, false, row.conflicts.first?.other)
    }
    let others = unitedMembers(set, of: new.subtracting(old).subtracting(present)).others
      .intersection(present).subtracting(old).subtracting(new)
    let said = isOfMembers ? members(row.conflicts[0].row) : []
    // A row that had the other member by itself, before both were united, keeps it.
    guard said.isSubset(of: isForced ? [] : others) else {
      return "\(said.sorted()) are said to stay, and it could be \(others.sorted())"
    }
    let removed = old.subtracting(new)
    // A member that was united with another one returns as that one.
    let (gone, returning) = unitedMembers(set, of: removed)
    var wanted = present.subtracting(new.subtracting(old)).union(removed.subtracting(gone)).union(
      returning)
    if isForced { wanted.subtract(others.subtracting(result)) }
    return result == wanted ? nil : "it has \(result.sorted()), and should have \(wanted.sorted())"
  }

  /// The members among some that later events united with others, and those others.
  private func unitedMembers(
    _ set: ReversalRules.SetColumn, of members: Set<String>
  ) -> (gone: Set<String>, others: Set<String>) {
    guard let union = set.union, !members.isEmpty else { return ([], []) }
    let identities = Dictionary(
      members.map { (union.identity($0), $0) }, uniquingKeysWith: { first, _ in first })
    var found: (gone: Set<String>, others: Set<String>) = ([], [])
    let table = union.members.table.ordinal
    for (key, row) in rowsNow[table] {
      guard let member = identities[union.members.values(of: row)], let other = union.united(row),
        rowsAfter[table][key].flatMap(union.united) != other
      else { continue }
      found.gone.insert(member)
      found.others.insert(other)
    }
    return found
  }

  /// Whether a row was united with another one, which may have its name since.
  private func isUnited(_ row: RowAddress) -> Bool {
    let prefix = rules.reusedNumbers?.rows.first { $0.number.table.ordinal == row.table }?.number
      .prefix
    guard let prefix else { return false }
    return rules.sets.compactMap(\.union).contains { union in
      rowsNow[union.members.table.ordinal].values.contains {
        union.members.values(of: $0) == prefix + row.key && union.united($0) != nil
      }
    }
  }

  private struct Member: Hashable {
    let values: [Value]
    let repetition: Int
  }

  private func members(
    _ rows: Rows, _ rule: ReversalRules.OrderedList
  ) -> [[Value]: [(member: Member, key: [Value])]] {
    let lists = Dictionary(grouping: rows[rule.table.ordinal].values) { row in
      rule.list.map { row[$0] }
    }
    return lists.mapValues { rows in
      var count: [[Value]: Int] = [:]
      return rows.sorted { [$0[rule.place]].isBefore([$1[rule.place]]) }.map { row in
        let values = rule.member.map { row[$0] }
        defer { count[values, default: 0] += 1 }
        return (
          Member(values: values, repetition: count[values, default: 0]), rule.table.key(of: row)
        )
      }
    }
  }

  private func listFinding(
    _ rule: ReversalRules.OrderedList, _ reasons: inout [RowAddress: [RevertConflict]]
  ) -> String? {
    let states = [before, after, now, then].map { members($0, rule) }
    var said: [[Value]: [[Value]: [RevertConflict.Reason]]] = [:]
    for (address, conflicts) in reasons where address.table == rule.table.ordinal {
      reasons[address] = nil
      for conflict in conflicts {
        let list = rule.list.map { conflict.row[$0] }
        let member = rule.member.map { conflict.row[$0] }
        said[list, default: [:]][member, default: []].append(conflict.reason)
      }
    }
    for list in states.reduce(into: Set<[Value]>(), { $0.formUnion($1.keys) }) {
      let lists = states.map { ($0[list] ?? []).map(\.member) }
      let (old, new, present, result) = (lists[0], lists[1], lists[2], lists[3])
      func words(_ text: String) -> String {
        "\(rule.table.name) \(list) \(text): before \(old.map(\.values)), after \(new.map(\.values)), "
          + "now \(present.map(\.values)), then \(result.map(\.values)), \(said[list] ?? [:])"
      }
      let own = said[list] ?? [:]
      if own.isEmpty, present == new, result != old { return words("is not as before") }
      func count(_ values: [Value], _ members: [Member]) -> Int {
        members.count { $0.values == values }
      }
      for values in Set((present + result + old).map(\.values)) {
        let counts = (
          old: count(values, old), new: count(values, new), now: count(values, present),
          then: count(values, result)
        )
        // The copies that the operations added go if they are there, and those that they removed come back if they are not. If
        // a later event removed one of several, no count says which.
        let least = max(0, min(counts.now, counts.new) - counts.old)
        let most = max(least, min(counts.now, counts.new - counts.old))
        let going = min(max(counts.now - counts.then, least), most)
        let coming = max(0, counts.old - max(counts.new, counts.now))
        let wanted =
          counts.now - (counts.new > counts.old ? going : 0)
          + (counts.old > counts.new ? coming : 0)
        if own[values] == nil || wanted == counts.now {
          if counts.then != wanted { return words("has \(values) \(counts.then) times") }
        } else if counts.then == wanted
          || !(min(counts.now, wanted)...max(counts.now, wanted)).contains(counts.then)
        {
          return words("has \(values) \(counts.then) times, and some are said to stay")
        }
      }
      // Members that the operations did not touch keep their order. Of equal ones no order is seen.
      let untouched = Set(old).intersection(new)
      if new.filter(untouched.contains) == old.filter(untouched.contains) {
        let kept = Set(present).intersection(result).filter { member in
          lists.allSatisfy { count(member.values, $0) <= 1 }
        }
        if present.filter(kept.contains) != result.filter(kept.contains) {
          return words("has another order")
        }
      }
    }
    return nil
  }

  // MARK: Reasons

  /// Says what is not true of a reason; nil if all is.
  private func falsehood(
    _ reason: RevertConflict.Reason, _ table: TableDescription, _ old: [Value]?, _ isLater: Bool,
    _ other: [Value]? = nil
  ) -> String? {
    switch reason {
    case .changedLater:
      // A list that comes as a whole stays if a later event changed another row of it.
      let isList = rules.bundles.joined().contains { $0.isList && $0.table === table }
      return isLater || isList ? nil : "no later event changed it"
    case .removedLater: return isLater ? nil : "no later event removed it"
    case .belongsTo(let address):
      let settled = rules.settled.filter { $0.table.ordinal == address.table }.flatMap(\.places)
      let stamps = kind.schema.tables[address.table].columns.enumerated()
        .filter(\.element.isChangeStamp).map(\.offset)
      return isSame(
        rowsNow[address.table][address.key], rowsThen[address.table][address.key],
        besides: settled + stamps) ? nil : "what it belongs to does not stay"
    case .neededBy(let address):
      return rowsThen[address.table][address.key] == nil ? "what needs it is gone" : nil
    case .missing(let parent):
      let isKey = kind.schema.tables[parent.table].key.count == parent.key.count
      // A number may be another row's now: people know these rows by names.
      if isKey, let name = rules.reusedNumbers?.nameColumn(of: parent.table) {
        guard let other else { return "what it refers to was never a row" }
        func hasName(_ rows: Rows) -> Bool {
          rows[parent.table].values.contains { $0[name] == other[name] }
        }
        if hasName(rowsThen), !isUnited(parent) || rowsThen[parent.table][parent.key] != nil {
          return "what it refers to exists"
        }
        return kind.schema.tables[parent.table].key(of: other) == parent.key
          ? nil : "what it refers to has another number"
      }
      if rowsThen[parent.table][parent.key] != nil { return "what it refers to exists" }
      return isKey && old != nil && rowsBefore[parent.table][parent.key] == nil
        ? "it referred to no row before, either" : nil
    case .taken(let names):
      let places = names.compactMap(table.index)
      guard let old else { return "it had no value" }
      let isTaken = then[table.ordinal].values.contains { row in
        places.allSatisfy { row[$0] == old[$0] }
      }
      let isExcluded = rules.exclusions.contains { left, right in
        [(left, right), (right, left)].contains { own, other in
          own.table === table
            && then[other.table.ordinal].values.contains {
              other.values(of: $0) == own.values(of: old)
            }
        }
      }
      return isTaken || isExcluded ? nil : "no row has its value"
    case .impossible: return nil
    }
  }

  /// A row that refers to one that is not there since the revert.
  func dangling() -> String? {
    for reference in kind.schema.references(with: rules) {
      // A member of a list may have another place.
      let list = rules.lists.first { $0.table === reference.child }
      let columns = list.map { $0.list + $0.member } ?? reference.child.key
      func dangling(_ rows: Rows) -> Set<[Value]> {
        let known = Set(
          rows[reference.parent.ordinal].values.map { row in
            reference.prefix + reference.parentColumns.map { row[$0] }
          })
        return Set(
          rows[reference.child.ordinal].values.compactMap { row in
            let values = reference.columns.map { row[$0] }
            return !values.contains(.null) && values.starts(with: reference.prefix)
              && !known.contains(values) ? columns.map { row[$0] } : nil
          })
      }
      // What referred to no row before the operation may do so again.
      let new = dangling(rowsThen).subtracting(dangling(rowsNow)).subtracting(dangling(rowsBefore))
      if let row = new.first {
        return "\(reference.child.name) \(row) refers to no \(reference.parent.name)"
      }
    }
    return nil
  }
}

extension ReversalRules.ReusedNumbers {
  /// The column with the name of a table's rows; nil if its rows have no such numbers.
  fileprivate func nameColumn(of table: Int) -> Int? {
    rows.first { $0.number.table.ordinal == table }?.name
  }
}
