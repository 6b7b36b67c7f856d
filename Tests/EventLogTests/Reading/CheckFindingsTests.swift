import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "`check` names each damaged place, also after others, with the events that are missing"))
struct CheckFindingsTests {
  private static let limits: LogLimits = {
    var limits = LogLimits()
    limits.segment = 1
    return limits
  }()

  /// Five segments; the first four are sealed.
  private func log() throws -> (ScratchLog, segments: [String]) {
    let log = try ScratchLog(Self.limits)
    try log.append((1...5).map { ["event \($0)"] })
    return (log, try log.segments())
  }

  @Test func eachDamagedSegmentIsNamed() throws {
    let (log, segments) = try log()
    for index in [1, 3] { try log.change(segments[index]) { $0[$0.count / 2] ^= 1 } }
    let report = try log.reader.check()
    #expect(report.damage.map(\.sequence) == [2, 4])
    #expect(
      report.damage.compactMap { $0.file.map(LogFolder.fileName) } == [segments[1], segments[3]])
    #expect(report.damage.allSatisfy { $0.offset != nil && $0.isDamage })
    #expect(report.segments.map(\.events) == [1, 0, 1, 0, 1])
    #expect(report.head.sequence == 1)
  }

  @Test func aMissingSegmentIsNamedAndTheOthersAreRead() throws {
    let (log, segments) = try log()
    try RealFileCalls().unlink(log.path + "/" + segments[2])
    let report = try log.reader.check()
    #expect(report.damage.map(\.code) == [.damaged(.segments)])
    #expect(report.damage.first?.file.map(LogFolder.fileName) == segments[2])
    #expect(report.segments.map(\.events) == [1, 1, 1, 1])
  }

  @Test func aSegmentOfAnotherLogIsNamedEvenBehindDamage() throws {
    let (log, segments) = try log()
    try log.change(segments[3]) { $0[40] ^= 1 }
    let other = try EventLogWriter(
      directory: log.parent + "/other", logID: LogID(bytes: Array(repeating: 7, count: 16)),
      holder: "test", limits: Self.limits)
    for number in 1...5 { try ScratchLog.append(["event \(number)"], to: other) }
    other.close()
    try log.write(try log.bytes("../other/" + segments[4]), to: segments[4])
    let damage = try log.reader.check().damage
    #expect(damage.map(\.sequence) == [4, 5])
    #expect(damage.last?.code == .damaged(.logID))
  }

  @Test func segmentsSwappedBehindDamageAreNamed() throws {
    let (log, segments) = try log()
    try log.change(segments[0]) { $0[40] ^= 1 }
    let (one, two) = (try log.bytes(segments[2]), try log.bytes(segments[3]))
    try log.write(two, to: segments[2])
    try log.write(one, to: segments[3])
    #expect(try log.reader.check().damage.count >= 2)
  }

  @Test func everyDamagedBatchOfAnOpenSegmentIsNamed() throws {
    let log = try ScratchLog()
    try log.append((1...9).map { ["event \($0) a", "event \($0) b"] })
    let batches = try log.reader.delivered().batches
    let name = try #require(try log.segments().first)
    // A frame, a header, and two frames that stand behind each other.
    for (index, offset) in [(1, 150), (3, 40), (5, 150), (6, 150)] {
      try log.change(name) { $0[Int(batches[index].offset) + offset] ^= 1 }
    }
    let findings = try log.reader.check().findings
    #expect(findings.map(\.problem) == [.frameCRC, .headerCRC, .frameCRC, .frameCRC])
    #expect(findings.map(\.offset) == [1, 3, 5, 6].map { batches[$0].offset })
    #expect(findings.map(\.firstSequence) == [3, 7, 11, 11])
    #expect(findings.map(\.lastSequence) == [4, 8, 12, 14])
  }

  @Test func everyDamagedFrameOfASealedSegmentIsNamed() throws {
    var limits = LogLimits()
    limits.sealedFrame = 40
    let log = try ScratchLog(limits)
    try log.append((1...9).map { ["event \($0) and twenty more"] }, sealing: true)
    let batches = try log.reader.delivered().batches
    let name = try #require(try log.segments().first)
    #expect(Set(batches.map(\.offset)).count == 9)
    for index in [2, 7] { try log.change(name) { $0[Int(batches[index].offset) + 12] ^= 1 } }
    let report = try log.reader.check()
    #expect(report.findings.map(\.problem) == [.frameCRC, .frameCRC])
    #expect(report.findings.map(\.offset) == [2, 7].map { batches[$0].offset })
    #expect(report.findings.map(\.firstSequence) == [3, 8])
    #expect(report.findings.map(\.lastSequence) == [3, 8])
    #expect(report.segments.map(\.events) == [7])
  }

  @Test func aMissingEndIsOpen() throws {
    let log = try ScratchLog()
    try log.append((1...4).map { ["event \($0)"] })
    let batches = try log.reader.delivered().batches
    let name = try #require(try log.segments().first)
    try log.change(name) { $0[Int(batches[3].offset) + 40] ^= 1 }
    let finding = try #require(try log.reader.check().findings.first)
    #expect(finding.firstSequence == 4 && finding.lastSequence == nil)
    // The header is whole here, and tells.
    try log.change(name) { $0[Int(batches[3].offset) + 40] ^= 1 }
    try log.change(name) { $0[Int(batches[3].offset) + 150] ^= 1 }
    let other = try #require(try log.reader.check().findings.first)
    #expect(other.firstSequence == 4 && other.lastSequence == 4)
  }

  @Test func aWholeLogHasNone() throws {
    let (log, _) = try log()
    let report = try log.reader.check()
    #expect(report.damage.isEmpty && report.torn == nil)
    #expect(report.head == (try log.reader.head()))
    #expect(report.segments.map(\.isSealed) == [true, true, true, true, false])
  }
}
