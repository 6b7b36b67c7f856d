import CatalogTestSupport
import Testing

@testable import EventLog

@Suite struct AppendedBytesTests {
  static let lengths = Array(1...40) + [63, 100, 131, 132, 133, 300, 511, 512, 513, 1024, 4096]

  @Test func zerosAtTheEndAreTornAndNoiseIsDamage() throws {
    var generator = SeededGenerator("appended bytes")
    let (log, name, bytes) = try Self.log()
    for length in Self.lengths {
      try log.write(bytes + Array(repeating: 0, count: length), to: name)
      #expect(try log.verdict("\(length) zeros") == .torn)
      var noise = generator.bytes(length)
      noise[0] |= 1
      if noise[0] == 0x51 { noise[0] = 1 }
      try log.write(bytes + noise, to: name)
      #expect(try log.verdict("\(length) bytes of noise") == .damaged)
      try log.removeKeptBytes()
    }
  }

  @Test func aPartOfTheHeaderThatIsDueIsTornAndOfAnOldOneDamage() throws {
    let (log, name, bytes) = try Self.log()
    let writer = try log.writer()
    try log.append([Array("later".utf8)], to: writer)
    writer.close()
    let later = Array(try log.bytes(name)[bytes.count...])
    let first = Int(try #require(try log.reader.delivered().batches.first?.storedLength))
    let old = Array(bytes[..<first])
    for length in 1..<later.count {
      try log.write(bytes + later[..<length], to: name)
      #expect(try log.verdict("\(length) bytes of the next batch") == .torn)
      try log.removeKeptBytes()
    }
    // Up to byte 32 all headers of a log are the same but for the length of the frame table.
    for length in 33...old.count {
      try log.write(bytes + old[..<length], to: name)
      #expect(try log.verdict("\(length) bytes of an old batch") == .damaged)
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
