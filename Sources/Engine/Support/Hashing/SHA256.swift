#if canImport(CryptoKit)
  package import CryptoKit

  package typealias SHA256 = CryptoKit.SHA256
  package typealias SHA256Digest = CryptoKit.SHA256Digest
#else
  import COpenSSL

  /// SHA-256 by the system's OpenSSL, with the names that CryptoKit has.
  ///
  /// A value without an allocation of its own: a copy goes on from where the original stands.
  package struct SHA256: Sendable {
    private var context = SHA256_CTX()

    package init() {
      SHA256_Init(&context)
    }

    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
      SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    package mutating func update(data: some Collection<UInt8>) {
      let isDone =
        data.withContiguousStorageIfAvailable {
          update(bufferPointer: UnsafeRawBufferPointer($0))
        } != nil
      if !isDone { Array(data).withUnsafeBytes { update(bufferPointer: $0) } }
    }

    /// The hash of what was added so far; more can be added afterwards.
    package func finalize() -> SHA256Digest {
      var context = context
      var digest = SHA256Digest()
      digest.withUnsafeMutableBytes { bytes in
        _ = SHA256_Final(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
      }
      return digest
    }

    package static func hash(data: some Collection<UInt8>) -> SHA256Digest {
      var hash = SHA256()
      hash.update(data: data)
      return hash.finalize()
    }
  }

  /// 32 bytes.
  package struct SHA256Digest: Hashable, Sendable, Sequence {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    fileprivate init() {}

    fileprivate mutating func withUnsafeMutableBytes(
      _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) {
      Swift.withUnsafeMutableBytes(of: &words, body)
    }

    package func withUnsafeBytes<Result>(
      _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
      try Swift.withUnsafeBytes(of: words, body)
    }

    package func makeIterator() -> Array<UInt8>.Iterator {
      withUnsafeBytes { Array($0) }.makeIterator()
    }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
      left.words == right.words
    }

    package func hash(into hasher: inout Hasher) {
      withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
#endif
