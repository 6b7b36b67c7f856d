import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "Hostile bytes are refused before memory is allocated for them",
    by: "a line over the limit"))
struct LongLineTests {
  /// A reader with a smaller limit stands in for a line of over 64 MiB.
  @Test(arguments: [false, true])
  func aLineOverTheLimitIsDamageWithItsPlace(_ sealing: Bool) throws {
    var limits = LogLimits()
    limits.frame = 64
    limits.sealedFrame = 128
    let log = try ScratchLog(limits)
    try log.append([["one"], [String(repeating: "long", count: 200)]], sealing: sealing)
    limits.line = 200
    let cursor = try EventLogReader(directory: log.path, limits: limits).cursor()
    #expect(try cursor.nextLinesOfBatch() == ["one"])
    let error = #expect(throws: EventLogError.self) { try cursor.nextLinesOfBatch() }
    #expect(error?.isDamage == true)
    #expect(error?.file?.hasSuffix(".jsonl.zst") == true)
    #expect(error?.sequence == 2)
    #expect(error?.offset != nil)
  }
}
