import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// The end of a log whose last batch is long: read whole, unless somebody knows that it was whole.
@Suite(
  .promise(
    "A reader that begins within a log, or knows a place or a head of it, finds what a "
      + "reader of everything finds",
    by: "a long last batch is read unless it was applied"))
struct AppliedHeadTests {
  @Test func aLongLastBatchIsReadUnlessItsHeadWasApplied() throws {
    var random = SplitMix(seed: 12)
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Array("first".utf8)], to: writer)
    // Letters that hardly compress: over 4 MiB are stored.
    let long = (0..<9).map { _ in
      (0..<900_000).map { _ in UInt8(33 + random.below(90)) }
    }
    try log.append(long, to: writer)
    writer.close()
    let name = try #require(try log.segments().last)
    var bytes = try log.bytes(name)
    #expect(bytes.count > 5 << 20)
    // A sector that never reached the disk.
    for offset in 3_000_000..<3_001_024 { bytes[offset] = 0 }
    try log.write(bytes, to: name)
    var asked = 0
    func end(applied: LogHead?) throws -> LogHead? {
      try log.reader.end {
        asked += 1
        return applied
      }?.head
    }
    #expect(try end(applied: nil) == log.heads[1])
    #expect(try end(applied: log.heads[1]) == log.heads[1])
    #expect(try end(applied: log.heads[2]) == log.heads[2])
    #expect(asked == 3)
    #expect(try log.reader.logID() == LogFixture.id)
    #expect(try log.reader.exists())
  }

  @Test func aShortLastBatchIsReadWithoutAQuestion() throws {
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Array("first".utf8)], to: writer)
    writer.close()
    let end = try log.reader.end {
      Issue.record("nobody needs to be asked")
      return nil
    }
    #expect(end?.head == log.head)
  }
}
