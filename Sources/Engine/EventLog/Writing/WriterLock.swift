import LibC
import Support

/// The lock of a log's one writer: flock(2) on the log's folder. No file changes with it, and none can be removed.
///
/// On a file system that several machines share, such as NFS, a file `LOCK` in the folder is locked instead, and so it is in a folder that
/// keeps other writers out of something else than a log. Its text names the holder.
package final class WriterLock {
  private let file: LogFile
  private let calls: any FileCalls
  /// Whether it is a file's, and not the folder's.
  let isOfFile: Bool

  /// Keeps other writers of this machine out, if they write something else than a folder's log.
  ///
  /// - Parameters:
  ///   - directory: gets a file `LOCK`.
  ///   - wait: how long to wait for another holder; nil fails at once.
  /// - Throws: `locked`.
  package convenience init(
    directory: String, holder: String, wait: Duration? = nil, willWait: () -> Void = {}
  ) throws {
    let folder = LogFolder(path: directory, calls: RealFileCalls())
    try self.init(
      LogFile(folder.lockPath, .createOrOpen, folder.calls), isOfFile: true, folder, holder: holder,
      wait: wait, willWait: willWait)
  }

  /// Keeps other writers out of a folder's log.
  ///
  /// - Throws: `locked` if there is another one.
  package convenience init(log: String, holder: String) throws {
    try self.init(
      LogFolder(path: log, calls: RealFileCalls()), holder: holder, wait: nil, willWait: {})
  }

  /// Takes the lock of a log, waiting for another writer no longer than `wait`; nil, or zero, fails at once.
  ///
  /// - Parameter willWait: called once, before it waits.
  convenience init(
    _ folder: LogFolder, holder: String, wait: Duration?, willWait: () -> Void
  ) throws {
    let own = try LogFile(folder.path, .directory, folder.calls)
    do {
      try self.init(
        own, isOfFile: false, folder, holder: holder, wait: wait, willWait: willWait)
    } catch let error as EventLogError where error.errno.map(Self.areWithoutFolders) ?? false {
      try self.init(
        LogFile(folder.lockPath, .createOrOpen, folder.calls), isOfFile: true, folder,
        holder: holder, wait: wait, willWait: willWait)
    }
  }

  private init(
    _ file: LogFile, isOfFile: Bool, _ folder: LogFolder, holder: String, wait: Duration?,
    willWait: () -> Void
  ) throws {
    (self.file, self.isOfFile, calls) = (file, isOfFile, folder.calls)
    let clock = ContinuousClock()
    let began = clock.now
    let deadline = began + (wait ?? .zero)
    var isWaiting = false
    while true {
      let isLocked = try EventLogError.doing("lock", file.path) {
        try folder.calls.lock(file.descriptor)
      }
      if isLocked { break }
      guard clock.now < deadline else {
        let other = isOfFile ? try Self.signature(of: file) : LockHolder(of: file)?.words
        throw EventLogError(
          .locked,
          "the log in \(folder.path) is being written by \(other ?? "another process")"
            + (deadline > began ? ErrorMessage(", still after \(deadline - began)") : "")
            + "; try again\(do: .wait)",
          file: file.path)
      }
      if !isWaiting { willWait() }
      isWaiting = true
      usleep(20_000)
    }
    guard isOfFile else { return }
    try file.expectOneName(remedy: "remove the link")
    let text = Array("process \(getpid()) (\(holder))\n".utf8)
    try file.truncate(to: 0)
    try file.write(text, at: 0)
  }

  deinit {
    // Closing alone leaves the lock with a child that was forked meanwhile and has not yet begun
    // its program.
    calls.unlock(file.descriptor)
  }

  /// Removes the file that earlier versions of this program locked, and rewrote at each append.
  ///
  /// - Throws: `locked` if such a program writes the log now.
  func removeEarlier(in folder: LogFolder) throws {
    // Those versions left a plain file with one name.
    guard !isOfFile, let earlier = try? LogFile(folder.lockPath, .readWrite, calls),
      (try? earlier.expectOneName(remedy: "")) != nil
    else { return }
    _ = try WriterLock(
      earlier, isOfFile: true, folder, holder: "", wait: nil, willWait: {})
    // The file stays if this user may not change the folder.
    try? folder.remove(folder.lockPath)
  }

  /// Whether an error is that of a file system whose folders have no locks, or none that all machines see.
  private static func areWithoutFolders(_ errno: Int32) -> Bool {
    [EBADF, EINVAL, ENOLCK, ENOTSUP, EOPNOTSUPP].contains(errno)
  }

  /// The text by which a holder names itself; nil if there is none yet.
  private static func signature(of file: LogFile) throws -> String? {
    let text = String(decoding: try file.read(200, at: 0), as: UTF8.self)
    return text.split(separator: "\n").first.map(String.init)
  }
}
