import Crypto

/// The hash that ties a batch to all batches before it: SHA-256, 32 bytes.
///
/// Four words instead of an array: without these allocations, and with the segment's name made once,
/// reading 454,667 sealed one-event batches (150 MB) took 0.42 s instead of 0.90 s.
package struct ChainHash: Hashable, Sendable, CustomStringConvertible {
  /// The bytes as they are in memory; their order as numbers has no meaning.
  private var words = Words()

  /// Not `SIMD4`: its alignment of 32 bytes is more than the frames of asynchronous functions have in
  /// Swift 6.3, where a batch held across an `await` corrupted the heap (`FollowTests`).
  private struct Words: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var fourth: UInt64 = 0
  }

  package init(bytes: [UInt8]) {
    precondition(bytes.count == 32, "a chain hash has 32 bytes")
    self.init(bytes, at: 0)
  }

  /// The 32 bytes at an offset.
  init(_ bytes: [UInt8], at offset: Int) {
    Swift.withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes[offset..<offset + 32]) }
  }

  fileprivate init(_ digest: SHA256Digest) {
    Swift.withUnsafeMutableBytes(of: &words) { words in
      digest.withUnsafeBytes { words.copyMemory(from: $0) }
    }
  }

  package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  fileprivate func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }

  /// Reads 64 lower-case hex digits.
  package init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    self.init(bytes: bytes)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  package var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  package var description: String { hex }
}

/// Computes the chain hash of a batch while its plain bytes stream by.
struct ChainHasher {
  private var hash = SHA256()

  init(previous: ChainHash, firstSequence: UInt64) {
    previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
    add(firstSequence)
  }

  mutating func add(_ plain: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: plain)
  }

  /// The count stands last: a writer that streams knows it only then.
  mutating func finish(eventCount: UInt64) -> ChainHash {
    add(eventCount)
    return ChainHash(hash.finalize())
  }

  private mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { hash.update(bufferPointer: $0) }
  }
}

/// Computes the chain hashes of batches whose text is at hand, one after the other.
///
/// What `ChainHasher` does: of short batches each call of the library costs as much as the hashing, so that
/// a batch is put together and hashed at once.
struct ShortBatchHasher {
  private var input: [UInt8] = []
  /// Beyond this copying costs more than it saves.
  private static let longest = 4_096

  mutating func hash(
    _ plain: UnsafeRawBufferPointer, firstSequence: UInt64, eventCount: UInt64, previous: ChainHash
  ) -> ChainHash {
    guard plain.count <= Self.longest else {
      var hasher = ChainHasher(previous: previous, firstSequence: firstSequence)
      hasher.add(plain)
      return hasher.finish(eventCount: eventCount)
    }
    input.removeAll(keepingCapacity: true)
    previous.withUnsafeBytes { input.append(contentsOf: $0) }
    withUnsafeBytes(of: firstSequence.littleEndian) { input.append(contentsOf: $0) }
    input.append(contentsOf: plain)
    withUnsafeBytes(of: eventCount.littleEndian) { input.append(contentsOf: $0) }
    return ChainHash(SHA256.hash(data: input))
  }
}
