import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "Only an interrupted write is repaired, and its bytes are kept",
    by: "every sector of 512 bytes and of 4 KiB"),
  .promise("No changed bit of a log passes", by: "zeroed sectors"))
struct ZeroTests {
  /// A sector that never reached the disk can only be one of the last write.
  @Test(arguments: [512, 4096])
  func zeroedSectorsAreTornInTheLastBatchAlone(_ size: Int) throws {
    var generator = SeededGenerator("zero \(size)")
    let log = try LogFixture()
    let writer = try log.writer()
    for _ in 0..<6 {
      let lines = (0..<40).map { _ in Lines.line(200, from: &generator) }
      try log.append(lines, to: writer)
    }
    writer.close()
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    let last = Int(try #require(try log.reader.delivered().batches.last).offset)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let end = min(start + size, bytes.count)
      var changed = bytes
      for index in start..<end { changed[index] = 0 }
      try log.write(changed, to: name)
      let first = (max(start, last) + 511) / 512 * 512
      let isTorn = start >= last && first + 512 <= end
      let verdict = try log.verdict("zeros from \(start)")
      #expect(verdict == (isTorn ? .torn : .damaged), "zeros from \(start)")
    }
  }

  /// Every aligned sector of a sealed segment of some pages, the last and shorter one too.
  @Test(arguments: [512, 4096])
  func zerosInASealedSegmentAreDamage(_ size: Int) throws {
    var generator = SeededGenerator("zero, sealed, \(size)")
    let log = try LogFixture()
    let writer = try log.writer()
    for _ in 0..<30 {
      try log.append((0..<8).map { _ in Lines.line(200, from: &generator) }, to: writer)
    }
    try writer.seal()
    writer.close()
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    #expect(bytes.count > 5 * 4096)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let end = min(start + size, bytes.count)
      var changed = bytes
      for index in start..<end { changed[index] = 0 }
      try log.write(changed, to: name)
      #expect(try log.verdict("zeros from \(start)") == .damaged, "seed \(generator.seed)")
    }
    try log.write(bytes, to: name)
    #expect(try log.verdict("the log as it was") == .whole)
  }

  /// Segments that another one follows were synced long ago, sealed or not.
  @Test(arguments: [512, 4096], [ShapedLog.Shape.segments, .sealedSegments])
  func zerosBeforeTheLastSegmentAreDamage(_ size: Int, _ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("zero, \(shape), \(size)")
    let shaped = try ShapedLog(shape, batches: 200, size: 6_000, from: &generator)
    #expect(shaped.segments.count > 2)
    for segment in shaped.segments.dropLast() {
      for start in stride(from: 0, to: segment.bytes.count, by: size) {
        var changed = segment.bytes
        for index in start..<min(start + size, changed.count) { changed[index] = 0 }
        try shaped.log.write(changed, to: segment.name)
        let what = "\(shape), seed \(generator.seed), \(segment.name), zeros from \(start)"
        #expect(try shaped.log.verdict(what, isEarlier: true) == .damaged, "\(what)")
      }
      try shaped.log.write(segment.bytes, to: segment.name)
    }
  }

  @Test func aZeroedSectorBeforeAKnownHeadIsDamage() throws {
    var generator = SeededGenerator(seed: 32)
    let log = try LogFixture()
    let writer = try log.writer()
    for _ in 0..<2 { try log.append([Lines.line(4000, from: &generator)], to: writer) }
    writer.close()
    let name = try #require(try log.segments().first)
    var bytes = try log.bytes(name)
    for index in bytes.count / 512 * 512 - 512..<bytes.count / 512 * 512 { bytes[index] = 0 }
    try log.write(bytes, to: name)
    let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [log.head]) }
    #expect(error?.code == .lostEvents)
    #expect(try log.bytes(name) == bytes)
    // The reader that goes on behind the first batch sees the same torn tail as one from the start.
    #expect(try log.reader.delivered(after: log.heads[1]).torn != nil)
    #expect(try log.writer().recovery != nil)
  }
}
