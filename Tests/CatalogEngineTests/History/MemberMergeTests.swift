import CatalogTestSupport
import Promises
import Testing

@testable import CatalogEngine

/// Something is taken back from a list that changed since.
@Suite(
  .promise(
    "A revert in a list keeps the members and places that others changed, and of equal "
      + "members finds the right one"))
struct MemberMergeTests {
  private func merged(_ before: String, _ after: String, _ present: String) -> String {
    String(
      MemberMerge(before: Array(before), after: Array(after), present: Array(present)).result)
  }

  @Test(arguments: [
    ("abc", "caxb", "caxby", "abcy"), ("abc", "ac", "acd", "abcd"), ("abc", "", "x", "abcx"),
    ("", "abc", "abxc", "x"), ("abcd", "bacd", "bacd", "abcd"), ("abc", "abcx", "xcab", "cab"),
    ("abc", "cab", "cba", "bca"), ("abcdef", "acdef", "fedca", "fedcab"),
  ])
  func membersOfOthersStay(before: String, after: String, present: String, result: String) {
    #expect(merged(before, after, present) == result)
  }

  @Test func withoutALaterChangeAListIsAsBefore() {
    var random = SeededGenerator("lists as before")
    for _ in 0..<2_000 {
      func list() -> [Int] {
        Array((0..<12).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random)))
      }
      let (before, after) = (list(), list())
      #expect(MemberMerge(before: before, after: after, present: after).result == before)
    }
  }

  /// The members that go decide nothing about the others: once they are gone, the rest is judged in the same way.
  @Test func membersThatGoDoNotDecideWhichOneMoved() {
    #expect(merged("01", "210", "120") == merged("01", "210", "10"))
    #expect(merged("2031", "104", "03241") == merged("2031", "104", "0321"))
    var random = SeededGenerator("lists of which something was taken back")
    for _ in 0..<2_000 {
      func list() -> [Int] {
        Array((0..<8).shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)))
      }
      let (before, after, present) = (list(), list(), list())
      let added = Set(after).subtracting(before)
      let result = MemberMerge(before: before, after: after, present: present).result
      let rest = present.filter { !added.contains($0) }
      #expect(MemberMerge(before: before, after: after, present: rest).result == result)
      // A second revert moves nothing, and a second forced one finds all at its place.
      let second = MemberMerge(before: before, after: after, present: result, reverted: result)
      #expect(second.result == result)
      // Whatever came after the revert: no member that is there moves, and one that the operation moved is named if it moved.
      let later = list()
      let third = MemberMerge(before: before, after: after, present: later, reverted: result)
      #expect(third.result.filter(later.contains) == later.filter { !added.contains($0) })
      let moved = MemberMerge.moved(before, after).intersection(MemberMerge.moved(result, later))
      #expect(moved.isSubset(of: third.movedLater))
      let forced = MemberMerge(before: before, after: after, present: result, isForced: true)
      let again = MemberMerge(
        before: before, after: after, present: forced.result, isForced: true,
        reverted: forced.result)
      #expect(again.result == forced.result)
    }
  }

  /// Members that the operation neither added, removed nor moved keep their order.
  @Test func noOtherMemberComesGoesOrMoves() {
    var random = SeededGenerator("lists of three")
    for _ in 0..<2_000 {
      func list() -> [Int] {
        Array((0..<10).shuffled(using: &random).prefix(Int.random(in: 0...10, using: &random)))
      }
      let (before, after, present) = (list(), list(), list())
      let result = MemberMerge(before: before, after: after, present: present).result
      #expect(Set(result).count == result.count)
      let (old, new, now) = (Set(before), Set(after), Set(present))
      #expect(Set(result) == now.subtracting(new.subtracting(old)).union(old.subtracting(new)))
      let others = now.subtracting(old).subtracting(new)
      #expect(result.filter(others.contains) == present.filter(others.contains))
    }
  }
}
