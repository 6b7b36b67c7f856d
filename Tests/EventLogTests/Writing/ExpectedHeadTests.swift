import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "An append that expects a head is done once: at another head it is refused, and a "
      + "retry finds its batch"))
struct ExpectedHeadTests {
  @Test func aBatchThatExpectsAnotherHeadIsRefused() throws {
    var generator = SeededGenerator(seed: 71)
    let log = try LogFixture()
    try log.fill(3, from: &generator)
    let writer = try log.writer()
    var heads = [log.heads[0], log.heads[1], log.heads[2]]
    heads.append(LogHead(sequence: log.head.sequence, chain: log.heads[0].chain))
    heads.append(LogHead(sequence: log.head.sequence + 1, chain: log.head.chain))
    for head in heads {
      let error = #expect(throws: EventLogError.self) { try writer.append([[1]], after: head) }
      #expect(error?.code == .headMoved)
    }
    #expect(writer.head == log.head)
    try log.append([[1]], to: writer)
  }

  @Test func theSameBatchAgainIsAlreadyThere() throws {
    var generator = SeededGenerator(seed: 72)
    let log = try LogFixture(RoundTripTests.small())
    try log.fill(30, from: &generator)
    let writer = try log.writer()
    for sealing in [false, true] {
      if sealing { try writer.seal() }
      for (index, lines) in log.batches.enumerated() {
        let outcome = try writer.append(lines, after: log.heads[index])
        #expect(outcome == .already(log.heads[index + 1]))
      }
    }
    #expect(writer.head == log.head)
  }

  @Test func batchesThatAreNoneAreRefused() throws {
    var limits = LogLimits()
    limits.line = 100
    limits.frame = 10
    limits.frames = 4
    let log = try LogFixture(limits)
    let writer = try log.writer()
    let refused: [[[UInt8]]] = [
      [], [[]], [[1, 0x0A]], [Array(repeating: 1, count: 100)], [Array(repeating: 1, count: 60)],
    ]
    for lines in refused {
      let error = #expect(throws: EventLogError.self) { try writer.append(lines, after: log.head) }
      #expect(error?.code == .invalidBatch)
    }
    try log.append([Array(repeating: 1, count: 39)], to: writer)
    #expect(try log.reader.delivered().lines == log.batches)
  }
}
