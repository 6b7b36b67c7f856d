import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "A batch is in the log as a whole or not at all, wherever the process dies",
    by: "a cut at every byte of open, sealed and several segments"),
  .promise("Only an interrupted write is repaired, and its bytes are kept"),
  .promise(
    "Events that the database has applied and the log has lost are reported by every "
      + "command, with status 3",
    by: "known heads"))
struct CutTests {
  /// Every byte of every segment, read, checked and opened for writing with the heads that are known.
  @Test(arguments: ShapedLog.Shape.allCases)
  func aCutAtAnyByteLeavesWholeBatchesOrIsRefused(_ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("cut, \(shape)")
    let shaped = try ShapedLog(shape, from: &generator)
    let log = shaped.log
    for segment in shaped.segments {
      let cuts = Array(0..<segment.bytes.count)
      let drawn = Sample.of(cuts, atMost: cuts.count / 12, "CutTests \(shape) \(segment.name)")
      for cut in drawn {
        let what = "\(shape), seed \(generator.seed), \(segment.name) cut at \(cut)"
        let left = Array(segment.bytes[..<cut])
        try log.write(left, to: segment.name)
        let whole = segment.before + segment.ends.count { $0 <= cut }
        let isRefused = whole == segment.before

        if whole < log.batches.count {
          // Who knows a later head is told, and nothing is changed.
          let known = log.heads[whole + 1]
          let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [known]) }
          #expect(error?.isDamage == true, "\(what)")
          #expect(isRefused || error?.code == .lostEvents, "\(what)")
          #expect(try log.bytes(segment.name) == left, "\(what): a refusal changes nothing")
        }
        let read = try log.reader.delivered()
        #expect(read.lines.count == whole, "\(what)")
        // With the last head that is whole, and with none.
        let known = cut.isMultiple(of: 2) ? [log.heads[whole]] : []
        let verdict = try log.verdict(what, knownHeads: known)
        // A segment gets its name with its first batch: without it, this was no interrupted write.
        let due: LogFixture.Verdict =
          isRefused ? .damaged : segment.ends.contains(cut) ? .whole : .torn
        #expect(verdict == due, "\(what)")
        if verdict == .torn { try log.removeKeptBytes() }
      }
      try shaped.restore()
    }
    #expect(try log.verdict("the log as it was") == .whole)
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
