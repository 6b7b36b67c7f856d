import LibC

/// flock(2) on a folder: one holder at a time, of all processes of this machine and of all tasks of one. It leaves no file.
///
/// ```swift
/// guard let lock = FolderLock(path) else { throw failure("open") }
/// guard lock.take() != .busy else { throw others }
/// ```
final class FolderLock: Sendable {
  enum Attempt: Sendable {
    case taken
    /// Another one holds it.
    case busy
    /// The file system has no locks.
    case unsupported
  }

  /// Open, for questions about the folder.
  let descriptor: Int32

  /// Opens the folder. Nil if it cannot be opened, and then `errno` says why.
  init?(_ path: String, followsLinks: Bool = true) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    let opened = LibC.open(path, flags)
    guard opened >= 0 else { return nil }
    descriptor = opened
  }

  /// Takes the lock, unless another one holds it.
  func take() -> Attempt {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return .taken }
    return errno == EWOULDBLOCK ? .busy : .unsupported
  }

  /// Waits for the one that holds it, and takes it.
  func wait() {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
  }

  /// Gives the lock back. A program that another thread starts has a copy of the descriptor until it runs, so that closing alone
  /// would keep the lock a little longer.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
