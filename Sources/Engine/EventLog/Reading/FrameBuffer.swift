/// Memory for the plain text of a frame and the chain hashes of its batches, used again for the next one.
///
/// `@unchecked Sendable`: it goes from thread to thread, and who has given it away does not touch it.
final class FrameBuffer: @unchecked Sendable {
  @exclusivity(unchecked) private(set) var bytes = UnsafeMutableRawBufferPointer(
    start: nil, count: 0)
  /// Of batches that share the frame, where they were recomputed as it was decoded: the first of them, up to
  /// `LogLimits.chains`.
  @exclusivity(unchecked) var chains: [ChainHash] = []
  /// Of the log before those batches; nil if no chain hashes were recomputed.
  @exclusivity(unchecked) var head: LogHead?

  /// Begins with room for what is hashed before a batch, and ends with room for what is hashed behind it.
  @exclusivity(unchecked) private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    memory.deallocate()
  }

  /// Frames end with a batch and so are not all of one length: with a little more room than one needs, the next
  /// needs no other, which the system would have to clear.
  private static let step = 64 << 10

  /// So many bytes of it; what it held is gone.
  func room(for length: Int) -> UnsafeMutableRawBufferPointer {
    if bytes.count < length {
      memory.deallocate()
      let count = (length + Self.step - 1) / Self.step * Self.step
      memory = .allocate(
        byteCount: ChainHash.prefixLength + count + ChainHash.suffixLength, alignment: 16)
      bytes = UnsafeMutableRawBufferPointer(
        rebasing: memory[ChainHash.prefixLength..<ChainHash.prefixLength + count])
    }
    return UnsafeMutableRawBufferPointer(rebasing: bytes[..<length])
  }
}
