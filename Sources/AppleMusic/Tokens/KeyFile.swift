#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads a file with a private key, which must be its owner's alone.
package enum KeyFile {
  /// Bytes; a key in PEM has some 250.
  private static let limit = 16 << 10

  /// - Throws: `tokenUnusable` where there is none, group or others may do anything with it, it is no
  ///   regular file (a pipe is not waited for), empty, or larger than 16 KiB.
  package static func read(_ path: String) throws(AppleMusicError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AppleMusicError(
        .tokenUnusable, "no file can have the name of the key file that was given; check it")
    }
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure(path, "cannot be opened: \(reason(errno))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw failure(path, "cannot be looked at: \(reason(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw failure(path, "is no regular file")
    }
    let mode = status.st_mode & 0o777
    guard mode & 0o077 == 0 else {
      throw AppleMusicError(
        .tokenUnusable,
        "the key file \(path) is open to others than its owner (mode \(String(mode, radix: 8))); "
          + "run: chmod 600 \(path)")
    }
    // One byte more than is taken, to see whether there is more.
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        systemRead(file, UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if read < 0 {
        if errno == EINTR { continue }
        throw failure(path, "cannot be read: \(reason(errno))")
      }
      if read == 0 { break }
      count += read
    }
    guard 1...limit ~= count else {
      throw failure(path, "is empty or larger than \(limit) bytes")
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func systemRead(
    _ file: Int32, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    #if canImport(Darwin)
      Darwin.read(file, buffer.baseAddress, buffer.count)
    #elseif canImport(Glibc)
      Glibc.read(file, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(file, buffer.baseAddress, buffer.count)
    #endif
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

  private static func failure(_ path: String, _ what: String) -> AppleMusicError {
    AppleMusicError(
      .tokenUnusable,
      "the key file \(path) \(what); name the .p8 file that Apple gave you for the key")
  }
}
