import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// How often the folder of a log is listed does not grow with its segments.
@Suite(
  .promise(
    "However many segments a log has, opening and checking list its folder a few times",
    by: "how often the folder is listed"))
struct SegmentListingTests {
  @Test func openingListsTheFolderAFewTimes() throws {
    func listings(segments: Int) throws -> [Int] {
      var limits = LogLimits()
      limits.batches = 2
      let log = try ScratchLog(limits)
      let first = try log.writer()
      for number in 1...2 * segments { try ScratchLog.append(["event \(number)"], to: first) }
      first.close()
      #expect(try log.segments().count == segments)
      let files = ScriptedFileCalls()
      try log.writer(files: files).close()
      let reading = ScriptedFileCalls()
      let cursor = try EventLogReader(directory: log.path, files: reading).cursor(after: nil)
      var events: UInt64 = 0
      while let batch = try cursor.nextBatch() {
        events += batch.eventCount
        while try cursor.nextLines() != nil {}
      }
      #expect(events == UInt64(2 * segments))
      return [files, reading].map { $0.calls.count { $0.hasPrefix("names ") } }
    }
    let (few, many) = (try listings(segments: 3), try listings(segments: 12))
    #expect(few == many && many.allSatisfy { $0 > 0 })
  }

  /// A check reads every segment, with a cursor that passes over files that are one too many.
  @Test func checkingListsTheFolderAFewTimes() throws {
    func listings(segments: Int) throws -> Int {
      var limits = LogLimits()
      limits.batches = 2
      let log = try ScratchLog(limits)
      let first = try log.writer()
      for number in 1...2 * segments { try ScratchLog.append(["event \(number)"], to: first) }
      first.close()
      let files = ScriptedFileCalls()
      let report = try EventLogReader(directory: log.path, files: files).check()
      #expect(report.findings.isEmpty && report.head.sequence == UInt64(2 * segments))
      return files.calls.count { $0.hasPrefix("names ") }
    }
    let (few, many) = (try listings(segments: 3), try listings(segments: 12))
    #expect(few == many && many > 0, "\(few), \(many)")
  }
}
