import CatalogTestSupport
import Testing

@testable import EventLog

@Suite struct FlipTests {
  @Test(arguments: [false, true])
  func noFlippedBitPasses(_ sealing: Bool) throws {
    var generator = SeededGenerator("flip, sealed: \(sealing)")
    let log = try LogFixture(RoundTripTests.small(segment: 1 << 20))
    try log.fill(6, sealing: sealing, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    for index in bytes.indices {
      let bit = generator.below(8)
      var changed = bytes
      changed[index] ^= 1 << UInt8(bit)
      try log.write(changed, to: name)
      #expect(try log.verdict("bit \(bit) of byte \(index)") == .damaged)
    }
    try log.write(bytes, to: name)
    #expect(try log.verdict("the log as it was") == .whole)
  }

  /// All bits of what decides how far a batch goes.
  @Test func noFlippedBitOfTheLastHeaderLooksTorn() throws {
    var generator = SeededGenerator(seed: 21)
    let log = try LogFixture()
    try log.fill(3, from: &generator)
    let name = try #require(try log.segments().first)
    let bytes = try log.bytes(name)
    let start = Int(try #require(try log.reader.delivered().batches.last).offset)
    for index in start..<start + BatchHeader.fixedLength + BatchHeader.entryLength {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        try log.write(changed, to: name)
        let read = try log.reader.delivered()
        #expect(read.error != nil && read.torn == nil, "bit \(bit) of byte \(index)")
      }
    }
  }
}
