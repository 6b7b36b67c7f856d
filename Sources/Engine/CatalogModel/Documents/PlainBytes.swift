import CZlib
import CZstd

/// Decompresses a document piece by piece. Several members of gzip and frames of zstd, one after the other, are one text.
package final class PlainBytes {
  private let name: String
  private let limit: Int
  private let source: (UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int
  private let decompression: (any Decompression)?
  private let stored = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
  private var unread = 0..<0
  private var isAtEnd = false
  private var count = 0

  /// - Parameters:
  ///   - name: of the document, in errors.
  ///   - limit: the most plain bytes.
  ///   - source: reads the next stored bytes; 0 at the end.
  package init(
    _ name: String, _ compression: DocumentCompression, limit: Int,
    source: @escaping (UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int
  ) throws(DocumentError) {
    self.name = name
    self.limit = limit
    self.source = source
    decompression =
      switch compression {
      case .none: nil
      case .gzip: GzipDecompression()
      case .zstd: ZstdDecompression()
      }
    if compression != .none, decompression == nil {
      throw DocumentError(
        code: .fileUnreadable, file: name, message: "memory for decompression is missing")
    }
  }

  deinit { stored.deallocate() }

  /// Reads the next plain bytes; 0 at the end.
  ///
  /// - Throws: `DocumentError` if the source is cut or damaged, or has more plain bytes than the limit.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(DocumentError) -> Int {
    guard let decompression else { return try counted(try source(buffer)) }
    while true {
      if unread.isEmpty, !isAtEnd {
        unread = 0..<(try source(stored))
        isAtEnd = unread.isEmpty
      }
      if isAtEnd, decompression.isBetweenParts { return 0 }
      let step = decompression.step(
        UnsafeRawBufferPointer(rebasing: stored[unread]), into: buffer)
      guard let step, step.read + step.written > 0 || !isAtEnd else {
        let isCut = step != nil
        throw DocumentError(
          code: .fileUnreadable, file: name,
          message: isCut
            ? "the file ends in the middle of its compressed data"
            : "the compressed data is damaged",
          advice: isCut ? "it may have been cut short: copy it again" : "copy it again")
      }
      unread = unread.lowerBound + step.read..<unread.upperBound
      if step.written > 0 { return try counted(step.written) }
    }
  }

  /// Reads all plain bytes.
  ///
  /// - Parameter size: how many there are, about: the array grows if there are more.
  package func all(expecting size: Int) throws(DocumentError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 1)
    try forEachPiece { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Reads all plain bytes piece by piece.
  ///
  /// - Returns: how many there are.
  @discardableResult
  package func forEachPiece(
    _ body: (Slice<UnsafeMutableRawBufferPointer>) -> Void
  ) throws(DocumentError) -> Int {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { room.deallocate() }
    while case let length = try read(into: room), length > 0 { body(room[..<length]) }
    return count
  }

  private func counted(_ length: Int) throws(DocumentError) -> Int {
    count += length
    guard count <= limit else {
      throw DocumentError(
        code: .fileTooLarge, file: name, message: "the document has more than \(limit) bytes",
        advice: "import it in parts")
    }
    return length
  }
}

/// How a document is stored, which its first bytes tell, not its name. Neither RFC 4180, JSON nor any text in UTF-8, UTF-16 or
/// windows-1252 begins with those of compressed ones.
package enum DocumentCompression: String, Sendable {
  case none, gzip, zstd

  package init(of beginning: some Sequence<UInt8>) {
    let mark = Array(beginning.prefix(4))
    self =
      if mark.starts(with: [0x1F, 0x8B]) {
        .gzip
      } else if mark == [0x28, 0xB5, 0x2F, 0xFD] {
        .zstd
      } else {
        .none
      }
  }
}

/// Decompresses a stream of bytes.
private protocol Decompression: AnyObject {
  /// Whether everything that was begun is complete.
  var isBetweenParts: Bool { get }

  /// Decompresses some bytes.
  ///
  /// - Returns: how many bytes were read and written; nil if the data is damaged.
  func step(
    _ stored: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
  ) -> (read: Int, written: Int)?
}

/// Members of gzip (RFC 1952), by the system's zlib.
private final class GzipDecompression: Decompression {
  private var stream = z_stream()
  private(set) var isBetweenParts = true

  init?() {
    // 16: the header of gzip, and no other; 15: any window.
    let status = inflateInit2_(
      &stream, 16 + 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
  }

  deinit { inflateEnd(&stream) }

  func step(
    _ stored: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
  ) -> (read: Int, written: Int)? {
    if isBetweenParts, !stored.isEmpty {
      guard inflateReset(&stream) == Z_OK else { return nil }
      isBetweenParts = false
    }
    // zlib does not write to its input.
    stream.next_in = UnsafeMutablePointer(
      mutating: stored.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(clamping: stored.count)
    stream.next_out = plain.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(clamping: plain.count)
    let status = inflate(&stream, Z_NO_FLUSH)
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
    isBetweenParts = status == Z_STREAM_END
    return (stored.count - Int(stream.avail_in), plain.count - Int(stream.avail_out))
  }
}

/// Frames of zstd (RFC 8878).
private final class ZstdDecompression: Decompression {
  private let context: OpaquePointer
  private(set) var isBetweenParts = true

  init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  func step(
    _ stored: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
  ) -> (read: Int, written: Int)? {
    var input = ZSTD_inBuffer(src: stored.baseAddress, size: stored.count, pos: 0)
    var output = ZSTD_outBuffer(dst: plain.baseAddress, size: plain.count, pos: 0)
    let status = ZSTD_decompressStream(context, &output, &input)
    guard ZSTD_isError(status) == 0 else { return nil }
    isBetweenParts = status == 0
    return (input.pos, output.pos)
  }
}
