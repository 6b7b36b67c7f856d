import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of a log or a folder, held by this test as another process would.
package final class HeldLock {
  private var descriptor: Int32

  package convenience init(folder: String) throws {
    try self.init(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  private init(_ descriptor: Int32) throws {
    self.descriptor = descriptor
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  package func release() {
    guard descriptor >= 0 else { return }
    // A program that a different test starts has a copy of the descriptor until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }
}
