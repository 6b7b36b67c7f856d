import CatalogTestSupport
import Promises
import Synchronization
import Testing

@testable import EventLog

@Suite(
  .promise("A reader beside a writer sees each batch once, over recovery, rollover and sealing"))
struct LiveTailTests {
  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  @Test(arguments: [false, true])
  func aCursorGoesOnWhileAWriterAppendsSealsAndRollsOver(decodesAhead: Bool) throws {
    var generator = SeededGenerator("live tail")
    let log = try LogFixture(RoundTripTests.small())
    let cursor = try log.reader.cursor(decodesAhead: decodesAhead)
    var read: [[[UInt8]]] = []
    let writer = try log.writer()
    for round in 0..<120 {
      try log.append(Lines.batch(from: &generator), to: writer)
      if round % 17 == 0 { try writer.seal() }
      if generator.below(3) == 0 {
        let more = try Delivered(cursor)
        #expect(more.error == nil && more.torn == nil)
        read += more.lines
        #expect(read == log.batches)
      }
    }
    read += try Delivered(cursor).lines
    #expect(read == log.batches)
  }

  /// What a reader saw of a write that was taken back must not stay in its mind.
  @Test func aCursorForgetsATailThatWasCutBack() throws {
    var generator = SeededGenerator(seed: 91)
    let log = try LogFixture()
    try log.fill(3, from: &generator)
    let name = LogFolder.name(1)
    let whole = try log.bytes(name)
    for start in [log.heads[0], log.heads[2], log.heads[3]] {
      try log.write(whole, to: name)
      let writer = try log.writer()
      _ = try writer.append([Lines.line(300, from: &generator)], after: log.head)
      writer.close()
      let first = try log.bytes(name)
      for cut in stride(from: whole.count + 1, to: first.count, by: 13) {
        try log.write(Array(first[..<cut]), to: name)
        let cursor = try log.reader.cursor(after: start)
        #expect(try Delivered(cursor).torn != nil)
        let again = try log.writer()
        let lines = [Lines.line(280 + cut % 40, from: &generator)]
        _ = try again.append(lines, after: log.head)
        again.close()
        let more = try Delivered(cursor)
        #expect(more.error == nil && more.lines == [lines], "cut at \(cut)")
        try log.removeKeptBytes()
      }
    }
  }

  @Test func readersBesideABusyWriterSeeWholeBatchesInOrder() async throws {
    let log = try LogFixture(RoundTripTests.small())
    let path = log.path
    let limits = log.limits
    let isDone = Flag()
    try log.writer().close()
    try await withThrowingTaskGroup(of: UInt64.self) { group in
      group.addTask {
        defer { isDone.value.withLock { $0 = true } }
        let writer = try EventLogWriter(
          directory: path, logID: LogFixture.id, holder: "a test", limits: limits)
        for round in 0..<400 {
          _ = try writer.append(
            (0...round % 5).map { Array("\(round)-\($0)".utf8) }, after: writer.head)
        }
        return writer.head.sequence
      }
      for _ in 0..<2 {
        group.addTask {
          let reader = EventLogReader(directory: path, limits: limits)
          let cursor = try reader.cursor()
          var last: UInt64 = 0
          while true {
            let ended = isDone.value.withLock { $0 }
            let read = try Delivered(cursor)
            if let error = read.error { throw error }
            last = read.batches.last?.lastSequence ?? last
            _ = try reader.head()
            if ended { return last }
            await Task.yield()
          }
        }
      }
      var ends: Set<UInt64> = []
      for try await end in group { ends.insert(end) }
      #expect(ends == [1200])
    }
  }
}
