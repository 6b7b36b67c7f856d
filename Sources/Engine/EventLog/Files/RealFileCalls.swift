import LibC
import Support

/// The system's calls.
package struct RealFileCalls: FileCalls {
  package init() {}

  package static func text(of errno: Int32) -> String {
    // Files of a log are never opened through a link: "too many levels of links" would mislead.
    errno == ELOOP ? "it is a symbolic link" : SystemError.words(for: errno)
  }

  package func open(_ path: String, _ mode: FileMode) throws -> Int32 {
    // O_NONBLOCK so that a FIFO in a file's place is refused instead of waited for.
    let common = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = try retrying("open", path) {
      switch mode {
      case .read: openFile(path, O_RDONLY | common)
      case .readWrite: openFile(path, O_RDWR | common)
      case .create: openFile(path, O_RDWR | O_CREAT | O_EXCL | common)
      case .createOrOpen: openFile(path, O_RDWR | O_CREAT | common)
      case .directory: openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      }
    }
    return descriptor
  }

  package func close(_ descriptor: Int32) {
    _ = LibC.close(descriptor)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try retrying("read", nil) {
      pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try retrying("write", nil) {
      pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  package func sync(_ descriptor: Int32) throws {
    #if canImport(Glibc)
      _ = try retrying("fsync", nil) { Int(fsync(descriptor)) }
    #else
      try syncData(descriptor)
    #endif
  }

  package func syncData(_ descriptor: Int32) throws {
    #if canImport(Glibc)
      _ = try retrying("fdatasync", nil) { Int(fdatasync(descriptor)) }
    #else
      // F_FULLFSYNC: on Darwin fsync leaves the drive's cache alone.
      _ = try retrying("fcntl(F_FULLFSYNC)", nil) { Int(fcntl(descriptor, F_FULLFSYNC)) }
    #endif
  }

  package func truncate(_ descriptor: Int32, to size: UInt64) throws {
    _ = try retrying("ftruncate", nil) { Int(ftruncate(descriptor, off_t(size))) }
  }

  package func status(_ descriptor: Int32) throws -> FileStatus {
    var info = stat()
    _ = try retrying("fstat", nil) { Int(fstat(descriptor, &info)) }
    return FileStatus(
      size: UInt64(info.st_size), isRegular: info.st_mode & S_IFMT == S_IFREG,
      device: UInt64(info.st_dev), inode: UInt64(info.st_ino), links: UInt64(info.st_nlink))
  }

  package func rename(_ from: String, to: String) throws {
    _ = try retrying("rename", to) {
      Int(LibC.rename(from, to))
    }
  }

  package func link(_ from: String, to: String) throws {
    _ = try retrying("link", to) {
      Int(LibC.link(from, to))
    }
  }

  package func unlink(_ path: String) throws {
    _ = try retrying("unlink", path) {
      Int(LibC.unlink(path))
    }
  }

  package func makeDirectory(_ path: String) throws {
    do {
      _ = try retrying("mkdir", path) { Int(mkdir(path, 0o777)) }
    } catch let failure as FileFailure where failure.errno == EEXIST {}
  }

  package func names(in directory: String) throws -> [String]? {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return nil }
      throw FileFailure("opendir", directory, errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        // A name that is missing here could be the log's last segment.
        guard errno == 0 else { throw FileFailure("readdir", directory, errno) }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func syncDirectory(_ path: String) throws {
    let descriptor = try retrying("open", path) { openFile(path, O_RDONLY | O_CLOEXEC) }
    defer { close(descriptor) }
    try sync(descriptor)
  }

  /// - Throws: `FileFailure` with `ENOTSUP` for a folder on a file system that several machines share: its lock would keep out this
  ///   machine's programs alone, and that of a file keeps out all.
  package func lock(_ descriptor: Int32) throws -> Bool {
    if try !status(descriptor).isRegular, SharedFileSystem.has(descriptor) {
      throw FileFailure("flock", nil, ENOTSUP)
    }
    do {
      _ = try retrying("flock", nil) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
      return true
    } catch let failure as FileFailure where failure.errno == EWOULDBLOCK {
      return false
    }
  }

  package func unlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
  }

  private func openFile(_ path: String, _ flags: Int32) -> Int32 {
    LibC.open(path, flags, 0o666)
  }

  private func retrying<Result: BinaryInteger>(
    _ call: String, _ path: String?, _ body: () -> Result
  ) throws -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw FileFailure(call, path, errno) }
    }
  }
}
