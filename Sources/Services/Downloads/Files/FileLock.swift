/// A lock that one process, and one task in it, has at a time: flock(2) on a file that goes with it.
package final class FileLock: Sendable {
  private let file: OpenFile
  private let name: String
  private let folder: FolderHandle

  /// Takes the lock at once; nil if somebody has it.
  package init?(_ name: String, in folder: FolderHandle) throws(DownloadFailure) {
    for _ in 0..<1_000 {
      guard let opened = try folder.openLock(name) else { continue }
      guard try opened.lock() else { return nil }
      // Whoever had it may have removed the file between the opening and the lock.
      if try folder.isEntry(name, opened) {
        file = opened
        self.name = name
        self.folder = folder
        return
      }
    }
    throw DownloadFailure(
      .file, "\(folder.path) was removed; open the catalog again", isResumable: true)
  }

  /// Whether somebody has the lock. Makes and removes nothing.
  package static func isHeld(
    _ name: String, in folder: FolderHandle
  ) throws(DownloadFailure) -> Bool {
    // No file, no lock: whoever has it keeps the file.
    guard try folder.entry(name) != nil, let file = try folder.openLock(name) else { return false }
    guard try file.lock() else { return true }
    file.unlock()
    return false
  }

  deinit {
    // Removed while it is held: a file that is opened later is another one. Where somebody removed it
    // already, the name may lead to another's lock.
    if (try? folder.isEntry(name, file)) == true {
      _ = try? folder.removeFile(name)
    }
    // Closing alone leaves the lock with a child that was forked meanwhile.
    file.unlock()
  }
}
