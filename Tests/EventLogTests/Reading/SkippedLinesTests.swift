import CatalogTestSupport
import Testing

@testable import EventLog

/// The middle of a long batch is found without its beginning, wherever it is.
@Suite struct SkippedLinesTests {
  /// A line that begins with its sequence, as events do, and a log's limits that make a batch of many frames.
  private static func line(_ sequence: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    Array("\(sequence):".utf8) + Lines.line(generator.below(200), from: &generator)
  }

  private static func sequence(_ line: UnsafeRawBufferPointer) -> UInt64? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return UInt64(String(decoding: line[..<colon], as: UTF8.self))
  }

  private static func log(sealed: Bool, seed: UInt64) throws -> LogFixture {
    var generator = SeededGenerator(seed: seed)
    var limits = LogLimits()
    limits.frame = 700
    limits.sealedFrame = 900
    limits.segment = 1 << 20
    let log = try LogFixture(limits)
    let writer = try log.writer()
    var next = 1
    for count in [1, 120, 3] {
      let lines = (0..<count).map { Self.line(next + $0, &generator) }
      next += count
      try log.append(lines, to: writer)
    }
    if sealed { try writer.seal() }
    writer.close()
    return log
  }

  @Test(arguments: [(true, false), (false, false), (true, true)], [101, 102, 103] as [UInt64])
  func whatIsGivenIsTheEndOfTheBatch(
    _ kind: (sealed: Bool, readsParts: Bool), seed: UInt64
  ) throws {
    let log = try Self.log(sealed: kind.sealed, seed: seed)
    let lines = log.batches[1]
    var skipped = 0
    for target in 2...121 as ClosedRange<UInt64> {
      let cursor = try log.reader.cursor(readsParts: kind.readsParts)
      _ = try cursor.nextBatch()
      let batch = try #require(try cursor.nextBatch())
      #expect(batch.firstSequence == 2 && batch.lastSequence == 121)
      let isPart = try cursor.skipLines(before: target, Self.sequence)
      var given: [[UInt8]] = []
      var first: UInt64?
      while let block = try cursor.nextLines() {
        if first == nil { first = block.firstSequence }
        given += block.bytes.split(separator: 0x0A).map { Array($0) }
      }
      let begin = try #require(first)
      #expect(begin <= target && (isPart || begin == 2))
      #expect(given == Array(lines[Int(begin - 2)...]), "before \(target)")
      if isPart { skipped += Int(begin - 2) }
      // And on with the next batch.
      #expect(try cursor.nextBatch()?.firstSequence == 122)
    }
    // Half of the lines, all in all, but for those of the frame that each target lies in.
    #expect(skipped > 120 * 120 / 3, "\(skipped)")
  }

  @Test(arguments: [true, false])
  func aLineThatSaysAnotherNumberMisleadsNobody(sealed: Bool) throws {
    let log = try Self.log(sealed: sealed, seed: 104)
    for wrong in [0, 1] as [UInt64] {
      let cursor = try log.reader.cursor()
      _ = try cursor.nextBatch()
      _ = try cursor.nextBatch()
      let error = #expect(throws: EventLogError.self) {
        try cursor.skipLines(before: 100) { _ in wrong }
      }
      #expect(error?.isDamage == true)
    }
    // What says nothing, or a number beyond the one that is looked for, is passed over by nobody.
    for wrong in [nil, 5_000] as [UInt64?] {
      let cursor = try log.reader.cursor()
      _ = try cursor.nextBatch()
      _ = try cursor.nextBatch()
      #expect(try !cursor.skipLines(before: 100) { _ in wrong })
      var count = 0
      while let block = try cursor.nextLines() { count += block.lineCount }
      #expect(count == 120)
    }
  }

  @Test(arguments: [(true, false), (false, false), (true, true)])
  func aDamagedFrameIsDamage(_ kind: (sealed: Bool, readsParts: Bool)) throws {
    let log = try Self.log(sealed: kind.sealed, seed: 105)
    let name = try #require(try log.segments().first)
    var bytes = try log.bytes(name)
    bytes[bytes.count * 2 / 3] ^= 1
    try log.write(bytes, to: name)
    let error = #expect(throws: EventLogError.self) {
      let cursor = try log.reader.cursor(readsParts: kind.readsParts)
      while try cursor.nextBatch() != nil {
        try cursor.skipLines(before: 90, Self.sequence)
        while try cursor.nextLines() != nil {}
      }
    }
    #expect(error?.isDamage == true)
  }

  /// A reader of parts is given the batch before its bytes are checked, and none of its lines: those of frames that it
  /// passed over it does not learn about.
  @Test func aReaderOfPartsLearnsOfDamageByTheLines() throws {
    let log = try Self.log(sealed: true, seed: 106)
    let name = try #require(try log.segments().first)
    let whole = try log.bytes(name)
    for place in stride(from: whole.count / 4, to: whole.count * 3 / 4, by: 37) {
      var bytes = whole
      bytes[place] ^= 1
      try log.write(bytes, to: name)
      let strict = try log.reader.cursor()
      _ = try strict.nextBatch()
      guard (try? strict.nextBatch()) == nil else { continue }
      let cursor = try log.reader.cursor(readsParts: true)
      _ = try cursor.nextBatch()
      _ = try #require(try cursor.nextBatch())
      let error = #expect(throws: EventLogError.self) { _ = try cursor.nextLines() }
      #expect(error?.isDamage == true)
      // What it says near the end is right, or it is damage: never another line.
      let skipping = try log.reader.cursor(readsParts: true)
      _ = try skipping.nextBatch()
      _ = try skipping.nextBatch()
      do {
        try skipping.skipLines(before: 115, Self.sequence)
        while let block = try skipping.nextLines() {
          var sequence = block.firstSequence
          for line in block.bytes.split(separator: 0x0A) {
            #expect(Array(line) == log.batches[1][Int(sequence - 2)])
            sequence += 1
          }
        }
      } catch let error as EventLogError {
        #expect(error.isDamage)
      }
    }
  }
}
