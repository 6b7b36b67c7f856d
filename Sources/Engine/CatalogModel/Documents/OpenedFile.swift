import LibC
import Support

/// A file that is open for reading: it is looked at before a byte is read, and what is read is what was
/// looked at, also where its name means another file by then.
package struct OpenedFile: ~Copyable {
  package enum Kind: Hashable, Sendable {
    case regular
    case directory
    /// A pipe, a device or a socket.
    case other
  }

  /// Why a call of the system failed.
  package struct Failure: Error, Hashable, Sendable {
    /// `errno`.
    package let number: Int32

    /// In the system's words.
    package var reason: String { SystemError.words(for: number) }
  }

  package let kind: Kind
  /// Bytes, when it was opened.
  package let size: Int
  /// The nine bits for owner, group and others.
  package let permissions: UInt32
  /// When its bytes were changed last, when it was opened.
  package let modified: Timestamp
  private let descriptor: Int32

  /// Opens a file without waiting: a pipe that nobody writes into is open at once.
  ///
  /// - Parameter path: without U+0000.
  package init(_ path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = Failure(number: errno)
      close(descriptor)
      throw failure
    }
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      default: .other
      }
    size = Int(status.st_size)
    permissions = UInt32(status.st_mode & 0o777)
    modified = Self.modified(status)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The first bytes of a regular file.
  package func beginning(_ length: Int) throws(Failure) -> [UInt8] {
    try read(min(length, size))
  }

  /// All bytes of a regular file; nil if they are more or fewer by now.
  package func bytes() throws(Failure) -> [UInt8]? {
    // One byte more than the file had, to see whether it grew.
    let bytes = try read(size + 1)
    return bytes.count == size ? bytes : nil
  }

  /// Reads bytes from an offset on; fewer than there is room for if the file ends before, and 0 at its end.
  package func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Failure) -> Int {
    while true {
      let length = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if length >= 0 { return length }
      guard errno == EINTR else { throw Failure(number: errno) }
    }
  }

  /// Whether the file has the size and the time that it had when it was opened.
  package var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && Int(status.st_size) == size
      && Self.modified(status) == modified
  }

  private static func modified(_ status: stat) -> Timestamp {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Up to so many bytes from the beginning on; fewer where the file ends before.
  private func read(_ length: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      while count < buffer.count {
        let all = UnsafeMutableRawBufferPointer(buffer)
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[count...])
        let length = pread(descriptor, rest.baseAddress, rest.count, off_t(count))
        if length < 0 {
          if errno == EINTR { continue }
          failure = Failure(number: errno)
          return
        }
        if length == 0 { return }
        count += length
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
