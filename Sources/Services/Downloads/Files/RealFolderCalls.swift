import LibC

/// The system's calls.
package struct RealFolderCalls: FolderCalls {
  package init() {}

  package var systemRun: String? { BootSession.id }

  // MARK: Opening

  package func openRoot(_ path: String) throws(CallFailure) -> Int32 {
    try retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  package func openFolder(_ name: String, in folder: Int32) throws(CallFailure) -> Int32 {
    try retrying { openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  }

  package func openFile(
    _ name: String, in folder: Int32, _ opening: FileOpening
  ) throws(CallFailure) -> Int32 {
    let common = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return try retrying {
      switch opening {
      case .read: openat(folder, name, O_RDONLY | common)
      case .readWrite: openat(folder, name, O_RDWR | common)
      case .create: openat(folder, name, O_RDWR | O_CREAT | O_EXCL | common, 0o666)
      case .createOrOpen: openat(folder, name, O_RDWR | O_CREAT | common, 0o666)
      }
    }
  }

  package func close(_ descriptor: Int32) {
    _ = LibC.close(descriptor)
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    _ = try retrying { mkdirat(folder, name, 0o777) }
  }

  // MARK: Looking

  package func status(of name: String, in folder: Int32) throws(CallFailure) -> EntryStatus {
    var info = stat()
    _ = try retrying { fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) }
    return EntryStatus(info)
  }

  package func status(_ descriptor: Int32) throws(CallFailure) -> EntryStatus {
    var info = stat()
    _ = try retrying { fstat(descriptor, &info) }
    return EntryStatus(info)
  }

  package func names(in folder: Int32) throws(CallFailure) -> [String] {
    // A descriptor of its own: a stream takes the one that it is given, and moves its position.
    let copy = try retrying { openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw CallFailure(number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw CallFailure(errno) }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func isWritable(_ folder: Int32) -> Bool { faccessat(folder, ".", W_OK | X_OK, 0) == 0 }

  package func freeBytes(_ folder: Int32) throws(CallFailure) -> Int64 {
    var info = statvfs()
    _ = try retrying { fstatvfs(folder, &info) }
    return Int64(
      clamping: UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        .partialValue)
  }

  // MARK: Bytes

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    try retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    try retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  package func truncate(_ descriptor: Int32, to size: Int64) throws(CallFailure) {
    _ = try retrying { ftruncate(descriptor, off_t(size)) }
  }

  package func sync(_ descriptor: Int32) throws(CallFailure) {
    #if canImport(Glibc)
      _ = try retrying { fsync(descriptor) }
    #else
      // F_FULLFSYNC: on Darwin fsync leaves the drive's cache alone.
      _ = try retrying { fcntl(descriptor, F_FULLFSYNC) }
    #endif
  }

  // MARK: Names

  package func move(
    _ name: String, in folder: Int32, to target: Int32, as newName: String
  ) throws(CallFailure) {
    _ = try retrying { renameat(folder, name, target, newName) }
  }

  package func removeFile(_ name: String, in folder: Int32) throws(CallFailure) {
    _ = try retrying { unlinkat(folder, name, 0) }
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    _ = try retrying { unlinkat(folder, name, AT_REMOVEDIR) }
  }

  // MARK: The lock

  package func lock(_ descriptor: Int32) throws(CallFailure) -> Bool {
    do {
      _ = try retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.errno == EWOULDBLOCK else { throw error }
      return false
    }
  }

  package func unlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
  }

  private func retrying<Result: BinaryInteger>(
    _ body: () -> Result
  ) throws(CallFailure) -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw CallFailure(errno) }
    }
  }
}

extension EntryStatus {
  fileprivate init(_ info: stat) {
    let kind: Kind =
      switch info.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    self.init(
      kind: kind, size: Int64(info.st_size), links: Int(info.st_nlink),
      device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(info.st_ino))
  }
}
