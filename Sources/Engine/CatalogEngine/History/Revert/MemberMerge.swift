/// Finds the order of a list from which something is taken back.
///
/// ```swift
/// // The operation added "x" and moved "c"; a later one added "y".
/// MemberMerge(before: ["a", "b", "c"], after: ["c", "a", "x", "b"], present: ["c", "a", "x", "b", "y"])
///   .result  // ["a", "b", "c", "y"]
/// ```
struct MemberMerge<Member: Hashable> {
  /// The members in their new order.
  private(set) var result: [Member]
  /// Members that the operation moved and a later one moved again: they stay.
  private(set) var movedLater: Set<Member> = []
  /// Members of this sort that a forced revert moves back all the same.
  private(set) var overwritten: Set<Member> = []

  /// - Parameters:
  ///   - before: the list before the operation; each member once, as in the others.
  ///   - after: the list after the operation.
  ///   - present: the list now.
  ///   - kept: members that stay though the operation added them.
  ///   - left: members that do not come back though the operation removed them.
  ///   - held: members that keep their places, whatever moved them.
  ///   - isForced: whether members go back that a later operation moved.
  ///   - reverted: the list after an earlier revert of the operation, which moved members back; what has moved since stays.
  ///     Nil if there was none.
  init(
    before: [Member], after: [Member], present: [Member], keeping kept: Set<Member> = [],
    leaving left: Set<Member> = [], holding held: Set<Member> = [], isForced: Bool = false,
    reverted: [Member]? = nil
  ) {
    let (old, new, now) = (Set(before), Set(after), Set(present))
    let added = new.subtracting(old).subtracting(kept)
    var movedBack: Set<Member> = []
    let moved = Self.moved(before, after).subtracting(held)
    if !moved.isEmpty {
      // Members that go do not count: without them the same question has the same answer once they are gone.
      let staying = [after, present].map { $0.filter { !added.contains($0) } }
      let movedAgain = Self.moved(staying[0], staying[1])
      let later = isForced ? [] : movedAgain
      if reverted == nil || isForced { movedBack = moved.subtracting(later).intersection(now) }
      movedLater = moved.intersection(later)
      if isForced { overwritten = movedBack.intersection(movedAgain) }
      if let reverted, !isForced {
        // What the earlier revert moved back is as before, unless it has moved since.
        movedLater.formIntersection(Self.moved(before, present))
        movedLater.formUnion(moved.intersection(Self.moved(reverted, present)))
      }
    }
    result = present.filter { !added.contains($0) && !movedBack.contains($0) }
    let back = old.subtracting(new).subtracting(left).subtracting(now).union(movedBack)
    guard !back.isEmpty else { return }
    // Each follows the nearest earlier member that is in the list.
    var following: [Member?: [Member]] = [:]
    let staying = Set(result)
    var last: Member?
    for member in before {
      if back.contains(member) {
        following[last, default: []].append(member)
      } else if staying.contains(member) {
        last = member
      }
    }
    var merged = following[nil] ?? []
    for member in result {
      merged.append(member)
      merged += following[member] ?? []
    }
    result = merged
  }

  /// The members that have another place among those that both lists have: the others are the longest row of members that
  /// keeps its order.
  static func moved(_ before: [Member], _ after: [Member]) -> Set<Member> {
    let places = Dictionary(
      before.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let common = after.filter { places[$0] != nil }
    let order = common.compactMap { places[$0] }
    if zip(order, order.dropFirst()).allSatisfy(<) { return [] }
    // The longest ascending row: the last place of each length, with links back.
    var tails: [Int] = []
    var links: [Int?] = Array(repeating: nil, count: order.count)
    for place in order.indices {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if order[tails[middle]] < order[place] { low = middle + 1 } else { high = middle }
      }
      links[place] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(place) } else { tails[low] = place }
    }
    var staying: Set<Int> = []
    var place = tails.last
    while let current = place {
      staying.insert(current)
      place = links[current]
    }
    return Set(common.indices.filter { !staying.contains($0) }.map { common[$0] })
  }
}
