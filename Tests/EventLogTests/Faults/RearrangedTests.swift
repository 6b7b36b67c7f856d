import CatalogTestSupport
import Testing

@testable import EventLog

@Suite struct RearrangedTests {
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
        batches.swapAt(index, index + 1)
        try expectDamage("batches \(index) and \(index + 1) swapped")
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
    let foreign = try other.reader.delivered().batches[3]
    let foreignBytes = try other.bytes(name)
    batches[3] = Array(
      foreignBytes[Int(foreign.offset)..<Int(foreign.offset + (foreign.storedLength ?? 0))])
    try expectDamage("a batch of another log")
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

  @Test(arguments: [false, true])
  func segmentsThatAreDeletedOrSwappedAreFound(_ sealing: Bool) throws {
    var generator = SeededGenerator(seed: 53)
    let log = try LogFixture(RoundTripTests.small(segment: 300))
    try log.fill(20, sealing: sealing, from: &generator)
    let names = try log.segments()
    #expect(names.count > 3)
    let contents = try names.map { try log.bytes($0) }
    func restore() throws {
      for (name, bytes) in zip(names, contents) { try log.write(bytes, to: name) }
    }
    for index in names.indices.dropLast() {
      try log.remove(names[index])
      #expect(try log.verdict("without segment \(index)") == .damaged)
      try restore()
      try log.write(contents[index], to: names[index + 1])
      #expect(try log.verdict("segment \(index) twice") == .damaged)
      try log.write(contents[index + 1], to: names[index])
      #expect(try log.verdict("segments \(index) and \(index + 1) swapped") == .damaged)
      try restore()
    }
    try log.write(contents[0], to: LogFolder.name(0))
    #expect(try log.verdict("a segment of event 0") == .damaged)
    try log.remove(LogFolder.name(0))
    #expect(try log.verdict("the log as it was") == .whole)
  }
}
