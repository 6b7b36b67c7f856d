import Recoveries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes a finished file durable.
enum FileSync {
  /// Must not be called for a database that this process has open: closing the descriptor would drop
  /// SQLite's locks on it.
  static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(.database, "cannot open \(path): \(SystemError.current)")
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw StoreError(.database, "cannot sync \(path): \(SystemError.current)")
    }
  }
}
