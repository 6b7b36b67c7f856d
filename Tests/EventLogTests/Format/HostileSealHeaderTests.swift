import Promises
import Testing

@testable import EventLog

/// Headers whose CRCs are right and whose numbers were made to overflow.
@Suite(
  .promise(
    "Hostile bytes are refused before memory is allocated for them",
    by: "right CRCs, numbers that overflow"))
struct HostileSealHeaderTests {
  private func sealed() throws -> (ScratchLog, name: String) {
    let log = try ScratchLog()
    try log.append([["one"], ["two", "three"]], sealing: true)
    return (log, try log.segments()[0])
  }

  private func expectDamage(_ log: ScratchLog) throws {
    for read: () throws -> Void in [
      { _ = try log.reader.head() },
      { _ = try log.reader.cursor().rest() },
      { _ = try log.reader.batch(containing: 3) },
      { _ = try log.writer() },
    ] {
      let error = #expect(throws: EventLogError.self) { try read() }
      #expect(error?.isDamage == true)
    }
    #expect(try log.reader.check().damage.count == 1)
  }

  /// Event count, batch count, plain length.
  private static let counts: [[UInt64]] = {
    let most = UInt64.max
    let half: UInt64 = 1 << 63
    return [
      [most - 1, half, most], [half, half / 2, half], [most - 1, most - 1, most - 1], [3, 3, 14],
      [3, half, half], [1 << 40, 2, 1 << 40], [0, 0, 0],
    ]
  }()

  @Test(arguments: counts)
  func countsThatOverflowAreDamage(_ numbers: [UInt64]) throws {
    let (log, name) = try sealed()
    try log.change(name) { bytes in
      for (index, number) in numbers.enumerated() {
        bytes.replace(number, at: [40, 48, 56][index])
      }
      bytes.replace(CRC32.of(bytes[0..<148]), at: 148)
    }
    try expectDamage(log)
  }

  /// Tables whose sums are right only modulo 2^64.
  @Test func aBatchTableThatAddsUpByWrappingIsDamage() throws {
    let (log, name) = try sealed()
    let file = try LogFile(log.path + "/" + name, .read, RealFileCalls())
    var header = try SealHeader(file, firstSequence: 1, limits: log.limits)
    let length = header.length
    let huge = UInt64.max - 100
    header.batches = [
      SealHeader.Batch(eventCount: huge, plainLength: huge),
      SealHeader.Batch(
        eventCount: header.eventCount &- huge, plainLength: header.plainLength &- huge),
    ]
    let frames = Array(
      try log.bytes(name)[length..<length + Int(header.frames[0].entry.storedLength)])
    let encoded = try header.encoded()
    header.length = encoded.count
    try log.write(encoded + frames + header.seekTable(), to: name)
    try expectDamage(log)
  }

  @Test func aFrameThatEndsOtherBatchesThanItSaysIsDamage() throws {
    let log = try ScratchLog()
    try log.append([["one"], ["two"], ["three"]], sealing: true)
    let name = try log.segments()[0]
    let file = try LogFile(log.path + "/" + name, .read, RealFileCalls())
    var header = try SealHeader(file, firstSequence: 1, limits: log.limits)
    let frames = Array(
      try log.bytes(name)[header.length..<header.length + Int(header.frames[0].entry.storedLength)])
    // The second batch runs over the end of the only frame there is for it.
    header.frames[0].batchesEnded = 2
    let encoded = try header.encoded()
    header.length = encoded.count
    try log.write(encoded + frames + header.seekTable(), to: name)
    try expectDamage(log)
  }

  /// A wrong chain hash is found before an event of its frame is given out.
  @Test func nothingOfAFrameWithAnotherChainHashIsGiven() throws {
    let (log, name) = try sealed()
    let file = try LogFile(log.path + "/" + name, .read, RealFileCalls())
    var header = try SealHeader(file, firstSequence: 1, limits: log.limits)
    let frames = Array(
      try log.bytes(name)[header.length..<header.length + Int(header.frames[0].entry.storedLength)])
    header.chain = ChainHash(bytes: Array(repeating: 9, count: 32))
    header.frames[0].chain = header.chain
    let encoded = try header.encoded()
    header.length = encoded.count
    try log.write(encoded + frames + header.seekTable(), to: name)
    let cursor = try log.reader.cursor()
    // Nor when it is asked for again.
    for _ in 0..<2 {
      let error = #expect(throws: EventLogError.self) { try cursor.nextBatch() }
      #expect(error?.code == .damaged(.chain))
    }
  }
}

extension [UInt8] {
  mutating func replace(_ number: some FixedWidthInteger, at offset: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
      for (index, byte) in bytes.enumerated() { self[offset + index] = byte }
    }
  }
}
