import CatalogTestSupport
import Promises
import Support
import Synchronization
import Testing

@testable import EventLog

/// A full segment is sealed while its writer's owner does other things.
@Suite(
  .promise(
    "A full segment is closed and sealed while its writer does other things; no event is "
      + "lost, and readers see complete batches"))
struct SealingBehindTests {
  private static func isSealed(_ name: String, in log: LogFixture) throws -> Bool {
    try log.bytes(name).prefix(4) == [0x52, 0x2A, 0x4D, 0x18]
  }

  @Test func aFullSegmentIsSealedAndTheNextAppendBeginsAnother() throws {
    var generator = SeededGenerator(seed: 91)
    let log = try LogFixture(RoundTripTests.small(segment: 300))
    let writer = try log.writer()
    try log.append([Lines.line(100, from: &generator)], to: writer)
    writer.beginSealing()
    writer.finishSealing()
    #expect(try !Self.isSealed(log.segments()[0], in: log), "it was not full")
    try log.append([Lines.line(400, from: &generator)], to: writer)
    writer.beginSealing()
    // Again, and while it is under way: nothing.
    writer.beginSealing()
    writer.finishSealing()
    writer.finishSealing()
    #expect(writer.sealingFailure == nil)
    #expect(try log.segments().count == 1 && Self.isSealed(log.segments()[0], in: log))
    try log.append([Lines.line(10, from: &generator)], to: writer)
    #expect(try log.segments().count == 2)
    writer.close()
    #expect(try log.reader.check().damage.isEmpty)
    #expect(try log.reader.delivered().lines == log.batches)
    let again = try log.writer(knownHeads: log.heads)
    #expect(again.head == log.head && again.recovery == nil)
    again.close()
  }

  /// Whoever comes next waits: another append, a seal, the end.
  @Test(arguments: [92, 93, 94])
  func readersSeeWholeBatchesWhileItIsSealed(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try LogFixture(RoundTripTests.small(segment: 20_000))
    let lines = (0..<60).map { _ in
      (0..<40).map { _ in Lines.line(1 + generator.below(60), from: &generator) }
    }
    let writer = try log.writer()
    try log.append(lines[0], to: writer)
    let isDone = Atomic(false)
    let reader = log.reader
    let reading = try BackgroundReading(reader, lines, until: { isDone.load(ordering: .acquiring) })
    for batch in lines.dropFirst() {
      try log.append(batch, to: writer)
      if Bool.random(using: &generator) { writer.beginSealing() }
      if generator.below(9) == 0 { try writer.seal() }
    }
    writer.beginSealing()
    writer.close()
    #expect(writer.sealingFailure == nil)
    isDone.store(true, ordering: .releasing)
    let (rounds, wrong) = try reading.result()
    #expect(rounds > 0 && wrong == 0)
    #expect(try log.reader.check().damage.isEmpty)
    #expect(try log.reader.delivered().lines == lines)
  }
}

/// Reads a log from its beginning, again and again, on another thread.
private struct BackgroundReading {
  private let work: BackgroundWork<(rounds: Int, wrong: Int)>

  init(
    _ reader: EventLogReader, _ lines: [[[UInt8]]], until isDone: @escaping @Sendable () -> Bool
  ) throws {
    work = try BackgroundWork {
      var rounds = 0
      var wrong = 0
      while !isDone() {
        let read = try reader.delivered()
        if read.error != nil || read.lines != Array(lines.prefix(read.lines.count)) { wrong += 1 }
        rounds += 1
      }
      return (rounds, wrong)
    }
  }

  func result() throws -> (rounds: Int, wrong: Int) { try work.value() }
}
