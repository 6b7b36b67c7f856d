import Foundation

/// Random numbers that can be had again (SplitMix64).
///
/// The seed is new in each run, or that of the environment variable `TEST_SEED`; it is printed, so
/// that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  /// - Parameter label: what the seed is for, in the printed line.
  package init(_ label: String) {
    let told = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: told ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    print("\(label): TEST_SEED=\(seed)")
  }

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  package mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
