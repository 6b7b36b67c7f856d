#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock that one process, and one task in it, has at a time: flock(2) on a file that goes with it.
package final class FileLock: Sendable {
  private let descriptor: Int32
  private let name: String
  private let folder: FolderHandle

  /// Takes the lock at once; nil where somebody has it.
  package init?(_ name: String, in folder: FolderHandle) throws(DownloadFailure) {
    for _ in 0..<1_000 {
      guard let opened = try folder.openLock(name) else { continue }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        Self.closeFile(opened)
        if number == EWOULDBLOCK { return nil }
        throw folder.failure("lock", name, number)
      }
      // Whoever had it may have removed the file between the opening and the lock.
      if try folder.isEntry(name, opened) {
        descriptor = opened
        self.name = name
        self.folder = folder
        return
      }
      Self.closeFile(opened)
    }
    throw DownloadFailure(
      .file, "\(folder.path) was removed; open the catalog again", isResumable: true)
  }

  deinit {
    // Removed while it is held: a file that is opened later is another one. Where somebody removed it
    // already, the name may lead to another's lock.
    if (try? folder.isEntry(name, descriptor)) == true { try? folder.removeFile(name) }
    // Closing alone leaves the lock with a child that was forked meanwhile.
    flock(descriptor, LOCK_UN)
    Self.closeFile(descriptor)
  }

  private static func closeFile(_ descriptor: Int32) {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }
}
