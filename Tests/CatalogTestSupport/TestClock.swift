package import CatalogModel
import Synchronization

/// A clock that is a second later each time it is asked.
package final class TestClock: Sendable {
  private let time = Mutex<Int64>(1_767_225_600_000)

  package init() {}

  package func next() -> Timestamp {
    time.withLock { time in
      time += 1_000
      return Timestamp(milliseconds: time)
    }
  }
}
