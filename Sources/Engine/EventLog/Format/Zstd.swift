import CZstd
import Support

enum Zstd {
  /// - Throws: if a call of libzstd gave an error.
  static func check(_ code: Int) throws {
    guard ZSTD_isError(code) == 0 else {
      throw EventLogError(.io, "zstd: \(String(cString: ZSTD_getErrorName(code)))")
    }
  }
}

/// Compresses frames, one context for all of them.
final class ZstdCompressor {
  /// For batches as they are appended.
  static let appendLevel: Int32 = 3
  /// For sealed frames; `docs/EVENT_LOG_FORMAT.md` says what was measured.
  static let sealLevel: Int32 = 12
  /// For sealed frames of a segment with one long batch, whose import waits for them.
  static let longSealLevel: Int32 = 9

  private let context: OpaquePointer

  init(level: Int32) throws {
    guard let context = ZSTD_createCCtx() else {
      throw EventLogError(.io, "out of memory for a zstd context")
    }
    self.context = context
    try Zstd.check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level))
    // For `zstd -t` and other tools; our own readers check stored bytes.
    try Zstd.check(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1))
    try Zstd.check(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1))
  }

  deinit {
    ZSTD_freeCCtx(context)
  }

  /// Adds one frame that holds `plain` to `bytes`; returns its length.
  func append(_ plain: UnsafeRawBufferPointer, to bytes: inout [UInt8]) throws -> Int {
    let start = bytes.count
    let bound = ZSTD_compressBound(plain.count)
    bytes.append(contentsOf: repeatElement(0, count: bound))
    let length = bytes.withUnsafeMutableBytes { buffer in
      ZSTD_compress2(
        context, buffer.baseAddress.map { $0 + start }, bound, plain.baseAddress, plain.count)
    }
    try Zstd.check(length)
    bytes.removeLast(bound - length)
    return length
  }

  /// Adds one frame that holds `plain` to `bytes`; returns its entry of a frame table.
  func appendFrame(
    _ plain: UnsafeRawBufferPointer, to bytes: inout [UInt8]
  ) throws -> FrameEntry {
    let start = bytes.count
    let length = try append(plain, to: &bytes)
    return FrameEntry(
      storedLength: UInt32(length), plainLength: UInt32(plain.count), crc: CRC32.of(bytes[start...])
    )
  }
}

/// Decompresses frames whose plain length is known and capped before anything is allocated.
final class ZstdDecompressor {
  private let context: OpaquePointer

  init() throws {
    guard let context = ZSTD_createDCtx() else {
      throw EventLogError(.io, "out of memory for a zstd context")
    }
    self.context = context
  }

  deinit {
    ZSTD_freeDCtx(context)
  }

  /// Decodes one frame that fills `plain` exactly; says why where it does not.
  func decode(
    _ frame: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
  ) -> String? {
    let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    guard size == UInt64(plain.count) else {
      return "the frame does not hold the \(plain.count) bytes that its header says"
    }
    guard ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count else {
      return "the frame does not end where its header says"
    }
    guard Self.windowLog(frame) <= Self.windowLogLimit else {
      return "the frame needs a window of more than \(1 << (Self.windowLogLimit - 20)) MiB"
    }
    let length = ZSTD_decompressDCtx(
      context, plain.baseAddress, plain.count, frame.baseAddress, frame.count)
    if ZSTD_isError(length) != 0 { return String(cString: ZSTD_getErrorName(length)) }
    return length == plain.count ? nil : "the frame is shorter than its header says"
  }

  /// That of zstd's own tools: `zstd -dc` reads no frame with a larger window unasked.
  static let windowLogLimit = 27

  /// The power of two of the window that a frame asks its reader for; 0 if the content is the
  /// window. RFC 8878, 3.1.1.1: libzstd gives it in its unstable part alone.
  private static func windowLog(_ frame: UnsafeRawBufferPointer) -> Int {
    let isSingleSegment = frame.count > 5 && frame[4] & 0x20 != 0
    return frame.count > 5 && !isSingleSegment ? 10 + Int(frame[5] >> 3) : 0
  }

  static func bound(_ plain: Int) -> Int {
    ZSTD_compressBound(plain)
  }
}
