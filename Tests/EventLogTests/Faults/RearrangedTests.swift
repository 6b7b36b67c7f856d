import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "No changed bit of a log passes",
    by: "batches and segments deleted, doubled, swapped in all pairs, taken from another log"))
struct RearrangedTests {
  /// The file ends before the batch does, as after a crash; but a whole batch stands behind.
  @Test func aBatchThatLostBytesBeforeAWholeOneIsNoTornTail() throws {
    var generator = SeededGenerator(seed: 52)
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Array("one".utf8)], to: writer)
    // Noise in hex is half as long compressed: much longer than the batch behind it.
    let noise = generator.bytes(8_000).map { Array("\($0)".utf8) }.flatMap(\.self)
    try log.append([noise], to: writer)
    try log.append([Array("three".utf8)], to: writer)
    writer.close()
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    let batches = try log.reader.delivered().batches
    let start = Int(batches[1].offset) + BatchHeader.fixedLength + BatchHeader.entryLength
    let last = Int(batches[2].storedLength ?? 0)
    for lost in [1, last - 1, last, last + 1, 1_000] {
      var changed = bytes
      changed.removeSubrange(start + 50..<start + 50 + lost)
      try log.write(changed, to: name)
      #expect(try log.verdict("\(lost) bytes lost") == .damaged)
    }
  }

  /// What looks like an interrupted write is none where another segment follows.
  @Test func aSegmentThatIsCutShortBeforeAnotherIsNamedAsThat() throws {
    var limits = LogLimits.standard
    limits.batches = 2
    let log = try LogFixture(limits)
    let files = FaultyFileCalls()
    // Sealing fails, so that the segment before the last stays open.
    files.set(FaultyFileCalls.Fault(.rename, errno: 5, isForEver: true))
    let writer = try log.writer(files: files)
    for text in ["one", "two", "three"] { try log.append([Array(text.utf8)], to: writer) }
    writer.close()
    let names = try log.segments()
    #expect(names.count == 2)
    try log.write(log.bytes(names[0]).dropLast(3), to: names[0])
    let read = try log.reader.delivered()
    #expect(read.error?.code == .damaged(.incomplete))
    #expect(read.error?.message.contains(names[0]) == true)
    #expect(try log.verdict("a segment cut short") == .damaged)
  }

  @Test func batchesThatAreDeletedSwappedOrDoubledAreFound() throws {
    var generator = SeededGenerator(seed: 51)
    let log = try LogFixture()
    try log.fill(8, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    var batches = try log.reader.delivered().batches.map {
      Array(bytes[Int($0.offset)..<Int($0.offset + ($0.storedLength ?? 0))])
    }
    let whole = batches
    func expectDamage(_ what: String) throws {
      try log.write(batches.flatMap(\.self), to: name)
      #expect(try log.verdict(what) == .damaged, "\(what)")
      batches = whole
    }
    for index in whole.indices {
      if index < whole.count - 1 {
        batches.remove(at: index)
        try expectDamage("without batch \(index)")
        for other in index + 1..<whole.count {
          batches.swapAt(index, other)
          try expectDamage("batches \(index) and \(other) swapped")
        }
      }
      batches.insert(whole[index], at: index)
      try expectDamage("batch \(index) twice")
      batches.append(whole[index])
      try expectDamage("batch \(index) again at the end")
    }
    let other = try LogFixture()
    let writer = try EventLogWriter(
      directory: other.path, logID: LogID(bytes: Array(repeating: 9, count: 16)), holder: "a test")
    for lines in log.batches { _ = try writer.append(lines, after: writer.head) }
    // In the place of each batch, and behind the last one.
    let foreign = try other.reader.delivered().batches
    let foreignBytes = try other.bytes(name)
    for (index, batch) in foreign.enumerated() {
      let stored = Array(
        foreignBytes[Int(batch.offset)..<Int(batch.offset + (batch.storedLength ?? 0))])
      // The first batch alone tells which log it is; `aFirstBatchOfAnotherLogIsFound` has that.
      if index > 0, index < whole.count {
        batches[index] = stored
        try expectDamage("a batch of another log in the place of \(index)")
      }
      batches.append(stored)
      try expectDamage("batch \(index) of another log at the end")
    }
  }

  /// It is given out, as the beginning of its own log; what follows is not.
  @Test func aFirstBatchOfAnotherLogIsFound() throws {
    var generator = SeededGenerator("first batch")
    let log = try LogFixture()
    let writer = try log.writer()
    for _ in 0..<4 { try log.append([Lines.line(20, from: &generator)], to: writer) }
    writer.close()
    let name = LogFolder.name(1)
    let bytes = try log.bytes(name)
    let end = Int(try #require(try log.reader.delivered().batches.first?.storedLength))
    for id in [LogFixture.id, LogID(bytes: Array(repeating: 9, count: 16))] {
      let other = try LogFixture()
      let writer = try EventLogWriter(directory: other.path, logID: id, holder: "a test")
      _ = try writer.append([Lines.line(21, from: &generator)], after: writer.head)
      writer.close()
      try log.write(try other.bytes(name) + bytes[end...], to: name)
      let read = try log.reader.delivered()
      #expect(read.error?.isDamage == true && read.batches.count == 1)
      #expect(try log.reader.check().damage.count == 1)
      #expect(throws: EventLogError.self) { try log.writer() }
      #expect(try log.reader.delivered(after: log.heads[1]).error?.code == .lostEvents)
    }
  }

  /// The same log id and sequences, other events: only the chain tells.
  @Test func aBatchOfAnotherHistoryOfTheSameLogIsFound() throws {
    let logs = try ["a", "b"].map { text in
      let log = try LogFixture()
      let writer = try log.writer()
      for index in 0..<5 { try log.append([Array("\(text)\(index)".utf8)], to: writer) }
      return log
    }
    let name = LogFolder.name(1)
    let batches = try logs.map { log in
      let bytes = try log.bytes(name)
      return try log.reader.delivered().batches.map {
        Array(bytes[Int($0.offset)..<Int($0.offset + ($0.storedLength ?? 0))])
      }
    }
    for index in 1..<5 {
      var spliced = batches[0]
      spliced[index] = batches[1][index]
      try logs[0].write(spliced.flatMap(\.self), to: name)
      #expect(try logs[0].verdict("batch \(index)") == .damaged)
    }
  }

  /// The last batch gone without a trace: only who knew the head can tell.
  @Test func aLostLastBatchIsFoundByItsHead() throws {
    var generator = SeededGenerator(seed: 52)
    let log = try LogFixture()
    try log.fill(4, from: &generator)
    let name = try #require(try log.segments().first)
    let last = try #require(try log.reader.delivered().batches.last)
    try log.write(Array(try log.bytes(name)[..<Int(last.offset)]), to: name)
    #expect(try log.verdict("cut") == .whole)
    #expect(try log.reader.delivered(after: log.head).error?.code == .lostEvents)
    let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [log.head]) }
    #expect(error?.code == .lostEvents)
    let writer = try log.writer()
    _ = try writer.append([Lines.line(9, from: &generator)], after: writer.head)
    writer.close()
    // Other events stand in their place now, with as many sequences or more.
    #expect(throws: EventLogError.self) { try log.writer(knownHeads: [log.head]) }
  }

  /// Each segment deleted, each in the place of each other, each pair swapped.
  @Test(arguments: [ShapedLog.Shape.segments, .sealedSegments])
  func segmentsThatAreDeletedSwappedOrDoubledAreFound(_ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("rearranged, \(shape)")
    let shaped = try ShapedLog(shape, batches: 20, from: &generator)
    let (log, segments) = (shaped.log, shaped.segments)
    #expect(segments.count > 3)
    for (index, segment) in segments.enumerated() {
      if index < segments.count - 1 {
        try log.remove(segment.name)
        #expect(try log.verdict("without segment \(index)") == .damaged)
        try shaped.restore()
      }
      for (place, other) in segments.enumerated() where place != index {
        try log.write(segment.bytes, to: other.name)
        #expect(try log.verdict("segment \(index) in the place of \(place)") == .damaged)
        try log.write(other.bytes, to: segment.name)
        #expect(try log.verdict("segments \(index) and \(place) swapped") == .damaged)
        try shaped.restore()
      }
      // A second time, behind the end: under the name that is due there.
      try log.write(segment.bytes, to: LogFolder.name(log.head.sequence + 1))
      #expect(try log.verdict("segment \(index) twice") == .damaged)
      try shaped.restore()
    }
    try log.write(segments[0].bytes, to: LogFolder.name(0))
    #expect(try log.verdict("a segment of event 0") == .damaged)
    try log.remove(LogFolder.name(0))
    #expect(try log.verdict("the log as it was") == .whole)
  }

  /// The last segment gone without a trace: only who knew the head can tell.
  @Test(arguments: [ShapedLog.Shape.segments, .sealedSegments])
  func aLostLastSegmentIsFoundByItsHead(_ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("last segment, \(shape)")
    let shaped = try ShapedLog(shape, batches: 20, from: &generator)
    let log = shaped.log
    let last = try #require(shaped.segments.last)
    try log.remove(last.name)
    #expect(try log.verdict("without the last segment") == .whole)
    let error = #expect(throws: EventLogError.self) { try log.writer(knownHeads: [log.head]) }
    #expect(error?.code == .lostEvents)
    #expect(try log.reader.delivered(after: log.head).error?.code == .lostEvents)
  }

  /// Another log's segments with the same names, of another id and of the same one.
  @Test(
    arguments: [ShapedLog.Shape.segments, .sealedSegments],
    [LogFixture.id, LogID(bytes: Array(repeating: 9, count: 16))])
  func segmentsOfAnotherLogAreFound(_ shape: ShapedLog.Shape, _ id: LogID) throws {
    var generator = SeededGenerator("spliced, \(shape)")
    let shaped = try ShapedLog(shape, batches: 20, from: &generator)
    let log = shaped.log
    let other = try LogFixture(log.limits)
    let writer = try EventLogWriter(
      directory: other.path, logID: id, holder: "a test", limits: log.limits)
    for (index, lines) in log.batches.enumerated() {
      // As many events, so that segments begin where the others do; the first batch differs, and so
      // does every chain hash after it.
      let changed = index == 0 ? lines.map { $0.map { _ in UInt8(ascii: "z") } } : lines
      _ = try writer.append(changed, after: writer.head)
    }
    if shape == .sealedSegments { try writer.seal() }
    writer.close()
    #expect(try other.segments() == shaped.segments.map(\.name))
    for (index, segment) in shaped.segments.enumerated() {
      try log.write(try other.bytes(segment.name), to: segment.name)
      guard index > 0 else {
        // With another beginning it is another log, up to where the two do not fit. Who knows a head
        // of this one is told at once.
        #expect(try log.reader.delivered().error?.isDamage == true)
        #expect(try log.reader.check().damage.isEmpty == false)
        #expect(throws: EventLogError.self) { try log.writer() }
        #expect(try log.reader.delivered(after: log.heads[1]).error?.code == .lostEvents)
        #expect(try log.reader.delivered(after: log.heads[1]).batches.isEmpty)
        try log.write(segment.bytes, to: segment.name)
        continue
      }
      let what = "seed \(generator.seed), \(segment.name) of another log"
      #expect(try log.verdict(what) == .damaged, "\(what)")
      try log.write(segment.bytes, to: segment.name)
    }
    #expect(try log.verdict("the log as it was") == .whole)
  }
}
