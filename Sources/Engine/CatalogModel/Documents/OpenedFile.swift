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
