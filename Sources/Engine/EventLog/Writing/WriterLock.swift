import LibC
import Support

/// The lock of a log's one writer: flock(2) on a file of its own, whose text names the holder.
///
/// A file of its own because closing any descriptor of a file drops that process's fcntl locks on it.
package final class WriterLock {
  private let file: LogFile
  private let calls: any FileCalls

  /// Keeps other writers of this machine out, if what they write is not a folder's log.
  ///
  /// - Parameters:
  ///   - directory: gets a file `LOCK`.
  ///   - wait: how long to wait for another holder; nil fails at once.
  /// - Throws: `locked`.
  package convenience init(
    directory: String, holder: String, wait: Duration? = nil, willWait: () -> Void = {}
  ) throws {
    try self.init(
      LogFolder(path: directory, calls: RealFileCalls()), holder: holder, wait: wait,
      willWait: willWait)
  }

  /// Takes the lock, waiting for another writer no longer than `wait`; nil, or zero, fails at once.
  ///
  /// - Parameter willWait: called once, before it waits.
  init(
    _ folder: LogFolder, holder: String, wait: Duration?, willWait: () -> Void = {}
  ) throws {
    file = try LogFile(folder.lockPath, .createOrOpen, folder.calls)
    calls = folder.calls
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
        let text = String(decoding: try file.read(200, at: 0), as: UTF8.self)
        let other = text.split(separator: "\n").first.map(String.init) ?? "another process"
        throw EventLogError(
          .locked,
          "the log in \(folder.path) is being written by \(other)"
            + (deadline > began ? ErrorMessage(", still after \(deadline - began)") : "")
            + "; try again\(do: .wait)",
          file: file.path)
      }
      if !isWaiting { willWait() }
      isWaiting = true
      usleep(20_000)
    }
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
}
