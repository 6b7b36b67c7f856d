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
}
