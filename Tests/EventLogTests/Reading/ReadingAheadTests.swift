import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

/// Many batches at once, and frames that another thread decodes, give what batch after batch in one thread gives:
/// the same lines, the same errors.
@Suite(
  .promise(
    "Reading ahead on other threads, and many batches at once, give what batch after batch "
      + "in one thread gives, errors too",
    by: "generated logs of every shape, damage, ways of reading that change at any batch"))
struct ReadingAheadTests {
  /// Reads all there is, by blocks of batches if there are any.
  private static func ahead(
    _ log: LogFixture, length: Int, decodesAhead: Bool = true, after head: LogHead? = nil
  ) throws -> Delivered {
    let cursor = try log.reader.cursor(after: head, decodesAhead: decodesAhead)
    var delivered = try Delivered(EventLogReader(directory: "/nonexistent").cursor())
    do {
      while true {
        if let block = try cursor.nextBatches(length: length) {
          delivered.rest = []
          var start = 0
          for batch in block.batches {
            let end = start + Int(batch.plainLength)
            delivered.batches.append(batch)
            delivered.lines.append(
              lines(UnsafeRawBufferPointer(rebasing: block.bytes[start..<end])))
            start = end
          }
          #expect(start == block.bytes.count && !block.batches.isEmpty && start <= length)
          continue
        }
        guard let batch = try cursor.nextBatch() else { break }
        delivered.rest = []
        while let block = try cursor.nextLines() { delivered.rest += lines(block.bytes) }
        delivered.batches.append(batch)
        delivered.lines.append(delivered.rest)
        delivered.rest = []
      }
      delivered.torn = cursor.torn
    } catch let error as EventLogError {
      delivered.error = error
    }
    return delivered
  }

  private static func lines(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    bytes.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
  }

  private static func expectEqual(
    _ ahead: Delivered, _ plain: Delivered, _ what: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(ahead.batches == plain.batches, "\(what)", sourceLocation: location)
    #expect(ahead.lines == plain.lines, "\(what)", sourceLocation: location)
    #expect(ahead.rest == plain.rest, "\(what)", sourceLocation: location)
    #expect(ahead.torn == plain.torn, "\(what)", sourceLocation: location)
    #expect(
      ahead.error.map { "\($0)" } == plain.error.map { "\($0)" }, "\(what)",
      sourceLocation: location)
  }

  /// Batches of a line, batches that fill frames of their own, open and sealed segments.
  private static func log(_ generator: inout SeededGenerator) throws -> LogFixture {
    let log = try LogFixture(RoundTripTests.small(segment: 4_000))
    let writer = try log.writer()
    defer { writer.close() }
    for _ in 0..<120 {
      switch generator.below(12) {
      case 0: try writer.seal()
      case 1: try log.append((0..<40).map { _ in Lines.line(30, from: &generator) }, to: writer)
      default: try log.append(Lines.batch(from: &generator), to: writer)
      }
    }
    if generator.below(2) == 0 { try writer.seal() }
    if let failure = writer.sealingFailure { throw failure }
    return log
  }

  @Test(arguments: 1...6)
  func givesWhatBatchAfterBatchGives(_ round: Int) throws {
    var generator = SeededGenerator("ahead \(round)")
    let log = try Self.log(&generator)
    let plain = try log.reader.delivered()
    #expect(plain.lines == log.batches)
    for length in [1, 50, 300, 1 << 20] {
      for decodesAhead in [false, true] {
        Self.expectEqual(
          try Self.ahead(log, length: length, decodesAhead: decodesAhead), plain,
          "seed \(generator.seed), \(length) bytes")
      }
    }
    for head in log.heads {
      Self.expectEqual(
        try Self.ahead(log, length: 200, after: head), try log.reader.delivered(after: head),
        "seed \(generator.seed), after \(head.sequence)")
    }
  }

  /// Blocks, batches, batches that are passed over, and cursors that are left: in any order.
  @Test(arguments: 1...6)
  func waysOfReadingMayChangeAtAnyBatch(_ round: Int) throws {
    var generator = SeededGenerator("ways \(round)")
    let log = try Self.log(&generator)
    for _ in 0..<30 {
      let cursor = try log.reader.cursor(decodesAhead: true)
      var place = 0
      let stop = generator.below(log.batches.count + 1)
      while place < stop {
        if generator.below(2) == 0,
          let block = try cursor.nextBatches(length: 1 + generator.below(500))
        {
          #expect(
            Self.lines(block.bytes)
              == log.batches[place..<place + block.batches.count].flatMap { $0 })
          place += block.batches.count
          #expect(block.batches.last?.head == log.heads[place])
          continue
        }
        let batch = try #require(try cursor.nextBatch())
        if generator.below(3) > 0 {
          var lines: [[UInt8]] = []
          while let block = try cursor.nextLines() { lines += Self.lines(block.bytes) }
          #expect(lines == log.batches[place], "seed \(generator.seed)")
        }
        place += 1
        #expect(batch.head == log.heads[place], "seed \(generator.seed)")
      }
    }
  }

  @Test(arguments: ShapedLog.Shape.allCases)
  func damageEndsBothAlike(_ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("ahead of damage, \(shape)")
    let shaped = try ShapedLog(shape, batches: 30, size: 3_000, from: &generator)
    for segment in shaped.segments {
      for _ in 0..<150 {
        var bytes = segment.bytes
        let place = generator.below(bytes.count)
        if generator.below(6) == 0 {
          bytes.removeLast(bytes.count - place)
        } else {
          bytes[place] ^= 1 << UInt8(generator.below(8))
        }
        try shaped.log.write(bytes, to: segment.name)
        Self.expectEqual(
          try Self.ahead(shaped.log, length: 100), try shaped.log.reader.delivered(),
          "seed \(generator.seed), byte \(place) of \(segment.name)")
      }
      try shaped.log.write(segment.bytes, to: segment.name)
    }
  }

  /// Checksums and chain hashes fit, and the batch table does not say how many lines a batch has.
  @Test(arguments: [
    ["one\n", "two\nthree\n", "four\n"], ["one\n", "two", "\nfour\n"], ["one\ntwo\n"],
    ["one\n", "two\n", "three"], ["one\n", "two\nth", "ree\n"], ["one\n", "\n", "\n\n"],
  ])
  func aForgedNumberOfLinesIsRefusedAlike(_ texts: [String]) throws {
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Array("zero".utf8)], to: writer)
    try writer.seal()
    writer.close()
    var head = log.head
    let plain = Array(texts.joined().utf8)
    var stored: [UInt8] = []
    _ = try plain.withUnsafeBytes {
      try ZstdCompressor(level: ZstdCompressor.sealLevel).append($0, to: &stored)
    }
    for text in texts {
      var hasher = ChainHasher(previous: head.chain, firstSequence: head.sequence + 1)
      Array(text.utf8).withUnsafeBytes { hasher.add($0) }
      // Of each batch the table says that it holds one event.
      head = LogHead(sequence: head.sequence + 1, chain: hasher.finish(eventCount: 1))
    }
    let entry = FrameEntry(
      storedLength: UInt32(stored.count), plainLength: UInt32(plain.count), crc: CRC32.of(stored))
    var header = SealHeader(
      logID: LogFixture.id, firstSequence: log.head.sequence + 1,
      eventCount: UInt64(texts.count), plainLength: UInt64(plain.count),
      previousChain: log.head.chain, chain: head.chain,
      frames: [.init(entry: entry, batchesEnded: UInt32(texts.count), chain: head.chain)],
      batches: texts.map { .init(eventCount: 1, plainLength: UInt64($0.utf8.count)) })
    let bytes = try header.encoded()
    header.length = bytes.count
    try log.write(
      bytes + stored + header.seekTable(), to: LogFolder.name(log.head.sequence + 1))
    let read = try log.reader.delivered()
    #expect(read.error?.code == .damaged(.eventCount))
    Self.expectEqual(try Self.ahead(log, length: 1 << 20), read, "\(texts)")
  }

  /// Every checksum fits, and the table of frames says another chain hash, or other batches, than a frame has: it
  /// is refused alike, and again when it is asked for again.
  @Test func aForgedTableOfFramesIsRefusedAlike() throws {
    var generator = SeededGenerator("forged tables")
    let log = try LogFixture(RoundTripTests.small(segment: 3_000))
    try log.fill(80, sealing: true, from: &generator)
    var count = 0
    for name in try log.segments() {
      let bytes = try log.bytes(name)
      let file = try LogFile(log.path + "/" + name, .read, RealFileCalls())
      let header = try SealHeader(file, firstSequence: nil, limits: log.limits)
      let frames = header.frames.reduce(0) { $0 + Int($1.entry.storedLength) }
      let data = bytes[header.length..<header.length + frames]
      for index in header.frames.indices {
        for change in 0..<3 {
          var forged = header
          switch change {
          case 0: forged.frames[index].chain = ChainHash(bytes: Array(repeating: 9, count: 32))
          case 1 where index > 0:
            forged.frames[index - 1].batchesEnded += 1
            forged.frames[index].batchesEnded -= 1
          case 2 where index == 0:
            // As many events in all, and these are not those that were hashed.
            forged.batches[0].eventCount += 1
            forged.eventCount += 1
          default: continue
          }
          forged.chain = forged.frames[forged.frames.count - 1].chain
          let table = try forged.encoded()
          forged.length = table.count
          try log.write(table + data + forged.seekTable(), to: name)
          let read = try log.reader.delivered()
          #expect(read.error?.isDamage == true, "frame \(index) of \(name), change \(change)")
          Self.expectEqual(
            try Self.ahead(log, length: 1 << 20), read,
            "frame \(index) of \(name), change \(change)")
          let cursor = try log.reader.cursor(decodesAhead: true)
          #expect(throws: EventLogError.self) {
            while try cursor.nextBatches(length: 1 << 20) != nil || cursor.nextBatch() != nil {}
          }
          #expect(throws: EventLogError.self) { try cursor.nextBatch() }
          count += 1
        }
      }
      try log.write(bytes, to: name)
    }
    #expect(count > 30)
    #expect(try log.reader.delivered().lines == log.batches)
  }
}
