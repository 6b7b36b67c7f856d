/// Reads data frames: stored bytes, CRC, then the plain text in place.
final class FrameDecoder {
  private let decompressor: ZstdDecompressor
  private var stored: [UInt8] = []

  init() throws {
    decompressor = try ZstdDecompressor()
  }

  /// Decodes a frame into `plain`, which has the frame's plain length.
  func decode(
    _ frame: FrameEntry, of file: LogFile, at offset: UInt64, sequence: UInt64,
    into plain: UnsafeMutableRawBufferPointer
  ) throws {
    let length = Int(frame.storedLength)
    if stored.count < length { stored = Array(repeating: 0, count: length) }
    let count = try stored.withUnsafeMutableBytes {
      try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<length]), at: offset)
    }
    let problem: String? = stored.withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      guard count == length, CRC32.of(bytes) == frame.crc else { return "" }
      return decompressor.decode(bytes, into: plain)
    }
    guard let problem else { return }
    throw problem.isEmpty
      ? EventLogError.damaged(
        .frameCRC, "a data frame is not what was written", file.path, offset, sequence)
      : EventLogError.damaged(.frame, problem, file.path, offset, sequence)
  }
}
