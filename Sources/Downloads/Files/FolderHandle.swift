#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder that is held open: what is done in it cannot be led elsewhere by a link that somebody plants
/// on the way.
///
/// No call follows a symbolic link at its last component. Errors are `DownloadFailure`.
package final class FolderHandle: Sendable {
  /// For errors alone.
  package let path: String
  private let descriptor: Int32

  package enum Entry: Hashable, Sendable {
    case file(bytes: Int64)
    case folder
    case link
    case other
  }

  /// Opens a folder; links on the way to it are followed, for where the catalog lies is the user's choice.
  package convenience init(_ path: String) throws(DownloadFailure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("open", path, errno) }
    self.init(path: path, descriptor: descriptor)
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// A folder in this one, made where it is missing.
  package func makeFolder(_ name: String) throws(DownloadFailure) -> FolderHandle {
    if mkdirat(descriptor, name, 0o777) != 0, errno != EEXIST { throw failure("make", name, errno) }
    guard let folder = try existingFolder(name) else { throw failure("open", name, ENOENT) }
    return folder
  }

  /// A folder in this one; nil where there is none of that name.
  ///
  /// - Throws: where the name is a link or a file.
  package func existingFolder(_ name: String) throws(DownloadFailure) -> FolderHandle? {
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else {
      let number = errno
      if number == ENOENT { return nil }
      if try entry(name) == .link {
        throw DownloadFailure(
          .file, "\(path)/\(name) is a symbolic link; remove it, for a download follows none",
          isResumable: false)
      }
      throw failure("open", name, number)
    }
    return FolderHandle(path: "\(path)/\(name)", descriptor: opened)
  }

  /// Whether files can be moved between the two: not from one volume to another.
  package func isOnVolume(of other: FolderHandle) throws(DownloadFailure) -> Bool {
    var own = stat()
    var others = stat()
    guard fstat(descriptor, &own) == 0 else { throw failure("look at", nil, errno) }
    guard fstat(other.descriptor, &others) == 0 else {
      throw other.failure("look at", nil, errno)
    }
    return own.st_dev == others.st_dev
  }

  /// Whether files can be made in this folder.
  package var isWritable: Bool { faccessat(descriptor, ".", W_OK | X_OK, 0) == 0 }

  /// What has this name; nil where nothing has.
  package func entry(_ name: String) throws(DownloadFailure) -> Entry? {
    var info = stat()
    guard fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("look at", name, errno)
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: return .file(bytes: Int64(info.st_size))
    case S_IFDIR: return .folder
    case S_IFLNK: return .link
    default: return .other
    }
  }

  /// Names in this folder, sorted.
  package func names() throws(DownloadFailure) -> [String] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw failure("list", nil, errno) }
    guard let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw failure("list", nil, number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw failure("list", nil, errno) }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Opens a regular file that has no other name.
  ///
  /// - Returns: its descriptor, which the caller closes; nil where it is missing and is not to be made.
  package func openFile(_ name: String, isMade: Bool) throws(DownloadFailure) -> Int32? {
    // Opened without waiting: a pipe with this name must not hang the process.
    let flags = (isMade ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var opened = openat(descriptor, name, flags)
    if opened < 0, errno == ENOENT {
      guard isMade else { return nil }
      opened = openat(descriptor, name, flags | O_CREAT | O_EXCL, 0o666)
    }
    guard opened >= 0 else {
      let number = errno
      if number == ELOOP {
        throw DownloadFailure(
          .file, "\(path)/\(name) is a symbolic link; remove it, for a download follows none",
          isResumable: false)
      }
      throw failure("open", name, number)
    }
    var info = stat()
    guard fstat(opened, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_nlink == 1 else {
      close(opened)
      throw DownloadFailure(
        .file, "\(path)/\(name) is no file of its own (a folder, a pipe, a hard link); remove it",
        isResumable: false)
    }
    return opened
  }

  /// The bytes of a small file; nil where there is none. What is beyond the limit is left out.
  package func read(_ name: String, limit: Int) throws(DownloadFailure) -> [UInt8]? {
    guard let file = try openFile(name, isMade: false) else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw failure("read", name, errno) }
    return Array(bytes[..<count])
  }

  /// Puts a small file in the place of what has the name, whole or not at all.
  package func write(_ bytes: [UInt8], to name: String) throws(DownloadFailure) {
    let temporary = name + ".new"
    try removeFile(temporary)
    guard let file = try openFile(temporary, isMade: true) else { return }
    defer { close(file) }
    let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count else { throw failure("write", temporary, errno) }
    try move(temporary, to: self, as: name)
  }

  /// Opens the file of a lock, made where it is missing; nil where it was removed meanwhile.
  func openLock(_ name: String) throws(DownloadFailure) -> Int32? {
    let opened = openat(
      descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
    guard opened >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open", name, errno)
    }
    return opened
  }

  /// Whether a name leads to an open file.
  func isEntry(_ name: String, _ opened: Int32) throws(DownloadFailure) -> Bool {
    var named = stat()
    var info = stat()
    guard fstat(opened, &info) == 0 else { throw failure("look at", name, errno) }
    guard fstatat(descriptor, name, &named, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    return named.st_ino == info.st_ino && named.st_dev == info.st_dev
  }

  /// Moves a file into a folder, over what has the name there.
  package func move(
    _ name: String, to folder: FolderHandle, as newName: String
  ) throws(DownloadFailure) {
    guard renameat(descriptor, name, folder.descriptor, newName) == 0 else {
      throw failure("move", name, errno)
    }
  }

  /// Removes a file, or a link and not what it leads to. No error where nothing has the name.
  package func removeFile(_ name: String) throws(DownloadFailure) {
    if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw failure("remove", name, errno) }
  }

  /// Removes a folder where it is empty.
  ///
  /// - Returns: whether it is gone.
  @discardableResult
  package func removeFolder(_ name: String) throws(DownloadFailure) -> Bool {
    if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
    if errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR { return false }
    throw failure("remove", name, errno)
  }

  /// Makes names in this folder durable.
  package func sync() throws(DownloadFailure) {
    guard fsync(descriptor) == 0 else { throw failure("sync", nil, errno) }
  }

  /// What is free on the volume, in bytes, for a user who is not root.
  package func freeBytes() throws(DownloadFailure) -> Int64 {
    var info = statvfs()
    guard fstatvfs(descriptor, &info) == 0 else { throw failure("look at", nil, errno) }
    return Int64(
      clamping: UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        .partialValue)
  }

  func failure(_ verb: String, _ name: String?, _ number: Int32) -> DownloadFailure {
    Self.failure(verb, name.map { "\(path)/\($0)" } ?? path, number)
  }

  static func failure(_ verb: String, _ path: String, _ number: Int32) -> DownloadFailure {
    let text = "cannot \(verb) \(path): \(String(cString: strerror(number)))"
    switch number {
    case ENOSPC, EDQUOT, EFBIG: return DownloadFailure(.noSpace, text, isResumable: true)
    default: return DownloadFailure(.file, text, isResumable: false)
    }
  }
}
