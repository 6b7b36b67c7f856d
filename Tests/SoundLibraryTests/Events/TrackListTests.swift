import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import SoundLibrary

/// Lists of tracks told by the list before, and what became of them.
@Suite(
  .promise(
    "The event of a list of tracks is the smallest difference from the list before, and "
      + "gives the list again",
    by: "any pair of lists"))
struct TrackListTests {
  @Test func aListIsToldByTheOneBefore() {
    let base = (0..<2_000).map { "\($0)" }
    var list = base
    list[700] = "new"
    list.remove(at: 1_500)
    let runs = ListRun<String>.runs(of: list, from: base)
    #expect(
      runs == [
        .kept(from: 0, count: 700), .new(["new"]), .kept(from: 701, count: 799),
        .kept(from: 1_501, count: 499),
      ])
    #expect(ListRun<String>.list(of: 1_999, runs, from: base) == list)
    #expect(ListRun<String>.runs(of: [], from: base) == [])
    #expect(ListRun<String>.runs(of: base, from: []) == [.new(base)])
  }

  @Test func runsThatTheBaseDoesNotHaveAreNoList() {
    let base = ["a", "b", "c"]
    for (runs, count) in [
      ([.kept(from: 0, count: 4)], 4), ([.kept(from: -1, count: 2)], 2),
      ([.kept(from: 1, count: 0)], 0), ([.kept(from: 4, count: 1)], 1),
      ([.kept(from: .max, count: .max)], 3), ([.new([])], 0), ([.new(["x"])], 2),
      ([.kept(from: 0, count: 3), .kept(from: 0, count: 3)], 5), ([], 1),
    ] as [([ListRun<String>], Int64)] {
      #expect(ListRun<String>.list(of: count, runs, from: base) == nil, "\(runs)")
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func anyListComesBackAndItsChangeIsTheSmallest(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let names = 1 + random.below(12)
    func list() -> [String] { (0..<random.below(14)).map { _ in "\(random.below(names))" } }
    let (old, new) = (list(), list())
    let runs = ListRun<String>.runs(of: new, from: old)
    #expect(ListRun<String>.list(of: Int64(new.count), runs, from: old) == new)

    let change = TrackListChange(from: old, to: new)
    #expect(change.isEmpty == (old == new))
    #expect(old.count - change.went.count + change.came.count == new.count)
    // What neither came, went nor moved stands in one order in both.
    let went = Set(change.went.map(\.position)).union(change.moved.map(\.from))
    let came = Set(change.came.map(\.position)).union(change.moved.map(\.to))
    let left = old.indices.filter { !went.contains($0) }.map { old[$0] }
    #expect(left == new.indices.filter { !came.contains($0) }.map { new[$0] })
    for move in change.moved { #expect(old[move.from] == move.id && new[move.to] == move.id) }
  }

  @Test func oneTrackMovesAndNotAllOthers() {
    let old = (0..<100).map { "\($0)" }
    let change = TrackListChange(from: old, to: Array(old.dropFirst()) + ["0"])
    #expect(change.came.isEmpty && change.went.isEmpty)
    #expect(change.moved.map(\.id) == ["0"])
    #expect(change.moved.first?.from == 0 && change.moved.first?.to == 99)
  }
}
