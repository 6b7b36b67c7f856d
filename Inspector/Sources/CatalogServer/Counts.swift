import Synchronization

/// How many connections are open and how many pages are made at this moment, with bounds.
final class Counts: Sendable {
  enum Thing: CaseIterable {
    case connection
    case page

    var limit: Int {
      switch self {
      case .connection: 64
      case .page: 8
      }
    }
  }

  private let counts = Mutex<[Thing: Int]>([:])

  /// Counts one more.
  ///
  /// - Returns: false if there are as many as there may be.
  func begin(_ thing: Thing) -> Bool {
    counts.withLock { counts in
      guard counts[thing, default: 0] < thing.limit else { return false }
      counts[thing, default: 0] += 1
      return true
    }
  }

  func end(_ thing: Thing) {
    counts.withLock { $0[thing, default: 0] -= 1 }
  }
}
