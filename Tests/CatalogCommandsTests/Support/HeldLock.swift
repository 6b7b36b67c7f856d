import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The log's lock, held by this test as another writer would.
final class HeldLock {
  private var descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  /// Says who holds it, as a writer does.
  func sign(_ holder: String) {
    ftruncate(descriptor, 0)
    _ = holder.withCString { pwrite(descriptor, $0, strlen($0), 0) }
  }

  func release() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }
}
