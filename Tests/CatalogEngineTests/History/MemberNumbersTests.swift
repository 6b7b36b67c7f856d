import CatalogTestSupport
import Promises
import Testing

@testable import CatalogEngine

/// The numbers that tell equal members of a list apart, held against a plain search for the longest common order.
@Suite(
  .promise(
    "A revert in a list keeps the members and places that others changed, and of equal "
      + "members finds the right one",
    by: "compared with the textbook's longest common order"))
struct MemberNumbersTests {
  /// How many members two lists have in common in the same order: the textbook's table.
  private func commonOrder(_ one: [String], _ other: [String]) -> Int {
    var table = Array(repeating: Array(repeating: 0, count: other.count + 1), count: one.count + 1)
    for (row, left) in one.enumerated() {
      for (column, right) in other.enumerated() {
        table[row + 1][column + 1] =
          left == right
          ? table[row][column] + 1 : max(table[row][column + 1], table[row + 1][column])
      }
    }
    return table[one.count][other.count]
  }

  private func named(_ state: [String], _ numbers: [Int]) -> [String] {
    zip(state, numbers).map { "\($0)\($1)" }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func asManyMembersAsPossibleKeepTheirOrder(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var state = (0..<random.below(8)).map { _ in random.pick(["a", "b", "c"]) }
    var members = MemberNumbers(state)
    for _ in 0..<30 {
      let old = named(state, members.numbers)
      var next = state
      switch random.below(4) {
      case 0: next.insert(random.pick(["a", "b", "c"]), at: random.below(next.count + 1))
      case 1 where !next.isEmpty: next.remove(at: random.below(next.count))
      case 2 where !next.isEmpty:
        let member = next.remove(at: random.below(next.count))
        next.insert(member, at: random.below(next.count + 1))
      default: next = (0..<random.below(8)).map { _ in random.pick(["a", "b", "c"]) }
      }
      members.follow(next)
      let new = named(next, members.numbers)
      #expect(Set(new).count == new.count, "\(old) → \(new)")
      #expect(commonOrder(old, new) == commonOrder(state, next), "\(old) → \(new)")
      // A member is new only if none of its kind is gone.
      for values in ["a", "b", "c"] {
        let kept = Set(new.filter { $0.hasPrefix(values) }).intersection(old).count
        let counts = (state.count { $0 == values }, next.count { $0 == values })
        #expect(kept == min(counts.0, counts.1), "\(old) → \(new)")
      }
      state = next
    }
  }

  @Test func ofEqualNeighboursTheLowestNumbersStay() {
    var members = MemberNumbers(["a", "b"])
    members.follow(["a", "a", "b"])
    #expect(members.numbers == [0, 1, 0])
    members.follow(["a", "b"])
    #expect(members.numbers == [0, 0])
    members.follow(["a", "b", "a"])
    #expect(members.numbers == [0, 0, 2])
  }

  /// The one that goes is the one that came last, also between members that change.
  @Test(arguments: ["zaw", "zaaw", "aw", "za", "bacab"])
  func ofEqualNeighboursTheLastGoes(next: String) {
    var members = MemberNumbers("xay".map(String.init))
    members.follow("xaaay".map(String.init))
    let next = next.map(String.init)
    members.follow(next)
    let numbers = zip(next, members.numbers).filter { $0.0 == "a" }.map(\.1)
    #expect(numbers.sorted() == Array(0..<numbers.count))
  }
}
