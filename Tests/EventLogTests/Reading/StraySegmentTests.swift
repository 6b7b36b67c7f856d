import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Files with a segment's name that are one too many: who reads all of a log, who checks it and who writes to it say
/// the same of it.
@Suite(
  .promise(
    "A file that is one too many in a log's folder is damage to readers, writers and "
      + "`check` alike, and no event is called missing",
    by: "a copy, a link, a folder, another log's segment, text"))
struct StraySegmentTests {
  private static let limits: LogLimits = {
    var limits = LogLimits()
    limits.batches = 2
    return limits
  }()

  enum Content: String, CaseIterable, CustomStringConvertible {
    case copyOfFirst, copyOfSecond, copyOfLast, link, hardLink, folder, empty, text, otherLog

    var description: String { rawValue }
  }

  /// Segments of events 1 to 4, 5 to 8 and 9 to 12.
  private func log(isSealed: Bool) throws -> ScratchLog {
    let log = try ScratchLog(Self.limits)
    try log.append(
      (0..<6).map { ["event \(2 * $0 + 1)", "event \(2 * $0 + 2)"] }, sealing: isSealed)
    #expect(try log.segments() == [1, 5, 9].map(LogFolder.name))
    return log
  }

  private func put(_ content: Content, at path: String, in log: ScratchLog) throws {
    func segment(_ first: UInt64) -> String { log.path + "/" + LogFolder.name(first) }
    let files = FileManager.default
    switch content {
    case .copyOfFirst: try files.copyItem(atPath: segment(1), toPath: path)
    case .copyOfSecond: try files.copyItem(atPath: segment(5), toPath: path)
    case .copyOfLast: try files.copyItem(atPath: segment(9), toPath: path)
    case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: segment(1))
    case .hardLink: try files.linkItem(atPath: segment(5), toPath: path)
    case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .empty: try Data().write(to: URL(filePath: path))
    case .text: try Data("no segment\n".utf8).write(to: URL(filePath: path))
    case .otherLog:
      let folder = try ScratchFolder()
      let other = try EventLogWriter(
        directory: folder.path, logID: LogID(bytes: Array(0x30..<0x40)), holder: "test",
        limits: Self.limits)
      for number in 0..<6 { try ScratchLog.append(["other \(number)", "more"], to: other) }
      try other.seal()
      other.close()
      try files.copyItem(atPath: "\(folder.path)/\(LogFolder.name(5))", toPath: path)
    }
  }

  /// Beside every segment, behind the last one, and far away.
  @Test(arguments: Content.allCases, [true, false])
  func aFileThatIsOneTooManyIsDamageToAll(content: Content, isSealed: Bool) throws {
    for number: UInt64 in [2, 4, 6, 8, 10, 12, 13, 900] {
      let log = try log(isSealed: isSealed)
      let name = LogFolder.name(number)
      try put(content, at: log.path + "/" + name, in: log)
      let what: Comment = "\(content) as \(number)"
      let errors = [
        #expect(throws: EventLogError.self, what) { try readAll(log.reader.cursor()) },
        #expect(throws: EventLogError.self, what) {
          try readAll(log.reader.cursor(decodesAhead: true))
        },
        #expect(throws: EventLogError.self, what) { try log.writer() },
        try log.reader.check().damage.first,
      ]
      // Of a file that cannot be read and stands where the log goes on nobody knows whether it is too many.
      let isKnown = number < 13 || ![.link, .folder, .empty, .text].contains(content)
      for error in errors {
        #expect(error?.isDamage == true, "\(what): \(error as Any)")
        guard isKnown else { continue }
        #expect(error?.file?.hasSuffix(name) == true, "\(what): \(error as Any)")
        #expect(error?.message.contains("missing") == false, "\(what): \(error as Any)")
      }
      let findings = try log.reader.check().findings
      if isKnown { #expect(findings.allSatisfy { $0.firstSequence == nil }, "\(what)") }
    }
  }

  @Test func aSegmentThatIsMissingIsStillSaidToBe() throws {
    let log = try log(isSealed: true)
    try FileManager.default.removeItem(atPath: log.path + "/" + LogFolder.name(5))
    let error = #expect(throws: EventLogError.self) { try readAll(log.reader.cursor()) }
    #expect(error?.code == .damaged(.segments))
    #expect(error?.message.contains("the segment that begins with event 5 is missing") == true)
    #expect(try log.reader.check().findings.first?.firstSequence == 5)
  }

  private func readAll(_ cursor: LogCursor) throws {
    while try cursor.nextBatch() != nil {
      while try cursor.nextLines() != nil {}
    }
  }
}
