import CatalogTestSupport
import Testing

@testable import EventLog

/// How often the folder of a log is listed does not grow with its segments.
@Suite struct SegmentListingTests {
  @Test func openingListsTheFolderAFewTimes() throws {
    func listings(segments: Int) throws -> Int {
      var limits = LogLimits()
      limits.batches = 2
      let log = try ScratchLog(limits)
      let first = try log.writer()
      for number in 1...2 * segments { try ScratchLog.append(["event \(number)"], to: first) }
      first.close()
      #expect(try log.segments().count == segments)
      let files = ScriptedFileCalls()
      try log.writer(files: files).close()
      return files.calls.count { $0.hasPrefix("names ") }
    }
    let (few, many) = (try listings(segments: 3), try listings(segments: 12))
    #expect(few == many && many > 0)
  }
}
