/// Reads data frames: stored bytes, CRC, then the plain text in place.
final class FrameDecoder {
  private let decompressor: ZstdDecompressor
  private let stored = FrameBuffer()
  private let beginning = FrameBuffer()
  /// Of a frame, where a line is looked for. Most lines have some hundred bytes.
  private static let beginningLength = 64 << 10
  /// Stored bytes that hold so much of it: a block of zstd has 128 KiB at most, and is decoded as a whole.
  private static let storedBeginningLength = 192 << 10

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
    let bytes = try read(frame, of: file, at: offset, sequence: sequence)
    if let problem = decompressor.decode(bytes, into: plain) {
      throw EventLogError.damaged(.frame, problem, file.path, offset, sequence)
    }
  }

  /// What the first whole line of a frame says, whose beginning lies in the first bytes of the frame.
  ///
  /// Nothing is checked: this tells where to read, and what is read is checked then.
  ///
  /// - Parameter body: is given the beginning of the line, which may be cut off.
  /// - Returns: nil if no line begins there.
  func firstLine<Result>(
    of frame: FrameEntry, in file: LogFile, at offset: UInt64,
    _ body: (UnsafeRawBufferPointer) -> Result?
  ) throws -> Result? {
    let bytes = stored.room(for: min(Int(frame.storedLength), Self.storedBeginningLength))
    guard try file.read(into: bytes, at: offset) == bytes.count else { return nil }
    let room = beginning.room(for: min(Int(frame.plainLength), Self.beginningLength))
    guard
      let count = decompressor.decodeBeginning(
        of: UnsafeRawBufferPointer(bytes), into: room)
    else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: room[..<count])
    guard let end = text.firstIndex(of: 0x0A) else { return nil }
    return body(UnsafeRawBufferPointer(rebasing: text[(end + 1)...]))
  }

  private func read(
    _ frame: FrameEntry, of file: LogFile, at offset: UInt64, sequence: UInt64
  ) throws -> UnsafeRawBufferPointer {
    let length = Int(frame.storedLength)
    let room = stored.room(for: length)
    let count = try file.read(into: room, at: offset)
    let bytes = UnsafeRawBufferPointer(room)
    guard count == length, CRC32.of(bytes) == frame.crc else {
      throw EventLogError.damaged(
        .frameCRC, "a data frame is damaged", file.path, offset, sequence)
    }
    return bytes
  }
}
