#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A database file that no connection has open, to which whole pages are added.
///
/// The format is SQLite's (<https://sqlite.org/fileformat2.html>): a header of 100 bytes in the first
/// page says how large pages are, how many bytes at their ends are reserved, and how many pages there
/// are.
final class PageFile {
  let pageSize: Int
  /// Bytes of a page that hold content.
  let usableSize: Int
  private(set) var pageCount: UInt32

  private let path: String
  private let descriptor: Int32
  /// Pages that follow one another and are not written yet.
  private let buffer: UnsafeMutableRawBufferPointer
  private var buffered = 0

  /// SQLite locks bytes of the page at this offset and never puts anything there.
  private static let lockOffset = 1 << 30

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("open", path) }
    buffer = .allocate(byteCount: 1 << 20, alignment: 16)
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
      throw StoreError(.notADatabase, "\(path) is no database that pages can be added to")
    }
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// The number that the page after `page` has.
  func number(after page: UInt32) -> UInt32 {
    Int(page) * pageSize == Self.lockOffset ? page + 2 : page + 1
  }

  /// Adds a page; returns its number.
  func append(_ page: UnsafeRawPointer) throws -> UInt32 {
    let number = number(after: pageCount)
    // A gap is left before this page, or the buffer is full.
    if number != pageCount + 1 || buffered + pageSize > buffer.count { try flush() }
    UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...])
      .copyMemory(from: UnsafeRawBufferPointer(start: page, count: pageSize))
    buffered += pageSize
    pageCount = number
    return number
  }

  /// Replaces a page that was there before.
  func replace(_ number: UInt32, with page: UnsafeRawPointer) throws {
    try write(
      UnsafeRawBufferPointer(start: page, count: pageSize), at: Int(number - 1) * pageSize)
  }

  /// Writes what is left, and the number of pages.
  func finish() throws {
    try flush()
    try withUnsafeBytes(of: pageCount.bigEndian) { try write($0, at: 28) }
  }

  private func flush() throws {
    try write(
      UnsafeRawBufferPointer(rebasing: buffer[..<buffered]),
      at: Int(pageCount) * pageSize - buffered)
    buffered = 0
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
        off_t(offset + written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("write to", path) }
      written += count
    }
  }

  private static func failure(_ what: String, _ path: String) -> StoreError {
    StoreError(.database, "cannot \(what) \(path): \(String(cString: strerror(errno)))")
  }
}
