import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise("A reader beside a writer sees each batch once, over recovery, rollover and sealing"))
struct LogFollowerTests {
  @Test func itGivesEveryBatchOnceFromBeforeThereIsALog() async throws {
    var generator = SeededGenerator(seed: 95)
    let log = try LogFixture(RoundTripTests.small())
    let follower = log.reader.follow(after: log.head, every: .milliseconds(2))
    let following = Task {
      var lines: [[[UInt8]]] = []
      for try await element in follower {
        lines.append(element.lines)
        if lines.count == 40 { break }
      }
      return lines
    }
    let writer = try log.writer()
    for round in 0..<40 {
      try log.append(Lines.batch(from: &generator), to: writer)
      if round % 9 == 0 { try await Task.sleep(for: .milliseconds(3)) }
    }
    #expect(try await following.value == log.batches)
  }

  @Test func itEndsWhenItsTaskIsCancelled() async throws {
    let log = try LogFixture()
    let follower = log.reader.follow(every: .seconds(60))
    let following = Task {
      var count = 0
      for try await _ in follower { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(20))
    following.cancel()
    #expect(try await following.value == 0)
  }

  @Test func itRefusesALogThatIsNotTheOneItWaitedFor() async throws {
    let log = try LogFixture()
    let other = LogHead.empty(LogID(bytes: Array(repeating: 7, count: 16)))
    var iterator = log.reader.follow(after: other, every: .milliseconds(1)).makeAsyncIterator()
    let cursor = try log.reader.cursor(after: other)
    #expect(try cursor.nextBatch() == nil)
    try log.append([[1]], to: log.writer())
    let error = #expect(throws: EventLogError.self) { try cursor.nextBatch() }
    #expect(error?.code == .lostEvents)
    await #expect(throws: EventLogError.self) { try await iterator.next() }
  }
}
