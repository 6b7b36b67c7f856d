import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// A segment whose file is not called by its first event.
@Suite(
  .promise(
    "A segment that is not named by its first event is a finding, open or sealed, under "
      + "any other number"))
struct SegmentNameTests {
  /// Three sealed segments and an open one, of two batches each.
  private static let limits: LogLimits = {
    var limits = LogLimits()
    limits.batches = 2
    return limits
  }()

  private func log() throws -> ScratchLog {
    let log = try ScratchLog(Self.limits)
    try log.append((0..<8).map { ["event \(2 * $0 + 1)", "event \(2 * $0 + 2)"] })
    return log
  }

  /// Every segment under every number that is free, below its own and above.
  @Test func everyOtherNameIsAFinding() throws {
    let log = try log()
    let segments = try log.segments()
    #expect(segments == [1, 5, 9, 13].map(LogFolder.name))
    let head = try #require(try log.reader.head())
    for name in segments {
      for number in Array(1...20) + [UInt64.max] where !segments.contains(LogFolder.name(number)) {
        let other = LogFolder.name(number)
        let what = "\(name) as \(other)"
        try RealFileCalls().rename(log.path + "/" + name, to: log.path + "/" + other)
        let findings = try log.reader.check().findings
        #expect(findings.contains { $0.file.hasSuffix(other) }, "\(what): \(findings)")
        #expect(findings.contains { $0.properName == name }, "\(what): \(findings)")
        // Each event is there, whatever its file is called.
        #expect(findings.allSatisfy { $0.firstSequence == nil }, "\(what): \(findings)")
        let salvage = try log.reader.salvage()
        #expect(salvage.prefix == head && salvage.missing.isEmpty, "\(what)")
        let refused = #expect(throws: EventLogError.self, "\(what)") { try log.writer() }
        #expect(refused?.isDamage == true, "\(what): \(refused as Any)")
        // Where the log ends, its last file alone tells.
        if number > (name == segments.last ? 9 : 13) {
          let error = #expect(throws: EventLogError.self, "\(what)") { try log.reader.head() }
          #expect(error?.code == .damaged(.name), "\(what): \(error as Any)")
        }
        try RealFileCalls().rename(log.path + "/" + other, to: log.path + "/" + name)
      }
    }
    #expect(try log.reader.check().findings.isEmpty)
  }

  @Test func theNameThatItShouldHaveIsSaid() throws {
    let log = try log()
    let name = LogFolder.name(13)
    let other = LogFolder.name(7)
    try RealFileCalls().rename(log.path + "/" + name, to: log.path + "/" + other)
    let finding = try #require(try log.reader.check().findings.first)
    #expect(finding.problem == .name && finding.offset == 0)
    #expect(finding.error.message.contains("its name should be \(name)"), "\(finding.error)")
  }
}
