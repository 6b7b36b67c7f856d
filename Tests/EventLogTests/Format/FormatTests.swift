import CatalogTestSupport
import Foundation
import Promises
import Support
import Testing

@testable import EventLog

@Suite(
  .promise(
    "The bytes of a log are those of its page: checksums, chain hashes and the worked example",
    by: "zlib's checksums, the writer's bytes beside those of the page"))
struct FormatTests {
  @Test func theChecksumIsThatOfZlib() {
    #expect(CRC32.of(Array("123456789".utf8)) == 0xCBF4_3926)
    #expect(CRC32.of([UInt8]()) == 0)
    var generator = SeededGenerator(seed: 81)
    for length in 0..<70 {
      let bytes = generator.bytes(length)
      var plain: UInt32 = .max
      for byte in bytes {
        plain ^= UInt32(byte)
        for _ in 0..<8 { plain = plain & 1 == 1 ? plain >> 1 ^ 0xEDB8_8320 : plain >> 1 }
      }
      #expect(CRC32.of(bytes) == ~plain)
    }
  }

  @Test func lineFeedsAreCountedAsOneByOne() {
    var generator = SeededGenerator(seed: 82)
    for length in 0..<100 {
      let bytes = generator.bytes(length).map { $0 & 0x8F == 0x0A ? 0x0A : $0 | ($0 & 1) << 3 }
      let count = bytes.withUnsafeBytes { $0.lineFeedCount }
      #expect(count == bytes.count { $0 == 0x0A })
    }
    let feeds: [UInt8] = [0x0A, 0x0A, 0x8A, 0x0B, 0x00, 0x0A, 0xFF, 0x0A, 0x0A]
    #expect(feeds.withUnsafeBytes { $0.lineFeedCount } == 5)
  }

  /// Hashes previous, first sequence, lines and count, in that order.
  @Test func theChainIsThatOfThePage() throws {
    var generator = SeededGenerator(seed: 83)
    let log = try LogFixture(RoundTripTests.small())
    try log.fill(20, from: &generator)
    var chain = Data(SHA256.hash(data: Data(LogFixture.id.bytes)))
    var sequence: UInt64 = 1
    for (index, lines) in log.batches.enumerated() {
      var input = chain
      withUnsafeBytes(of: sequence.littleEndian) { input.append(contentsOf: $0) }
      for line in lines { input.append(contentsOf: line + [0x0A]) }
      withUnsafeBytes(of: UInt64(lines.count).littleEndian) { input.append(contentsOf: $0) }
      chain = Data(SHA256.hash(data: input))
      sequence += UInt64(lines.count)
      #expect(log.heads[index + 1].chain.bytes == Array(chain))
      #expect(log.heads[index + 1].sequence == sequence - 1)
    }
  }

  @Test func chainHashesReadTheirOwnHex() {
    let hash = LogHead.empty(LogFixture.id).chain
    #expect(ChainHash(hex: hash.hex) == hash)
    #expect(ChainHash(hex: hash.hex.uppercased()) == nil)
    #expect(ChainHash(hex: String(hash.hex.dropLast())) == nil)
  }

  /// The bytes that `docs/EVENT_LOG_FORMAT.md` explains; only what zstd made may change.
  @Test func theWorkedExampleIsWhatAWriterMakes() throws {
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Array(#"{"seq":1,"type":"catalog.created"}"#.utf8)], to: writer)
    let hex = try log.bytes(LogFolder.name(1)).map { String(format: "%02x", $0) }
    let page = try String(
      contentsOf: Tools.repository.appending(path: "docs/EVENT_LOG_FORMAT.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```hex\n"))
    let end = try #require(page.range(of: "```", range: start.upperBound..<page.endIndex))
    let shown = page[start.upperBound..<end.lowerBound].split(separator: "\n")
      .flatMap { $0.split(separator: " ").dropFirst() }.map(String.init)
    #expect(shown.prefix(124) == hex.prefix(124))
    #expect(shown.count == hex.count)
  }
}
