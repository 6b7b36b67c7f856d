/// Reads data frames: stored bytes, CRC, then the plain text in place.
final class FrameDecoder {
  private let decompressor: ZstdDecompressor
  private let stored = FrameBuffer()

  init() throws {
    decompressor = try ZstdDecompressor()
  }

  /// Whether a frame could be decoded into `plain`; who needs to know why not decodes it again.
  func isRight(
    _ frame: FrameEntry, of file: LogFile, at offset: UInt64,
    into plain: UnsafeMutableRawBufferPointer
  ) -> Bool {
    do {
      try decode(frame, of: file, at: offset, sequence: 0, into: plain)
      return true
    } catch {
      return false
    }
  }

  /// Decodes a frame into `plain`, which has the frame's plain length.
  func decode(
    _ frame: FrameEntry, of file: LogFile, at offset: UInt64, sequence: UInt64,
    into plain: UnsafeMutableRawBufferPointer
  ) throws {
    let room = stored.room(for: Int(frame.storedLength))
    let count = try file.read(into: room, at: offset)
    let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
    guard frame.isOf(bytes) else {
      throw EventLogError.damaged(
        .frameCRC, "a data frame is damaged", file.path, offset, sequence)
    }
    if let problem = decompressor.decode(bytes, into: plain) {
      throw EventLogError.damaged(.frame, problem, file.path, offset, sequence)
    }
  }
}
