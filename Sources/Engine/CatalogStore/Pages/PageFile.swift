import CatalogModel
import LibC
import Support

/// A database file that no connection has open, to which whole pages are added.
///
/// The format is SQLite's (<https://sqlite.org/fileformat2.html>): a header of 100 bytes in the first
/// page says how large pages are, how many bytes at their ends are reserved, and how many pages there
/// are.
final class PageFile {
  let pageSize: Int
  /// Bytes of a page that hold content.
  let usableSize: Int
  @exclusivity(unchecked) private(set) var pageCount: UInt32

  private let path: String
  private let descriptor: Int32
  /// Pages that follow one another and are not written yet.
  @exclusivity(unchecked) private var buffer: [UInt8] = []
  /// Takes full buffers to the thread that gives them to the system, whose copying was half of the time
  /// of writing.
  private let blocks = BoundedQueue<Block>(capacity: 32)
  private var writing: BackgroundWork<Void>?

  private struct Block: Sendable {
    var bytes: [UInt8]
    var offset: Int
    var isLast = false
  }

  /// Small enough for malloc to keep it for the next one.
  private static let bufferLength = 64 << 10

  /// SQLite locks bytes of the page at this offset and never puts anything there.
  private static let lockOffset = 1 << 30

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("open", path) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, 100, 0)
    let size = Int(header[16]) << 8 | Int(header[17])
    pageSize = size == 1 ? 65_536 : size
    usableSize = pageSize - Int(header[20])
    pageCount = header.withUnsafeBytes {
      UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 28, as: UInt32.self))
    }
    // Where a database keeps a map of its pages, pages cannot just be added.
    let isVacuumed = header[52..<56].contains { $0 != 0 }
    guard count == 100, pageSize >= 512, pageCount > 0, !isVacuumed else {
      throw StoreError(.notADatabase, "\(path) is not a database that pages can be added to")
    }
    buffer.reserveCapacity(Self.bufferLength + pageSize)
    writing = try BackgroundWork { [blocks, descriptor, path] in
      while let block = blocks.take() {
        do {
          try block.bytes.withUnsafeBytes {
            try Self.write($0, at: block.offset, to: descriptor, path)
          }
        } catch {
          // Nobody waits for room any more; `finish` throws what went wrong.
          blocks.cancel()
          throw error
        }
        if block.isLast { return }
      }
    }
  }

  deinit {
    blocks.cancel()
    writing?.wait()
    close(descriptor)
  }

  /// The number that the page after `page` has.
  func number(after page: UInt32) -> UInt32 {
    Int(page) * pageSize == Self.lockOffset ? page + 2 : page + 1
  }

  /// Adds a page; returns its number.
  func append(_ page: UnsafeRawPointer) throws -> UInt32 {
    let number = number(after: pageCount)
    // A gap is left before this page, or the buffer is full.
    if number != pageCount + 1 || buffer.count >= Self.bufferLength { try flush() }
    buffer.append(contentsOf: UnsafeRawBufferPointer(start: page, count: pageSize))
    pageCount = number
    return number
  }

  /// Replaces a page that was there before.
  func replace(_ number: UInt32, with page: UnsafeRawPointer) throws {
    try Self.write(
      UnsafeRawBufferPointer(start: page, count: pageSize), at: Int(number - 1) * pageSize,
      to: descriptor, path)
  }

  /// Writes what is left, and the number of pages.
  func finish() throws {
    try flush(isLast: true)
    try writing?.value()
    try withUnsafeBytes(of: pageCount.bigEndian) {
      try Self.write($0, at: 28, to: descriptor, path)
    }
  }

  private func flush(isLast: Bool = false) throws {
    let offset = Int(pageCount) * pageSize - buffer.count
    if !blocks.put(Block(bytes: buffer, offset: offset, isLast: isLast)) {
      try writing?.value()
      throw StoreError(.database, "cannot write to \(path)")
    }
    buffer = []
    buffer.reserveCapacity(Self.bufferLength + pageSize)
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, to descriptor: Int32, _ path: String
  ) throws {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
        off_t(offset + written))
      if count < 0, errno == EINTR { continue }
      if count == 0 { errno = ENOSPC }
      guard count > 0 else { throw failure("write to", path) }
      written += count
    }
  }

  private static func failure(_ what: String, _ path: String) -> StoreError {
    StoreError(
      [ENOSPC, EDQUOT].contains(errno) ? .volume : .database,
      "cannot \(what) \(path): \(SystemError.current)")
  }
}
