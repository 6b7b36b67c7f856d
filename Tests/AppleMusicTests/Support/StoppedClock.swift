import Foundation
import Synchronization

/// A clock that a test moves.
final class StoppedClock: Sendable {
  static let start = 1_800_000_000

  private let seconds = Mutex(StoppedClock.start)

  /// Half a second into the second: tokens have whole ones.
  var now: Date { Date(timeIntervalSince1970: Double(seconds.withLock { $0 }) + 0.5) }

  func advance(by duration: Int) {
    seconds.withLock { $0 += duration }
  }
}
