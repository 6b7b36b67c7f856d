import Foundation

/// Draws some of the cases of an exhaustive test. `TEST_ALL=1` and `Tools/soak` run all of them.
package enum Sample {
  /// Whether all cases run.
  package static let isWhole = ProcessInfo.processInfo.environment["TEST_ALL"] != nil

  /// Draws elements by a seed that is printed, in their order.
  ///
  /// - Parameters:
  ///   - count: the most elements.
  ///   - label: what the seed is for, in the printed line.
  ///   - isDear: whether only a third of them is drawn if `TEST_COMMIT` names the commit that is tested, as in a run of
  ///     all tests. The commit says which third; of one or two elements it may be none.
  package static func of<Element>(
    _ elements: [Element], atMost count: Int = .max, _ label: String, isDear: Bool = false
  ) -> [Element] {
    guard !isWhole else { return elements }
    var drawn = Array(elements.indices)
    if drawn.count > count {
      var random = SeededGenerator(label)
      drawn = drawn.shuffled(using: &random).prefix(count).sorted()
    }
    if isDear, let commit = ProcessInfo.processInfo.environment["TEST_COMMIT"], !commit.isEmpty {
      print("\(label): TEST_COMMIT=\(commit)")
      drawn = third(of: drawn, commit, label)
    }
    return drawn.map { elements[$0] }
  }

  /// Each third element, from one on that commit and label give.
  package static func third<Element>(
    of elements: [Element], _ commit: String, _ label: String
  ) -> [Element] {
    let first = Int(SeededGenerator.hash(of: commit + label) % 3)
    return stride(from: first, to: elements.count, by: 3).map { elements[$0] }
  }

  /// A number of rounds: `all`, or fewer in a usual run.
  package static func count(_ fewer: Int, of all: Int) -> Int { isWhole ? all : fewer }

  /// The lengths of generated histories whose operations are reverted: in a whole run the longest has 2,000 operations.
  ///
  /// - Parameter usual: those of a usual run.
  package static func reverts(_ usual: RevertLength...) -> [RevertLength] {
    guard isWhole else { return usual }
    return (1...4).map { RevertLength(seed: $0, batches: 120, reverts: 100) }
      + [RevertLength(seed: 5, batches: 2_000, reverts: 500)]
  }
}

package struct RevertLength: Sendable {
  package let seed: UInt64
  package let batches: Int
  /// At least.
  package let reverts: Int

  package init(seed: UInt64, batches: Int, reverts: Int) {
    (self.seed, self.batches, self.reverts) = (seed, batches, reverts)
  }
}
