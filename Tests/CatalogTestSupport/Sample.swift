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
  package static func of<Element>(
    _ elements: [Element], atMost count: Int, _ label: String
  ) -> [Element] {
    guard !isWhole, elements.count > count else { return elements }
    var random = SeededGenerator(label)
    let drawn = elements.indices.shuffled(using: &random).prefix(count).sorted()
    return drawn.map { elements[$0] }
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
