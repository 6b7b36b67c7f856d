import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EventLog

/// Batches that are right in all but one thing: checksums and chain hash were made to fit.
@Suite(
  .promise(
    "Hostile bytes are refused before memory is allocated for them",
    by: "batches that are right in all but one thing"))
struct ForgedBatchTests {
  private let log: LogFixture

  init() throws {
    log = try LogFixture()
    let writer = try log.writer()
    for text in ["one", "two"] { try log.append([Array(text.utf8)], to: writer) }
    try writer.seal()
  }

  private struct Forgery {
    var logID = LogFixture.id
    /// How far the batch begins from where one is due.
    var shift: UInt64 = 0
    var text = "three\n"
    /// What the header says of the number of lines.
    var count: UInt64 = 1
    /// Plain bytes of each frame; nil puts all in one.
    var frameLength: Int?
    /// Compresses otherwise than a writer does.
    var compress: ((UnsafeRawBufferPointer) throws -> [UInt8])?
  }

  private func batch(_ forgery: Forgery) throws -> [UInt8] {
    let plain = Array(forgery.text.utf8)
    let first = log.head.sequence + 1 + forgery.shift
    var hasher = ChainHasher(previous: log.head.chain, firstSequence: first)
    plain.withUnsafeBytes { hasher.add($0) }
    let compressor = try ZstdCompressor(level: 3)
    var entries: [FrameEntry] = []
    var stored: [UInt8] = []
    let length = forgery.frameLength ?? plain.count
    for start in stride(from: 0, to: plain.count, by: length) {
      let piece = plain[start..<min(start + length, plain.count)]
      var frame: [UInt8] = []
      try piece.withUnsafeBytes {
        if let compress = forgery.compress {
          frame = try compress($0)
        } else {
          _ = try compressor.append($0, to: &frame)
        }
      }
      entries.append(
        FrameEntry(
          storedLength: UInt32(frame.count), plainLength: UInt32(piece.count),
          crc: CRC32.of(frame)))
      stored += frame
    }
    let lines = UInt64(plain.count { $0 == 0x0A })
    let header = BatchHeader(
      logID: forgery.logID, firstSequence: first, eventCount: forgery.count,
      plainLength: UInt64(plain.count), previousChain: log.head.chain,
      chain: hasher.finish(eventCount: lines), frames: entries)
    return header.encoded() + stored
  }

  private func expect(
    _ damage: EventLogError.Damage, of forgery: Forgery,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try log.write(try batch(forgery), to: LogFolder.name(log.head.sequence + 1))
    let read = try log.reader.delivered()
    #expect(read.error?.code == .damaged(damage), sourceLocation: location)
    #expect(read.lines == log.batches, sourceLocation: location)
  }

  /// What is made here is read where nothing is wrong with it, or these tests would show nothing.
  @Test func whatIsForgedWithoutAFlawIsRead() throws {
    try log.write(try batch(Forgery()), to: LogFolder.name(log.head.sequence + 1))
    let read = try log.reader.delivered()
    #expect(read.error == nil)
    #expect(read.lines == log.batches + [[Array("three".utf8)]])
  }

  @Test func aBatchOfALaterSequenceIsRefused() throws {
    try expect(.sequence, of: Forgery(shift: 5))
  }

  @Test func aBatchOfAnotherLogIsRefused() throws {
    try expect(.logID, of: Forgery(logID: LogID(bytes: Array(repeating: 7, count: 16))))
  }

  @Test func anotherNumberOfLinesThanTheHeaderSaysIsRefused() throws {
    try expect(.eventCount, of: Forgery(count: 2))
    try expect(.eventCount, of: Forgery(text: "three\nfour\n", count: 1))
  }

  @Test func aFrameThatDoesNotRecordItsLengthIsRefused() throws {
    let folder = try ScratchFolder()
    try expect(
      .frame,
      of: Forgery(compress: { plain in
        // From a pipe, zstd does not know it.
        let file = try folder.write(Array(plain), to: "plain")
        return try Tools.run(["sh", "-c", "cat '\(file)' | zstd -q -c"]).output
      }))
  }

  @Test func aFrameThatIsLongerThanAnyCanBeIsRefused() throws {
    let text = String(repeating: "a", count: LogLimits.standard.frame) + "\n"
    try expect(.header, of: Forgery(text: text))
  }

  @Test func moreFramesThanABatchCanHaveAreRefused() throws {
    let text = String(repeating: "a", count: LogLimits.standard.frames) + "\n"
    try expect(.header, of: Forgery(text: text, frameLength: 1))
  }
}
