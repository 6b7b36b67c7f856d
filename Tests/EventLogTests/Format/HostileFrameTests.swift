import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Headers with right checksums that say what no writer says.
@Suite(
  .promise(
    "Hostile bytes are refused before memory is allocated for them",
    by: "right checksums, headers that no writer writes"))
struct HostileFrameTests {
  let log: LogFixture

  init() throws {
    log = try LogFixture()
    let writer = try log.writer()
    for text in ["one", "two"] { try log.append([Array(text.utf8)], to: writer) }
    try writer.seal()
  }

  /// A batch whose one frame is these bytes and says to have this plain length.
  private func batch(_ frame: [UInt8], plain: UInt64, entry: UInt32? = nil) -> [UInt8] {
    BatchHeader(
      logID: LogFixture.id, firstSequence: log.head.sequence + 1, eventCount: 1,
      plainLength: plain, previousChain: log.head.chain, chain: log.head.chain,
      frames: [
        FrameEntry(
          storedLength: UInt32(frame.count), plainLength: entry ?? UInt32(clamping: plain),
          crc: CRC32.of(frame))
      ]
    ).encoded() + frame
  }

  private func expectDamage(_ segment: [UInt8], _ what: String) throws {
    let name = LogFolder.name(log.head.sequence + 1)
    try log.write(segment, to: name)
    let read = try log.reader.delivered()
    #expect(read.error?.isDamage == true, "\(what)")
    #expect(read.lines == log.batches, "\(what)")
    #expect(try log.reader.check().damage.count == 1, "\(what)")
  }

  /// Of this process, in KiB (on Linux).
  private static func peakMemory() -> Int {
    var usage = rusage()
    getrusage(0, &usage)
    return usage.ru_maxrss
  }

  /// In a process of its own: no other test takes memory there.
  @Test func bombsAreRefusedBeforeAnythingIsAllocated() async {
    await #expect(processExitsWith: .success) {
      struct TooMuch: Error {}
      let tests = try HostileFrameTests()
      let before = Self.peakMemory()
      try tests.expectBombsAreRefused()
      guard Self.peakMemory() - before < 64 << 10 else { throw TooMuch() }
    }
  }

  private func expectBombsAreRefused() throws {
    let zeros = try Tools.run(["sh", "-c", "head -c 1073741824 /dev/zero | zstd -q -c"]).output
    try expectDamage(batch(zeros, plain: 1 << 30), "1 GiB of zeros")
    try expectDamage(batch(zeros, plain: 100), "1 GiB of zeros in 100 bytes")
    try expectDamage(batch(zeros, plain: 1 << 63, entry: 1 << 20), "a plain length of 2^63")
    try expectDamage(batch(zeros, plain: .max, entry: .max), "a plain length of 2^64 - 1")
    // Window log 31, no content size, one empty raw block.
    try expectDamage(batch([0x28, 0xB5, 0x2F, 0xFD, 0, 21 << 3, 1, 0, 0], plain: 9), "window")
  }

  @Test func zstdsOwnHostileFramesAreRefused() throws {
    let folder = Tools.resources.appending(path: "zstd")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count == 7)
    for name in names {
      let frame = [UInt8](try Data(contentsOf: folder.appending(path: name)))
      for plain: UInt64 in [1, 9, 131_072, 1 << 20] {
        try expectDamage(batch(frame, plain: plain), "\(name) as \(plain) bytes")
      }
    }
  }

  @Test func framesThatHoldMoreOrLessThanTheirHeaderSaysAreRefused() throws {
    let text = Array("three\n".utf8)
    var frame: [UInt8] = []
    _ = try text.withUnsafeBytes { try ZstdCompressor(level: 3).append($0, to: &frame) }
    try expectDamage(batch(frame, plain: 5), "too short")
    try expectDamage(batch(frame, plain: 7), "too long")
    try expectDamage(batch(frame + [0], plain: 6), "a byte behind")
    try expectDamage(batch(frame + frame, plain: 6), "two frames in one")
    // All is right but the chain hash.
    try expectDamage(batch(frame, plain: 6), "a chain hash of other events")
  }

  /// All checksums are right: only the chain hash at the frame's end tells.
  @Test func aSealedFrameOfOtherEventsIsRefusedBeforeAnyIsGiven() throws {
    let name = LogFolder.name(1)
    let path = log.path + "/" + name
    for text in ["one\nTWO\n", "ONE\ntwo\n"] {
      var header = try SealHeader(
        LogFile(path, .read, RealFileCalls()), firstSequence: 1, limits: .standard)
      var frame: [UInt8] = []
      let length = try Array(text.utf8).withUnsafeBytes {
        try ZstdCompressor(level: 3).append($0, to: &frame)
      }
      header.frames[0].entry = FrameEntry(
        storedLength: UInt32(length), plainLength: 8, crc: CRC32.of(frame))
      let bytes = try header.encoded()
      header.length = bytes.count
      try log.write(bytes + frame + header.seekTable(), to: name)
      let read = try log.reader.delivered()
      #expect(read.error?.code == .damaged(.chain))
      #expect(read.batches.isEmpty && read.rest.isEmpty)
    }
  }

  /// Each number of a sealed segment's header, at its limits, with its checksum mended.
  @Test func sealedHeadersWithAnyNumberAreRefused() throws {
    let name = LogFolder.name(1)
    let bytes = try log.bytes(name)
    let values: [UInt64] = [
      0, 1, 2, 3, 1 << 20, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max - 1, .max,
    ]
    let fields: [(offset: Int, size: Int)] = [
      (4, 4), (12, 2), (14, 2), (32, 8), (40, 8), (48, 8), (56, 8), (128, 4), (136, 4),
      (140, 4),
    ]
    for field in fields {
      for value in values {
        var changed = bytes
        withUnsafeBytes(of: value.littleEndian) {
          changed.replaceSubrange(field.offset..<field.offset + field.size, with: $0[..<field.size])
        }
        guard changed != bytes else { continue }
        var crc: [UInt8] = []
        crc.append(littleEndian: CRC32.of(changed[0..<148]))
        changed.replaceSubrange(148..<152, with: crc)
        try log.write(changed, to: name)
        let verdict = try log.verdict("\(value) at \(field.offset)")
        #expect(verdict == .damaged, "\(value) at \(field.offset)")
      }
    }
  }
}
