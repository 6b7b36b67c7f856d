import CatalogModel
import Projections

/// The values in which two states of the rows differ, given what leads from the present rows to each.
///
/// A value is a cell. Keys and stamps such as `updated_at` do not count. A row that only one state has counts with its values
/// besides times, and at least once. A member of an ordered list counts if it comes, goes or moves, and not if another one
/// shifts its place.
struct DifferingValues {
  private struct Pair {
    let table: TableDescription
    var one, other: [Value]?
  }

  private(set) var count = 0
  private let rules: ReversalRules

  init(_ rules: ReversalRules, _ one: [RowChange], _ other: [RowChange]) {
    self.rules = rules
    var pairs: [RowAddress: Pair] = [:]
    for change in one {
      pairs[change.address] = Pair(table: change.table, one: change.after, other: change.before)
    }
    for change in other {
      let known = pairs[change.address]
      pairs[change.address] = Pair(
        table: change.table, one: known == nil ? change.before : known?.one, other: change.after)
    }
    let tables = Dictionary(
      grouping: pairs.values.filter { $0.one != $0.other }, by: \.table.ordinal)
    for (ordinal, pairs) in tables {
      if let rule = rules.lists.first(where: { $0.table.ordinal == ordinal }) {
        count += Self.count(rule, pairs)
      } else {
        count += pairs.reduce(0) { $0 + Self.count($1.table, $1.one, $1.other, but: nil) }
      }
    }
  }

  /// - Parameter place: a column that does not count.
  private static func count(
    _ table: TableDescription, _ one: [Value]?, _ other: [Value]?, but place: Int?
  ) -> Int {
    func counts(_ column: Int) -> Bool {
      column != place && !table.key.contains(column) && !table.columns[column].isChangeStamp
    }
    if let one, let other {
      return table.columns.indices.count { counts($0) && one[$0] != other[$0] }
    }
    guard let row = one ?? other else { return 0 }
    return max(
      1,
      table.columns.indices.count {
        counts($0) && row[$0] != .null && !table.columns[$0].isTime
      })
  }

  // MARK: Lists

  /// A member of a list, and how often it is in the list before this place; or the place of one that is the same in both states.
  private enum Member: Hashable {
    case changed([Value], repetition: Int)
    case same(Int64)
  }

  private static func count(_ rule: ReversalRules.OrderedList, _ pairs: [Pair]) -> Int {
    func lists(_ rows: [[Value]]) -> [[Value]: [[Value]]] {
      Dictionary(grouping: rows) { row in rule.list.map { row[$0] } }
    }
    let (ones, others) = (lists(pairs.compactMap(\.one)), lists(pairs.compactMap(\.other)))
    return Set(ones.keys).union(others.keys).reduce(0) {
      $0 + count(rule, ones[$1] ?? [], others[$1] ?? [])
    }
  }

  /// - Parameters:
  ///   - one: the rows of a list that are others in the other state.
  ///   - other: the same of the other state.
  private static func count(
    _ rule: ReversalRules.OrderedList, _ one: [[Value]], _ other: [[Value]]
  ) -> Int {
    func place(_ row: [Value]) -> Int64 {
      if case .integer(let place) = row[rule.place] { place } else { rule.start }
    }
    let places = (one.map(place), other.map(place))
    let taken = Set(places.0).union(places.1)
    // The places of a list have no gaps: a member that is the same in both states is at each other place between.
    let last = min(places.0.max() ?? -1, places.1.max() ?? -1)
    let same =
      (taken.min() ?? 0) <= last
      ? ((taken.min() ?? 0)...last).filter { !taken.contains($0) } : []
    func members(_ rows: [[Value]]) -> (order: [Member], rows: [Member: [Value]]) {
      var repetitions: [[Value]: Int] = [:]
      var found: [Member: [Value]] = [:]
      var order = same.map { (place: $0, member: Member.same($0)) }
      for row in rows.sorted(by: { place($0) < place($1) }) {
        let values = rule.member.map { row[$0] }
        let member = Member.changed(values, repetition: repetitions[values, default: 0])
        repetitions[values, default: 0] += 1
        found[member] = row
        order.append((place(row), member))
      }
      return (order.sorted { $0.place < $1.place }.map(\.member), found)
    }
    let (before, after) = (members(one), members(other))
    let moved = MemberMerge.moved(before.order, after.order)
    return Set(before.rows.keys).union(after.rows.keys).reduce(0) { sum, member in
      sum + (moved.contains(member) ? 1 : 0)
        + count(rule.table, before.rows[member], after.rows[member], but: rule.place)
    }
  }
}
