import Projections

/// Tells equal members of a list apart, through all its states since the operations began.
///
/// ```text
/// [a b c]     a1 b1 c1
/// [a a b c]   a1 a2 b1 c1    one was added
/// [a b c a]   a1 b1 c1 a2    one was moved to the end
/// [b c a]     b1 c1 a2       the first one was removed
/// ```
///
/// From one state to the next as many members as possible keep their order; of those that do not, as many as possible were moved.
/// Members that are equal and beside each other cannot be told apart: of them those with the lowest numbers stay.
struct MemberNumbers<Values: Hashable> {
  /// The numbers of the members of the last state, in their order.
  private(set) var numbers: [Int]
  private var state: [Values]
  /// The greatest number that each member has had.
  private var last: [Values: Int] = [:]

  init(_ state: [Values]) {
    self.state = state
    numbers = []
    for values in state { numbers.append(Self.next(values, &last)) }
  }

  private static func next(_ values: Values, _ last: inout [Values: Int]) -> Int {
    let number = (last[values] ?? -1) + 1
    last[values] = number
    return number
  }

  /// Goes on to the next state of the list.
  mutating func follow(_ next: [Values]) {
    guard next != state else { return }
    var found: [Int?] = Array(repeating: nil, count: next.count)
    var isGone = Array(repeating: true, count: state.count)
    for (old, new) in Self.kept(state, next) {
      isGone[old] = false
      found[new] = numbers[old]
    }
    settle(next, &found, &isGone)
    // What is gone here and new there was moved.
    var moved: [Values: [Int]] = [:]
    for place in state.indices.reversed() where isGone[place] {
      moved[state[place], default: []].append(numbers[place])
    }
    for place in next.indices where found[place] == nil {
      found[place] = moved[next[place]]?.popLast() ?? Self.next(next[place], &last)
    }
    state = next
    numbers = found.compactMap(\.self)
  }

  /// Lists of more members than the root of this are not searched for the longest common order, which takes room by the square.
  private static var searchLimit: Int { 1 << 20 }

  /// The places of the members that keep their order, in the old state and in the next one.
  private static func kept(_ old: [Values], _ next: [Values]) -> [(old: Int, new: Int)] {
    let start = zip(old, next).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), next[start...].reversed()).prefix { $0 == $1 }.count
    var kept = (0..<start).map { (old: $0, new: $0) }
    let (left, right) = (start..<old.count - end, start..<next.count - end)
    if left.count <= searchLimit / max(1, right.count) {
      let change = Array(next[right]).difference(from: Array(old[left]))
      var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
      for step in change {
        switch step {
        case .remove(let place, _, _): removed.insert(start + place)
        case .insert(let place, _, _): inserted.insert(start + place)
        }
      }
      kept += zip(
        left.filter { !removed.contains($0) }, right.filter { !inserted.contains($0) }
      ).map { (old: $0, new: $1) }
    }
    kept += (0..<end).reversed().map { (old: old.count - 1 - $0, new: next.count - 1 - $0) }
    return kept
  }

  /// Gives the lowest numbers of a row of equal members to those of them that stay.
  private func settle(_ next: [Values], _ found: inout [Int?], _ isGone: inout [Bool]) {
    var placeOfNumber: [Member: Int] = [:]
    for place in next.indices {
      if let number = found[place] { placeOfNumber[Member(next[place], number)] = place }
    }
    var start = 0
    while start < state.count {
      var end = start + 1
      while end < state.count, state[end] == state[start] { end += 1 }
      defer { start = end }
      let run = start..<end
      let staying = run.filter { !isGone[$0] }
      guard staying.count < run.count, !staying.isEmpty else { continue }
      let taken = staying.compactMap { placeOfNumber[Member(state[$0], numbers[$0])] }
      let kept = run.sorted { numbers[$0] < numbers[$1] }.prefix(staying.count).sorted()
      for place in run { isGone[place] = true }
      for (old, new) in zip(kept, taken) {
        isGone[old] = false
        found[new] = numbers[old]
      }
    }
  }

  private struct Member: Hashable {
    let values: Values
    let number: Int

    init(_ values: Values, _ number: Int) { (self.values, self.number) = (values, number) }
  }
}

/// The numbers of a list's members at each moment.
struct NumberedList {
  private var moments: [UInt64] = []
  private var numbers: [[Int]] = []

  /// - Parameter states: the members after some events, which are all those that changed the list, in the order of the log.
  init(_ states: [(moment: UInt64, members: [[Value]])]) {
    var members: MemberNumbers<[Value]>?
    for (moment, state) in states {
      if members == nil { members = MemberNumbers(state) }
      members?.follow(state)
      moments.append(moment)
      numbers.append(members?.numbers ?? [])
    }
  }

  /// The numbers of the members after an event, in their order.
  func numbers(after sequence: UInt64) -> [Int] {
    moments.lastIndex { $0 <= sequence }.map { numbers[$0] } ?? []
  }
}
