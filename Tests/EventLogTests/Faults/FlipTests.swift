import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "No changed bit of a log passes",
    by: "every bit of every byte of open, sealed and several segments"))
struct FlipTests {
  /// All eight bits of every byte of every segment; none may pass, and nothing wrong be delivered.
  ///
  /// What follows a flipped bit is damage in every case, never a torn tail: a write that is interrupted
  /// leaves sectors out, it does not change bits.
  @Test(arguments: ShapedLog.Shape.allCases)
  func noFlippedBitPasses(_ shape: ShapedLog.Shape) throws {
    var generator = SeededGenerator("flip, \(shape)")
    let shaped = try ShapedLog(shape, batches: 6, from: &generator)
    let log = shaped.log
    var flipped = 0
    var found = 0
    for segment in shaped.segments {
      var bytes = segment.bytes
      for index in bytes.indices {
        for bit in 0..<8 {
          bytes[index] ^= 1 << UInt8(bit)
          try log.write(bytes, to: segment.name)
          bytes[index] ^= 1 << UInt8(bit)
          let what =
            "\(shape), seed \(generator.seed), bit \(bit) of byte \(index) of \(segment.name)"
          let read = try log.reader.delivered()
          #expect(read.error?.isDamage == true && read.torn == nil, "\(what)")
          log.expectPrefix(read, what, #_sourceLocation)
          if read.error != nil { found += 1 }
          if bit == index % 8 {
            // Check and a writer as well, at one bit of each byte.
            let isEarlier = segment.name != shaped.segments.last?.name
            #expect(try log.verdict(what, isEarlier: isEarlier) == .damaged, "\(what)")
          }
          flipped += 1
        }
      }
      try log.write(segment.bytes, to: segment.name)
    }
    #expect(flipped == 8 * shaped.segments.reduce(0) { $0 + $1.bytes.count })
    #expect(found == flipped, "\(flipped - found) of \(flipped) flipped bits were not found")
    #expect(try log.verdict("the log as it was") == .whole)
  }
}
