import Foundation

/// Random numbers that can be had again.
///
/// The seed is new in each run, or that of the environment variable `TEST_SEED`; it is printed, so
/// that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var numbers: SplitMix

  /// - Parameter label: what the seed is for, in the printed line.
  package init(_ label: String) {
    let told = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: told ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    print("\(label): TEST_SEED=\(seed)")
  }

  package init(seed: UInt64) {
    self.seed = seed
    numbers = SplitMix(seed: seed)
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
