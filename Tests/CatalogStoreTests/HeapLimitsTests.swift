import Promises
import Synchronization
import Testing

@testable import CatalogStore

/// The one limit of memory that SQLite has for a process, which statements set that run at the same time.
@Suite(
  .promise(
    "`query` prints rows without end in constant memory; what is too large or too long is "
      + "an error and not a signal",
    by: "the limit of the process, of which statements at once set one each"))
struct HeapLimitsTests {
  private final class Process: Sendable {
    let limit: Mutex<Int64>

    init(_ limit: Int64) {
      self.limit = Mutex(limit)
    }

    func set(_ new: Int64) -> Int64 {
      limit.withLock { limit in
        defer { if new >= 0 { limit = new } }
        return limit
      }
    }
  }

  @Test(arguments: [0, 5_000] as [Int64])
  func theLimitIsWhatItWasOnceAllStatementsEnded(before: Int64) {
    let process = Process(before)
    var limits = HeapLimits { process.set($0) }
    func now() -> Int64 { process.limit.withLock { $0 } }
    limits.add(1_000)
    #expect(now() == 1_000)
    limits.add(200)
    #expect(now() == 200)
    // The first one ends first.
    limits.remove(1_000)
    #expect(now() == 200)
    limits.add(300)
    limits.remove(200)
    #expect(now() == 300)
    limits.remove(300)
    #expect(now() == before)
  }
}
