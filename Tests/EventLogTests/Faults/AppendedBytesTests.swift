import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "Only an interrupted write is repaired, and its bytes are kept",
    by: "1 to 4,096 bytes of zeros, of noise, of an old batch"),
  .promise("No changed bit of a log passes", by: "bytes after the end"))
struct AppendedBytesTests {
  /// All lengths near those of headers and sectors, and some between them.
  static let lengths =
    Array(1...140) + [300, 511, 512, 513, 1023, 1024, 1025, 2048, 4095, 4096]

  /// Every length of one byte to a page.
  @Test(arguments: [0, 1, 2, 3])
  func zerosAtTheEndAreTornAndNoiseIsDamage(_ quarter: Int) throws {
    var generator = SeededGenerator("appended bytes, \(quarter)")
    let (log, name, bytes) = try Self.log()
    let lengths = Array(quarter * 1024 + 1...(quarter + 1) * 1024)
    for length in Sample.of(lengths, atMost: 150, "AppendedBytesTests \(quarter)") {
      let what = "seed \(generator.seed), \(length) bytes"
      try log.write(bytes + Array(repeating: 0, count: length), to: name)
      #expect(try log.verdict("\(what) of zeros") == .torn, "\(what) of zeros")
      var noise = generator.bytes(length)
      // Not the first bytes of the header that is due: those alone are a write that was cut short.
      noise[0] |= 1
      if noise[0] == 0x51 { noise[0] = 1 }
      try log.write(bytes + noise, to: name)
      #expect(try log.verdict("\(what) of noise") == .damaged, "\(what) of noise")
      try log.removeKeptBytes()
    }
  }

  @Test func aPartOfTheHeaderThatIsDueIsTornAndOfAnOldOneDamage() throws {
    let (log, name, bytes) = try Self.log()
    let writer = try log.writer()
    try log.append([Array("later".utf8)], to: writer)
    writer.close()
    let later = Array(try log.bytes(name)[bytes.count...])
    for length in 1..<later.count {
      try log.write(bytes + later[..<length], to: name)
      #expect(try log.verdict("\(length) bytes of the next batch") == .torn)
      try log.removeKeptBytes()
    }
  }

  /// An old batch of more than a page, cut at every byte of it up to 4,096, and whole.
  @Test(arguments: [0, 1, 2, 3])
  func aCopyOfAnOldBatchIsDamage(_ quarter: Int) throws {
    var generator = SeededGenerator("an old batch, \(quarter)")
    let log = try LogFixture()
    let writer = try log.writer()
    try log.append([Lines.line(9_000, from: &generator)], to: writer)
    let length = try log.bytes(LogFolder.name(1)).count
    for _ in 0..<3 { try log.append(Lines.batch(from: &generator), to: writer) }
    writer.close()
    let name = LogFolder.name(1)
    let bytes = try log.bytes(name)
    let old = Array(bytes[..<length])
    #expect(old.count > 4096)
    // Up to byte 32 all headers of a log with as many frames are the same.
    let lengths = Array(max(33, quarter * 1024 + 1)...(quarter + 1) * 1024)
    for length in Sample.of(lengths, atMost: 150, "an old batch \(quarter)") + [old.count] {
      try log.write(bytes + old[..<length], to: name)
      let what = "seed \(generator.seed), \(length) bytes of an old batch"
      #expect(try log.verdict(what) == .damaged, "\(what)")
    }
  }

  @Test func anythingBehindASealedSegmentIsDamage() throws {
    var generator = SeededGenerator(seed: 41)
    let log = try LogFixture()
    try log.fill(5, sealing: true, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    for length in Self.lengths {
      for tail in [Array(repeating: 0, count: length), generator.bytes(length)] {
        try log.write(bytes + tail, to: name)
        #expect(try log.verdict("\(length) bytes") == .damaged)
      }
    }
  }

  @Test func aTornTailBeforeAnotherSegmentIsDamage() throws {
    var generator = SeededGenerator(seed: 42)
    let log = try LogFixture(RoundTripTests.small(segment: 400))
    try log.fill(20, from: &generator)
    let opened = try log.segments().last.map { try log.bytes($0) }
    #expect(opened != nil)
    let first = try #require(try log.segments().first)
    try log.write(try log.bytes(first).dropLast(3), to: first)
    #expect(try log.verdict("a cut first segment") == .damaged)
  }

  static func log() throws -> (LogFixture, name: String, bytes: [UInt8]) {
    var generator = SeededGenerator(seed: 43)
    let log = try LogFixture()
    try log.fill(4, from: &generator)
    let name = try #require(try log.segments().first)
    return (log, name, try log.bytes(name))
  }
}
