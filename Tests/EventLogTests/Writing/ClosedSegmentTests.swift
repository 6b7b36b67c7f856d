import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "A full segment is closed and sealed while its writer does other things; no event is "
      + "lost, and readers see complete batches",
    by: "many batches, a segment of an earlier release"))
struct ClosedSegmentTests {
  /// A walk to the log's end reads the headers of the open segment: there are not many of them, however small the
  /// changes are.
  @Test func aSegmentOfManyBatchesIsClosed() throws {
    var generator = SeededGenerator("closed segments")
    var limits = LogLimits.standard
    limits.openBatches = 3
    let log = try LogFixture(limits)
    for count in [7, 1, 1] { try log.fill(count, from: &generator) }
    #expect(try log.segments().count == 3)
    #expect(try log.reader.delivered().lines == log.batches)
    #expect(LogLimits.standard.openBatches < LogLimits.standard.batches)
  }

  /// Earlier releases left more batches in a segment. It is read, and closed at the next change.
  @Test func aLongSegmentOfAnEarlierReleaseIsClosed() throws {
    var generator = SeededGenerator("long segments")
    let log = try LogFixture()
    try log.fill(20, from: &generator)
    #expect(try log.segments().count == 1)
    log.limits.openBatches = 3
    #expect(try log.reader.head() == log.head)
    try log.fill(1, from: &generator)
    #expect(try log.segments().count == 2)
    #expect(try log.reader.delivered().lines == log.batches)
    #expect(try log.reader.check().damage.isEmpty)
  }
}
