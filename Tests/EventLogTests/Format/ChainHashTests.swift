import CatalogTestSupport
import Promises
import Testing

@testable import EventLog

@Suite(
  .promise(
    "The bytes of a log are those of its page: checksums, chain hashes and the worked example",
    by: "hashes in place and from a stream"))
struct ChainHashTests {
  /// Hashed where it lies, a batch has the hash that its plain twin computes, and the memory is as it was.
  @Test(arguments: [1, 7, 8, 15, 16, 63, 64, 65, 4_097, 1 << 20])
  func inPlaceItIsWhatTheStreamGives(_ length: Int) throws {
    var generator = SeededGenerator("chain hash \(length)")
    for shift in [0, 1, 13] {
      let start = ChainHash.prefixLength + shift
      var memory = generator.bytes(start + length + ChainHash.suffixLength + 5)
      let before = memory
      let previous = ChainHash(bytes: generator.bytes(32))
      let first = generator.next() >> 1
      let count = generator.next()
      let hash = memory.withUnsafeMutableBytes {
        ChainHash(
          of: UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + length]),
          firstSequence: first, eventCount: count, previous: previous)
      }
      var hasher = ChainHasher(previous: previous, firstSequence: first)
      before[start..<start + length].withUnsafeBytes { hasher.add($0) }
      #expect(hash == hasher.finish(eventCount: count), "seed \(generator.seed), at \(start)")
      #expect(memory == before, "seed \(generator.seed), at \(start)")
    }
  }
}
