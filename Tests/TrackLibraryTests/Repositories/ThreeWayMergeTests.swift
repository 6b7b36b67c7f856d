import CatalogEngine
import CatalogTestSupport
import Promises
import Testing

@testable import TrackLibrary

@Suite(
  .promise(
    "What two programs save at once in the same playlist and track, both have",
    by: "generated lists"))
struct ThreeWayMergeTests {
  /// Whatever two make of a list: what either put in is in it, and what either took out is not.
  @Test(arguments: UInt64(1)...8)
  func nothingOfEitherIsLost(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    var fresh = 1_000
    /// Takes elements out, moves some, and puts in elements that nobody else has.
    func changed(_ list: [Int]) -> (list: [Int], added: Set<Int>, removed: [Int]) {
      var (list, added, removed) = (list, Set<Int>(), [Int]())
      for _ in 0..<random.below(5) {
        switch random.below(3) {
        case 0 where !list.isEmpty: removed.append(list.remove(at: random.below(list.count)))
        default:
          fresh += 1
          added.insert(fresh)
          list.insert(fresh, at: random.below(list.count + 1))
        }
      }
      return (list, added, removed.filter { !added.contains($0) })
    }
    for _ in 0..<200 {
      let known = (0..<random.below(12)).map { _ in random.below(8) }
      let (saved, written) = (changed(known), changed(known))
      let merged = ThreeWayMerge.list(known: known, saved: saved.list, written: written.list)
      let context = "\(known) \(saved.list) \(written.list): \(merged)"
      for element in saved.added.intersection(saved.list) {
        #expect(merged.count { $0 == element } == 1, "\(context)")
      }
      for element in written.added.intersection(written.list) {
        #expect(merged.count { $0 == element } == 1, "\(context)")
      }
      // Elements that both began with: as often as neither took them out, counting one that both did once or twice.
      for element in Set(known) {
        let before = known.count { $0 == element }
        let (one, other) = (
          saved.removed.count { $0 == element }, written.removed.count { $0 == element }
        )
        let after = merged.count { $0 == element }
        #expect(max(0, before - one - other)...(before - max(one, other)) ~= after, "\(context)")
      }
      // Who changed nothing gets what the other made.
      #expect(ThreeWayMerge.list(known: known, saved: known, written: written.list) == written.list)
      #expect(ThreeWayMerge.list(known: known, saved: saved.list, written: known) == saved.list)
      #expect(
        ThreeWayMerge.list(known: known, saved: saved.list, written: saved.list) == saved.list)
    }
  }

  /// Changes in different parts keep their order.
  @Test func changesInDifferentPartsKeepTheirPlaces() {
    let merged = ThreeWayMerge.list(
      known: ["a", "b", "c", "d"], saved: ["x", "a", "b", "c", "d"],
      written: ["a", "b", "d", "y"])
    #expect(merged == ["x", "a", "b", "d", "y"])
  }
}
