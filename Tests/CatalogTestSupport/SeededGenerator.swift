import Foundation

/// Random numbers that can be had again.
///
/// The seed follows from the label, so that a run of the tests says something of the change that is tested, not of its dice.
/// The environment variable `TEST_SEED` gives it instead: a number, or `new` for one that each run draws, as the long soak
/// does. It is printed, so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var numbers: SplitMix

  /// - Parameter label: what the seed is for, in the printed line.
  package init(_ label: String) {
    let told = ProcessInfo.processInfo.environment["TEST_SEED"]
    if told == "new" {
      self.init(seed: UInt64.random(in: 0...UInt64(UInt32.max)))
    } else {
      self.init(seed: told.flatMap { UInt64($0) } ?? Self.hash(of: label))
    }
    print("\(label): TEST_SEED=\(seed)")
  }

  package init(seed: UInt64) {
    self.seed = seed
    numbers = SplitMix(seed: seed)
  }

  /// FNV-1a, as Swift's own hashes differ from process to process.
  static func hash(of label: String) -> UInt64 {
    label.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  package mutating func next() -> UInt64 {
    numbers.next()
  }

  package mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
