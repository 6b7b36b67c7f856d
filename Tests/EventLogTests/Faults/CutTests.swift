import CatalogTestSupport
import Testing

@testable import EventLog

@Suite struct CutTests {
  @Test func aCutAtAnyByteLeavesWholeBatchesOrIsRefused() throws {
    var generator = SeededGenerator("cut")
    let log = try LogFixture()
    try log.fill(22, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    let ends = try log.reader.delivered().batches.map { Int($0.offset + ($0.storedLength ?? 0)) }

    for cut in 0..<bytes.count {
      try log.write(Array(bytes[..<cut]), to: name)
      let whole = ends.count { $0 <= cut }
      let what = "cut at \(cut)"
      guard cut >= ends[0] else {
        // A segment gets its name with its first batch: this was no interrupted write.
        #expect(try log.verdict(what) == .damaged)
        continue
      }
      let read = try log.reader.delivered()
      #expect(read.error == nil && read.lines.count == whole, "\(what)")
      // Every ninth with a writer too, and all cuts near the end of a batch.
      guard cut % 9 == 0 || ends.contains(where: { abs($0 - cut) <= 1 }) else { continue }
      let known = log.heads[whole + 1]
      let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [known]) }
      #expect(error?.code == .lostEvents, "\(what)")
      #expect(try log.bytes(name).count == cut, "a refusal changes nothing")
      let verdict = try log.verdict(what, knownHeads: [log.heads[whole]])
      #expect(verdict == (ends.contains(cut) ? .whole : .torn), "\(what)")
      try log.removeKeptBytes()
    }
  }

  @Test func recoveryKeepsTheBytesAsideAndASecondOneChangesNothing() throws {
    var generator = SeededGenerator(seed: 11)
    let log = try LogFixture()
    try log.fill(5, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    let last = try #require(try log.reader.delivered().batches.last)
    let start = Int(last.offset)
    for round in 1...3 {
      try log.write(Array(bytes.dropLast(round)), to: name)
      let recovery = try #require(try log.writer().recovery)
      #expect(recovery.offset == last.offset && recovery.sequence == last.firstSequence)
      let kept = try #require(recovery.keptAt)
      #expect(try log.bytes(LogFolder.fileName(kept)) == Array(bytes[start...].dropLast(round)))
      #expect(try log.bytes(name) == Array(bytes[..<start]))
      #expect(try log.names().count(where: { $0.contains(".torn-") }) == round)

      let again = try log.writer()
      #expect(again.recovery == nil && again.head == log.heads[4])
      #expect(try log.names().count(where: { $0.contains(".torn-") }) == round)
    }
    let writer = try log.writer()
    let outcome = try writer.append(log.batches[4], after: log.heads[4])
    #expect(outcome == .appended(log.head))
    #expect(try log.bytes(name) == bytes)
  }

  @Test func aReaderEndsBeforeATornTailAndRepairsNothing() throws {
    var generator = SeededGenerator(seed: 12)
    let log = try LogFixture()
    try log.fill(3, from: &generator)
    let name = try #require(try log.segments().first)
    let cut = Array(try log.bytes(name).dropLast(5))
    try log.write(cut, to: name)
    #expect(try log.reader.head() == log.heads[2])
    #expect(try log.reader.delivered().torn != nil)
    #expect(try log.reader.delivered(after: log.heads[2]).torn != nil)
    #expect(try log.bytes(name) == cut)
  }

  @Test func anEmptySegmentIsDamage() throws {
    var generator = SeededGenerator(seed: 13)
    let log = try LogFixture()
    try log.fill(3, from: &generator)
    let next = LogFolder.name(log.head.sequence + 1)
    try log.write([], to: next)
    #expect(try log.verdict("an empty last segment") == .damaged)
    let error = #expect(throws: EventLogError.self) { try log.reader.head() }
    #expect(error?.file?.hasSuffix(next) == true)
  }
}
