import Promises
import Testing

@testable import EventLog

/// A cursor that begins within the log checks as much as one from its beginning.
@Suite(
  .promise(
    "A reader that begins within a log, or knows a place or a head of it, finds what a "
      + "reader of everything finds"))
struct SeekedCursorTests {
  @Test func aBatchWithABadFrameIsRefusedBeforeItIsGiven() throws {
    let log = try ScratchLog()
    let heads = try log.append([["one"], ["two"], ["three"]])
    let name = try log.segments()[0]
    try log.change(name) { $0[$0.count - 3] ^= 0x10 }
    let cursor = try log.reader.cursor(after: heads[0])
    #expect(try cursor.nextLinesOfBatch() == ["two"])
    let error = #expect(throws: EventLogError.self) { try cursor.nextBatch() }
    #expect(error?.code == .damaged(.frameCRC))
    #expect(error?.sequence == 3)
  }

  @Test func aZeroedSectorOfTheLastBatchIsTornForItToo() throws {
    let log = try ScratchLog()
    let long = (0..<4000).map { "\($0 &* 2_654_435_761 % 99_991)" }.joined()
    let heads = try log.append([["one"], [long]])
    let name = try log.segments()[0]
    try log.change(name) { bytes in
      for index in 1024..<1536 { bytes[index] = 0 }
    }
    let cursor = try log.reader.cursor(after: heads[0])
    #expect(try cursor.nextBatch() == nil)
    #expect(cursor.torn?.sequence == 2)
  }
}
