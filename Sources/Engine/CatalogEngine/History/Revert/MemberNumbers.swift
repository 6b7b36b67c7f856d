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
    var isGone = Array(repeating: false, count: state.count)
    let change = next.difference(from: state)
    for removal in change.removals {
      if case .remove(let place, _, _) = removal { isGone[place] = true }
    }
    var isNew = Array(repeating: false, count: next.count)
    for insertion in change.insertions {
      if case .insert(let place, _, _) = insertion { isNew[place] = true }
    }
    let staying = state.indices.filter { !isGone[$0] }
    for (place, old) in zip(next.indices.filter({ !isNew[$0] }), staying) {
      found[place] = numbers[old]
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
