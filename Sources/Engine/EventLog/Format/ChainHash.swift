import Support

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
    guard let bytes = Hex.bytes(hex), bytes.count == 32 else { return nil }
    self.init(bytes: bytes)
  }

  package var hex: String { Hex.string(bytes) }

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

extension ChainHash {
  /// What stands before the text of a batch when it is hashed: the hash before it and its first sequence.
  static let prefixLength = 40
  /// What stands behind it: how many events it has.
  static let suffixLength = 8

  /// The chain hash of a batch whose text lies in memory that may be written to: what is hashed with it is put
  /// around it for as long as it takes. Of short batches each call of the library costs as much as the hashing, so
  /// that one has to do; put together in an array for it, a scan of one-event batches took up to 0.1 of 0.7 s longer.
  /// `ChainHasher` is the plain twin.
  ///
  /// - Parameters:
  ///   - text: has `prefixLength` bytes before it and `suffixLength` behind it, which are left as they are.
  init(
    of text: UnsafeMutableRawBufferPointer, firstSequence: UInt64, eventCount: UInt64,
    previous: ChainHash
  ) {
    guard let base = text.baseAddress else {
      preconditionFailure("a batch has a text")
    }
    let before = base - Self.prefixLength
    let behind = base + text.count
    let kept = (
      before.loadUnaligned(as: ChainHash.self),
      (before + 32).loadUnaligned(as: UInt64.self), behind.loadUnaligned(as: UInt64.self)
    )
    before.storeBytes(of: previous, as: ChainHash.self)
    (before + 32).storeBytes(of: firstSequence.littleEndian, as: UInt64.self)
    behind.storeBytes(of: eventCount.littleEndian, as: UInt64.self)
    var hash = SHA256()
    hash.update(
      bufferPointer: UnsafeRawBufferPointer(
        start: before, count: Self.prefixLength + text.count + Self.suffixLength))
    self.init(hash.finalize())
    before.storeBytes(of: kept.0, as: ChainHash.self)
    (before + 32).storeBytes(of: kept.1, as: UInt64.self)
    behind.storeBytes(of: kept.2, as: UInt64.self)
  }
}
