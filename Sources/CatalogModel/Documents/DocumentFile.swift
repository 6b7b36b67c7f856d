#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Reads a document's file as a whole.
///
/// The bytes are read into memory rather than mapped: a file that another process rewrites while it
/// is being parsed must not change under the parser.
package enum DocumentFile {
  /// Larger files are refused before anything is allocated: 2 GiB.
  package static let sizeLimit = 2 << 30

  /// - Throws: `DocumentError` where there is no such file, or it is a folder, no regular file (a
  ///   pipe is not waited for), not readable, empty, or larger than `limit` bytes.
  package static func load(
    _ path: String, limit: Int = sizeLimit
  ) throws(DocumentError) -> [UInt8] {
    guard !path.utf8.contains(0) else {
      throw failure(.fileMissing, path, "no file can have this name", "it holds U+0000")
    }
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw openFailure(path, errno) }
    defer { close(descriptor) }

    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw openFailure(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw failure(.fileIsDirectory, path, "this is a folder", "name a file in it")
    default:
      throw failure(
        .fileNotRegular, path, "this is no regular file", "save the document to a file first")
    }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw failure(
        .fileTooLarge, path, "the file has \(size) bytes", "at most \(limit) are taken")
    }
    guard size > 0 else {
      throw failure(.fileEmpty, path, "the file is empty", "it should hold one JSON object")
    }
    return try read(descriptor, size: size, path: path)
  }

  private static func read(
    _ descriptor: Int32, size: Int, path: String
  ) throws(DocumentError) -> [UInt8] {
    var problem: Int32 = 0
    // One byte more than the file had, to see whether it grew.
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      while count < buffer.count {
        let all = UnsafeMutableRawBufferPointer(buffer)
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[count...])
        let read = systemRead(descriptor, rest)
        if read < 0 {
          if errno == EINTR { continue }
          problem = errno
          return
        }
        if read == 0 { return }
        count += read
      }
    }
    if problem != 0 { throw openFailure(path, problem) }
    guard bytes.count == size else {
      throw failure(
        .fileUnreadable, path, "the file changed while it was read",
        "try again when it is complete")
    }
    return bytes
  }

  private static func systemRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private static func openFailure(_ path: String, _ number: Int32) -> DocumentError {
    switch number {
    case ENOENT, ENOTDIR:
      failure(.fileMissing, path, "there is no such file", "check the name and the folder")
    case EACCES, EPERM:
      failure(.fileUnreadable, path, "the file may not be read", "check its permissions")
    case EISDIR:
      failure(.fileIsDirectory, path, "this is a folder", "name a file in it")
    default:
      failure(
        .fileUnreadable, path, "the file cannot be read: \(String(cString: strerror(number)))", nil)
    }
  }

  private static func failure(
    _ code: DocumentError.Code, _ path: String, _ message: String, _ advice: String?
  ) -> DocumentError {
    DocumentError(code: code, file: path, message: message, advice: advice)
  }
}
