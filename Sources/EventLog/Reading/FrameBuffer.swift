/// Memory for the plain text of a frame, used again for the next one.
///
/// `@unchecked Sendable`: it goes from thread to thread, and who has given it away does not touch it.
final class FrameBuffer: @unchecked Sendable {
  @exclusivity(unchecked) private(set) var bytes = UnsafeMutableRawBufferPointer(
    start: nil, count: 0)

  deinit {
    bytes.deallocate()
  }

  /// Frames end with a batch and so are not all of one length: with a little more room than one needs, the next
  /// needs no other, which the system would have to clear.
  private static let step = 64 << 10

  /// So many bytes of it; what it held is gone.
  func room(for length: Int) -> UnsafeMutableRawBufferPointer {
    if bytes.count < length {
      bytes.deallocate()
      bytes = .allocate(byteCount: (length + Self.step - 1) / Self.step * Self.step, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: bytes[..<length])
  }
}
