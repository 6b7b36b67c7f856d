import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "The events that were appended are read again byte for byte, and `zstd -dc` prints them",
    by: "generated histories, open and sealed"))
struct RoundTripTests {
  static func small(segment: UInt64 = 1500) -> LogLimits {
    var limits = LogLimits()
    limits.frame = 64
    limits.sealedFrame = 400
    // Half of the segments are sealed as those of long batches.
    limits.longSegment = 1_000
    limits.segment = segment
    limits.chains = 3
    return limits
  }

  @Test(arguments: 1...12)
  func generatedHistoriesReadBackAsTheyWereAppended(_ round: Int) throws {
    var generator = SeededGenerator("round trip \(round)")
    let log = try LogFixture(Self.small())
    var writer = try log.writer()
    for _ in 0..<40 {
      switch generator.below(10) {
      case 0: try writer.seal()
      case 1:
        writer.close()
        writer = try log.writer(knownHeads: log.heads)
      case 2: try log.append([Lines.line(1000, from: &generator)], to: writer)
      case 3:
        try log.append(
          (0..<40).map { _ in Lines.line(30, from: &generator) }, to: writer)
      case 4: try log.append([Lines.line(1, from: &generator)], to: writer)
      default: try log.append(Lines.batch(from: &generator), to: writer)
      }
    }
    #expect(writer.sealingFailure == nil)
    writer.close()

    let read = try log.reader.delivered()
    #expect(read.error == nil && read.torn == nil)
    #expect(read.lines == log.batches)
    #expect(read.batches.map(\.head) == Array(log.heads.dropFirst()))
    #expect(try log.reader.head() == log.head)
    let report = try log.reader.check()
    #expect(report.damage.isEmpty && report.head == log.head)
    let second = try Tools.secondReader(log.path)
    #expect(second?.sequence == log.head.sequence)
    #expect(second?.chain == log.head.chain.hex)

    for (index, head) in log.heads.enumerated() {
      let rest = try log.reader.delivered(after: head)
      #expect(rest.lines == Array(log.batches.dropFirst(index)), "after \(head.sequence)")
    }
    for sequence in 1...log.head.sequence {
      let batch = try log.reader.batch(containing: sequence)
      #expect(batch.firstSequence <= sequence && sequence <= batch.lastSequence)
    }
  }

  @Test(arguments: [false, true])
  func zstdPrintsExactlyTheLines(_ sealing: Bool) throws {
    var generator = SeededGenerator(seed: 7)
    let log = try LogFixture(Self.small())
    try log.fill(60, sealing: sealing, from: &generator)
    let files = try log.segments().map { log.path + "/" + $0 }
    #expect(files.count > 1)
    let printed = try Tools.run(["zstd", "-q", "-dc"] + files)
    #expect(printed.status == 0)
    #expect(printed.output == log.text())
    #expect(try Tools.run(["zstd", "-q", "-t"] + files).status == 0)
  }

  @Test func linesRunOverFramesOfTheStandardSize() throws {
    var generator = SeededGenerator(seed: 3)
    let log = try LogFixture()
    let writer = try log.writer()
    let long = Array(repeating: Lines.line(1000, from: &generator), count: 2500).flatMap(\.self)
    try log.append([long, Array("{}".utf8), long], to: writer)
    try log.append([Array("{}".utf8)], to: writer)
    #expect(try log.reader.delivered().lines == log.batches)
    try writer.seal()
    #expect(try log.reader.delivered().lines == log.batches)
  }

  @Test func sealingChangesNoHead() throws {
    var generator = SeededGenerator(seed: 5)
    let log = try LogFixture()
    try log.fill(30, from: &generator)
    let before = try log.reader.head()
    let writer = try log.writer()
    let sealed = try writer.seal()
    #expect(sealed.count == 1 && sealed.allSatisfy { $0.storedAfter < $0.storedBefore })
    #expect(try log.reader.head() == before)
    #expect(try writer.seal().isEmpty)
  }

  @Test func aLogThatIsNotThereHasNoHead() throws {
    let log = try LogFixture()
    #expect(try log.reader.head() == nil)
    #expect(try log.reader.delivered().batches.isEmpty)
  }
}
