import CZstd
import Recoveries

/// Compresses one frame piece by piece, for files that are no part of the log.
package final class ZstdStreamCompressor {
  private let context: OpaquePointer
  private var output: [UInt8]

  /// - Parameter plainLength: of everything that is going to come; stands in the frame's header.
  package init(level: Int32, plainLength: UInt64) throws {
    guard let context = ZSTD_createCCtx() else {
      throw EventLogError(.io, "out of memory for a zstd context")
    }
    self.context = context
    output = Array(repeating: 0, count: ZSTD_CStreamOutSize())
    for (parameter, value) in [
      (ZSTD_c_compressionLevel, level), (ZSTD_c_checksumFlag, 1),
    ] {
      try Zstd.check(ZSTD_CCtx_setParameter(context, parameter, value))
    }
    try Zstd.check(ZSTD_CCtx_setPledgedSrcSize(context, plainLength))
  }

  deinit {
    ZSTD_freeCCtx(context)
  }

  /// - Parameters:
  ///   - isLast: ends the frame behind these bytes.
  ///   - write: takes what is compressed by now.
  package func compress(
    _ plain: UnsafeRawBufferPointer, isLast: Bool,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var input = ZSTD_inBuffer(src: plain.baseAddress, size: plain.count, pos: 0)
    let directive = isLast ? ZSTD_e_end : ZSTD_e_continue
    var left = 0
    repeat {
      let filled = try output.withUnsafeMutableBytes { bytes in
        var out = ZSTD_outBuffer(dst: bytes.baseAddress, size: bytes.count, pos: 0)
        left = ZSTD_compressStream2(context, &out, &input, directive)
        try Zstd.check(left)
        return out.pos
      }
      try output.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
    } while isLast ? left > 0 : input.pos < input.size
  }
}

/// Decompresses one frame piece by piece.
package final class ZstdStreamDecompressor {
  private let context: OpaquePointer
  private var output: [UInt8]
  /// Whether all of the frame has come.
  package private(set) var isComplete = false

  package init() throws {
    guard let context = ZSTD_createDCtx() else {
      throw EventLogError(.io, "out of memory for a zstd context")
    }
    self.context = context
    output = Array(repeating: 0, count: ZSTD_DStreamOutSize())
  }

  deinit {
    ZSTD_freeDCtx(context)
  }

  /// - Parameter write: takes what is decompressed by now; throws where that is more than it expects.
  /// - Throws: `EventLogError` for what is no frame, is damaged, or goes on behind the frame's end.
  package func decompress(
    _ stored: UnsafeRawBufferPointer, to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var input = ZSTD_inBuffer(src: stored.baseAddress, size: stored.count, pos: 0)
    var isFull = false
    while input.pos < input.size || isFull {
      guard !isComplete else {
        throw EventLogError(.io, "zstd: bytes follow the end of the frame")
      }
      let filled = try output.withUnsafeMutableBytes { bytes in
        var out = ZSTD_outBuffer(dst: bytes.baseAddress, size: bytes.count, pos: 0)
        let left = ZSTD_decompressStream(context, &out, &input)
        try Zstd.check(left)
        isComplete = left == 0
        isFull = out.pos == out.size && !isComplete
        return out.pos
      }
      try output.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
    }
  }
}
